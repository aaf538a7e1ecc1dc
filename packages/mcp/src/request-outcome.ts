import { toGatewayError } from "@gatehouse/errors";
import { callerOf, type GatewayLog, type LogDetails } from "@gatehouse/gateway-log";
import { excerpt, isJsonObject, isJsonRpcError, type JsonRpcDispatcher, type JsonRpcParams } from "@gatehouse/json-rpc";
import type { McpCaller } from "./project-mcp-handler.ts";

/** Outcome of a request of an envelope. */
export interface RequestOutcome {
  /** Absent where the request was not read so far. */
  readonly method?: string;
  /** Status of the HTTP reply; 200 when absent. */
  readonly status?: number;
  /** Named by the caller; absent for methods that have none. */
  readonly tool?: string;
  /** The message that the caller was sent, without words of an upstream. */
  readonly error?: string;
  /** Milliseconds since 1970. */
  readonly startedAtMs: number;
}

/** Takes the outcome of one request once, when it is known; must not throw. */
export type RecordOutcome<Caller extends McpCaller = McpCaller> = (outcome: RequestOutcome, caller: Caller) => void;

/** Length of a caller's words in an entry. */
const namedLengthMax = 100;

/** Writes an entry of the gateway log for each outcome. @param route the route's id in the router's table. */
export function createRecordOutcome(gatewayLog: GatewayLog, route: string, wallNow: () => number): RecordOutcome {
  return ({ method, tool, status = 200, error, startedAtMs }, { principal, requestId, traceId, user }) => {
    gatewayLog.append({
      ...callerOf(principal),
      atMs: startedAtMs,
      requestId,
      traceId,
      user,
      route,
      status,
      error,
      durationMs: wallNow() - startedAtMs,
      details: { ...named("method", method), ...named("tool", tool) },
    });
  };
}

function named(field: string, value: string | undefined): LogDetails {
  return value === undefined ? {} : { [field]: excerpt(value, namedLengthMax) };
}

/**
 * Records the outcome of each request that is dispatched.
 * @param wallNow milliseconds since 1970
 * @param isRecorded whether requests of a method are recorded here; all of them when absent
 */
export function recordRequests<Caller extends McpCaller>(
  dispatch: JsonRpcDispatcher<Caller>,
  record: RecordOutcome<Caller>,
  wallNow: () => number,
  isRecorded: (method: string) => boolean = () => true,
): JsonRpcDispatcher<Caller> {
  return async (method, params, caller) => {
    if (!isRecorded(method)) return await dispatch(method, params, caller);
    const tool = method === "tools/call" ? nameOfTool(params) : undefined;
    const outcome = { method, ...(tool === undefined ? {} : { tool }), startedAtMs: wallNow() };
    try {
      const result = await dispatch(method, params, caller);
      record(outcome, caller);
      return result;
    } catch (err) {
      record({ ...outcome, error: messageOf(err) }, caller);
      throw err;
    }
  };
}

/** The name in the params of a tool call; undefined where there is none. */
export function nameOfTool(params: JsonRpcParams): string | undefined {
  const name = isJsonObject(params) ? params["name"] : undefined;
  return typeof name === "string" ? name : undefined;
}

/** The message of a failure as it is logged. */
export function messageOf(err: unknown): string {
  return isJsonRpcError(err) ? err.loggedMessage : toGatewayError(err).loggedMessage;
}
