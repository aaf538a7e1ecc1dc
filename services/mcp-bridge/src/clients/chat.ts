import { toGatewayError } from "@gatehouse/errors";
import { encodeJson } from "@gatehouse/json";
import { toPrincipalMessage } from "@gatehouse/principal";
import type { ChatServiceDefinition } from "@gatehouse/proto/chat-calls";
import type { RpcClient } from "@gatehouse/rpc";
import type { McpBridgeConfig } from "../config.ts";
import { type ListTools, toBridgeTool } from "../domain/bridge-tool.ts";
import { type Complete, isOutage } from "../domain/chat-call.ts";

/** Methods of `ChatService` that the bridge calls; a fake needs no others. */
export type ChatRpc = Pick<RpcClient<typeof ChatServiceDefinition>, "complete" | "listTools">;

interface ChatClient {
  readonly listTools: ListTools;
  readonly complete: Complete;
}

type ChatClientOptions = Pick<McpBridgeConfig, "listTimeoutMs" | "callTimeoutMs" | "resendsLostCalls">;

/** Client of the chat service. Its errors keep their code and message. */
export function createChatClient(rpc: ChatRpc, options: ChatClientOptions): ChatClient {
  const { listTimeoutMs, callTimeoutMs, resendsLostCalls } = options;
  return {
    async listTools(projectUuid) {
      const { tools } = await rpc.listTools({ projectUuid }, { deadline: listTimeoutMs });
      return tools.map(toBridgeTool);
    },
    async complete({ slug, body, principal, requestId, ipAddress, traceparent, user }, signal) {
      const request = {
        principal: toPrincipalMessage(principal),
        requestId,
        traceparent: traceparent ?? "",
        ipAddress,
        user: user ?? "",
        slug,
        bodyJson: await encodeJson(body),
      };
      // A session may already hold the turn, which a repetition would add twice.
      const isRepeatable = resendsLostCalls && body["session_id"] === undefined;
      try {
        const { content } = await rpc.complete(request, { signal, deadline: callTimeoutMs, isRepeatable });
        return { kind: "answered", text: content };
      } catch (err) {
        const error = toGatewayError(err);
        if (isOutage(error)) throw error;
        return { kind: "refused", error };
      }
    },
  };
}
