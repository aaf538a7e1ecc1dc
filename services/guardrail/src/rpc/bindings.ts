import { GuardrailServiceDefinition } from "@gatehouse/proto/guardrail";
import { bindRpc, type RpcBinding } from "@gatehouse/rpc";
import { handleInspectPiece } from "./inspect-piece.ts";
import { handleInspect, type InspectContext } from "./inspect.ts";

/** Binds the questions of every call. */
export function bindGuardrail(context: InspectContext): RpcBinding<typeof GuardrailServiceDefinition> {
  return bindRpc(GuardrailServiceDefinition, {
    inspect: async (request, { signal }) => await handleInspect(context, request, signal),
    inspectPiece: async (request) => await handleInspectPiece(context, request),
  });
}
