import { GuardrailAdminServiceDefinition, GuardrailServiceDefinition } from "@gatehouse/proto/guardrail";
import { bindRpc, type RpcBinding } from "@gatehouse/rpc";
import type { AdminContext } from "./admin-context.ts";
import { handleClearPolicy } from "./clear-policy.ts";
import { handleDeleteEndpoint } from "./delete-endpoint.ts";
import { handleDeleteProject } from "./delete-project.ts";
import { handleGetPolicy } from "./get-policy.ts";
import { handleInspectPiece } from "./inspect-piece.ts";
import { handleInspect, type InspectContext } from "./inspect.ts";
import { handleSetPolicy } from "./set-policy.ts";
import { handleTestPolicy } from "./test-policy.ts";

/** Binds what is asked on every call. */
export function bindGuardrail(context: InspectContext): RpcBinding<typeof GuardrailServiceDefinition> {
  return bindRpc(GuardrailServiceDefinition, {
    inspect: async (request, { signal }) => await handleInspect(context, request, signal),
    inspectPiece: async (request) => await handleInspectPiece(context, request),
  });
}

/** Binds every administrative method to its handler. */
export function bindGuardrailAdmin(context: AdminContext): RpcBinding<typeof GuardrailAdminServiceDefinition> {
  return bindRpc(GuardrailAdminServiceDefinition, {
    setPolicy: async (request, call) => await handleSetPolicy(context, request, call),
    clearPolicy: async (request, call) => await handleClearPolicy(context, request, call),
    getPolicy: async (request) => await handleGetPolicy(context, request),
    testPolicy: async (request) => await handleTestPolicy(context, request),
    deleteEndpoint: async (request) => await handleDeleteEndpoint(context, request),
    deleteProject: async (request) => await handleDeleteProject(context, request),
  });
}
