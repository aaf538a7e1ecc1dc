import { GuardrailServiceDefinition } from "@gatehouse/proto/guardrail";
import { bindRpc, type RpcBinding } from "@gatehouse/rpc";
import type { Consult } from "../app/consult.ts";
import { handleConsult } from "./consult.ts";
import { handleInspectPiece } from "./inspect-piece.ts";
import { handleInspect, type InspectContext } from "./inspect.ts";

/** Binds the questions of every call. */
export function bindGuardrail(
  context: InspectContext & { readonly consult: Consult },
): RpcBinding<typeof GuardrailServiceDefinition> {
  return bindRpc(GuardrailServiceDefinition, {
    inspect: async (request, call) => await handleInspect(context, request, call),
    consult: async (request, { signal }) => await handleConsult(context, request, signal),
    inspectPiece: async (request) => await handleInspectPiece(context, request),
  });
}
