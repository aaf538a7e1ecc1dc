export { type ControlRouteId, controlRouteIds, signInRouteIds } from "./control-routes.ts";
export { createGatewayLog, type GatewayLogOptions } from "./gateway-log.ts";
export { type GatewayLog, type GatewayLogEntry, type LogDetails, noGatewayLog } from "./gateway-log-entry.ts";
export type { LogColumn, LogColumnType, LogValues } from "./log-column.ts";
export {
  type LogColumnName,
  logColumnList,
  type LogColumns,
  type LogField,
  type LogMembers,
  type NamedLogColumn,
  type OptionalLogField,
} from "./log-columns.ts";
export { callerOf, type LoggedCaller, type LoggedError, type RequestOutcome, toRequestEntry } from "./request-entry.ts";
export { membersOf } from "./sealed-batch.ts";
export { openProcessLog, type ProcessLog } from "./process-log.ts";
