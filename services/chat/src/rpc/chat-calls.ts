import { createPrincipalReader } from "@gatehouse/principal";
import { ChatServiceDefinition } from "@gatehouse/proto/chat-calls";
import { bindRpc, type RpcBinding } from "@gatehouse/rpc";
import { type CompleteOptions, handleComplete } from "./complete.ts";
import { handleListTools, type ListExposedEndpoints } from "./list-tools.ts";

interface ChatCallsOptions extends Omit<CompleteOptions, "readPrincipal"> {
  readonly listExposedEndpoints: ListExposedEndpoints;
}

/** Chat's methods for other services on the way of a request: calls and their list. */
export function bindChatCalls(options: ChatCallsOptions): readonly RpcBinding[] {
  const { listExposedEndpoints } = options;
  const known = { ...options, readPrincipal: createPrincipalReader() };
  return [
    bindRpc(ChatServiceDefinition, {
      complete: async (request, context) => await handleComplete(known, request, context),
      listTools: async (request) => await handleListTools(listExposedEndpoints, request),
    }),
  ];
}
