import { GuardrailServiceDefinition, type InspectRequest } from "@gatehouse/proto/guardrail";
import { bindRpc, type RpcBinding } from "@gatehouse/rpc";
import type { Consult } from "../app/consult.ts";
import { handleConsult } from "./consult.ts";
import { handleInspectPiece } from "./inspect-piece.ts";
import { type AskedCall, handleInspect, type InspectContext } from "./inspect.ts";

/** Binds the questions of every call. */
export function bindGuardrail(
  context: InspectContext & { readonly consult: Consult },
): RpcBinding<typeof GuardrailServiceDefinition> {
  const direct = {
    inspect: (request: InspectRequest, call: AskedCall) => handleInspect(context, request, call),
  };
  return bindRpc(
    GuardrailServiceDefinition,
    {
      inspect: async (request, call) => await handleInspect(context, request, call),
      consult: async (request, { signal }) => await handleConsult(context, request, signal),
      inspectPiece: async (request) => await handleInspectPiece(context, request),
    },
    direct,
  );
}
