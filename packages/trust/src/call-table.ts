import type { ServiceName } from "./service-names.ts";

/** Permitted callers of each gRPC service, by its full name. An unlisted service has none. */
const callers: Readonly<Record<string, readonly ServiceName[]>> = {
  "gatehouse.admin.v1.AdminService": ["control-plane"],
  "gatehouse.chat.v1.AllowanceService": ["mcp-bridge", "mcp-aggregator", "api-proxy"],
  "gatehouse.chat.v1.ChatService": ["mcp-bridge"],
  "gatehouse.control_plane.v1.PrincipalService": ["router"],
  "gatehouse.service.v1.StateService": ["control-plane"],
  "gatehouse.guardrail.v1.GuardrailService": ["chat", "mcp-aggregator", "api-proxy"],
};

/** Whether a service may call a gRPC service, such as `gatehouse.admin.v1.AdminService`. */
export function isAllowedCaller(caller: ServiceName, rpcService: string): boolean {
  return Object.hasOwn(callers, rpcService) && (callers[rpcService] ?? []).includes(caller);
}

/** Permitted HTTP callers with a principal: only the router signs principals. */
const httpCallers: readonly ServiceName[] = ["router"];

/** Whether a service may call others over HTTP, apart from health checks. */
export function isAllowedHttpCaller(caller: ServiceName): boolean {
  return httpCallers.includes(caller);
}

/** gRPC services in the table, for the test that every contract has a row. */
export const listedRpcServices: readonly string[] = Object.keys(callers);
