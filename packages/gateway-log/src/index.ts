export { type ControlRouteId, controlRouteIds, signInRouteIds } from "./control-routes.ts";
export type { WireEntry } from "./encode-entry.ts";
export { createGatewayLog, type GatewayLogOptions } from "./gateway-log.ts";
export { type GatewayLog, type GatewayLogEntry, type LogDetails, noGatewayLog } from "./gateway-log-entry.ts";
export { callerOf, type LoggedCaller, type RequestOutcome, toRequestEntry } from "./request-entry.ts";
export { openProcessLog, type ProcessLog } from "./process-log.ts";
