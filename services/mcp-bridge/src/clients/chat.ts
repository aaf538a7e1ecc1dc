import { toPrincipalMessage } from "@gatehouse/principal";
import type { ChatServiceDefinition } from "@gatehouse/proto/chat-calls";
import type { RpcClient } from "@gatehouse/rpc";
import type { Complete } from "../domain/bridge-server.ts";
import { toBridgeTool } from "../domain/bridge-tool.ts";
import type { ListTools } from "../domain/tool-catalogue.ts";

export type ChatRpc = Pick<RpcClient<typeof ChatServiceDefinition>, "complete" | "listTools">;

export interface ChatClientOptions {
  readonly rpc: ChatRpc;
  readonly listTimeoutMs: number;
  readonly callTimeoutMs: number;
}

export interface ChatClient {
  readonly listTools: ListTools;
  readonly complete: Complete;
}

/** Asks the chat service. What it refuses keeps its code and message; a chat that is away is `unavailable`. */
export function createChatClient({ rpc, listTimeoutMs, callTimeoutMs }: ChatClientOptions): ChatClient {
  return {
    async listTools(projectUuid, signal) {
      const { tools } = await rpc.listTools({ projectUuid }, { signal, deadline: listTimeoutMs });
      return tools.map(toBridgeTool);
    },
    async complete({ slug, body, principal, requestId, ipAddress, traceparent }, signal) {
      const { content } = await rpc.complete(
        {
          principal: toPrincipalMessage(principal),
          requestId,
          traceparent: traceparent ?? "",
          ipAddress,
          slug,
          bodyJson: JSON.stringify(body),
        },
        { signal, deadline: callTimeoutMs },
      );
      return content;
    },
  };
}
