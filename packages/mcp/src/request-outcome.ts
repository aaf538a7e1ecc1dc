import { toGatewayError } from "@gatehouse/errors";
import { callerOf, type GatewayLog, type LogDetails, type LoggedError } from "@gatehouse/gateway-log";
import {
  excerpt,
  isJsonObject,
  isJsonRpcError,
  type JsonRpcDispatcher,
  type JsonRpcError,
  type JsonRpcParams,
} from "@gatehouse/json-rpc";
import type { McpCaller } from "./project-mcp-handler.ts";

/** Outcome of one JSON-RPC request, or of a body that was not parsed, for the gateway log. */
export interface RequestOutcome {
  /** Absent where the request was not parsed. */
  readonly method?: string;
  /** Status of the HTTP reply; 200 when absent. */
  readonly status?: number;
  /** Name sent by the caller; absent for methods without a tool. */
  readonly tool?: string;
  /** Without an upstream's text. */
  readonly error?: LoggedError;
  /** Milliseconds since 1970. */
  readonly startedAtMs: number;
}

/** Receives the outcome of each request once; must not throw. */
export type RecordOutcome<Caller extends McpCaller = McpCaller> = (outcome: RequestOutcome, caller: Caller) => void;

/** Longest caller's name in an entry. */
const namedLengthMax = 100;

/**
 * Writes an entry of the gateway log for each outcome, once the reply with it is sent. A reply that closed early delivered none of
 * its outcomes: their entries have the error that was sent instead.
 * @param route id in the router's table
 */
export function createRecordOutcome(gatewayLog: GatewayLog, route: string, wallNow: () => number): RecordOutcome {
  return (outcome, { principal, requestId, traceId, user, reply }) => {
    const { method, tool, startedAtMs } = outcome;
    const durationMs = wallNow() - startedAtMs;
    reply.whenSettled((end) => {
      const { status = 200, error } =
        end === undefined ? outcome : { status: end.profile.http, error: toLoggedError(end) };
      gatewayLog.append({
        ...callerOf(principal),
        atMs: startedAtMs,
        requestId,
        traceId,
        user,
        route,
        status,
        error: error?.message,
        errorCode: error?.code,
        durationMs,
        details: { ...named("method", method), ...named("tool", tool), ...named("code", error?.code) },
      });
    });
  };
}

function named(field: string, value: string | undefined): LogDetails {
  return value === undefined ? {} : { [field]: excerpt(value, namedLengthMax) };
}

/**
 * Records the outcome of each dispatched request.
 * @param wallNow milliseconds since 1970
 * @param isRecordedElsewhere whether another service has recorded the request of this caller, asked after the request
 */
export function recordRequests<Caller extends McpCaller>(
  dispatch: JsonRpcDispatcher<Caller>,
  record: RecordOutcome<Caller>,
  wallNow: () => number,
  isRecordedElsewhere: (caller: Caller) => boolean = () => false,
): JsonRpcDispatcher<Caller> {
  return async (method, params, caller) => {
    const tool = method === "tools/call" ? nameOfTool(params) : undefined;
    const outcome = { method, ...(tool === undefined ? {} : { tool }), startedAtMs: wallNow() };
    try {
      const result = await dispatch(method, params, caller);
      if (!isRecordedElsewhere(caller)) record(outcome, caller);
      return result;
    } catch (err) {
      if (!isRecordedElsewhere(caller)) record({ ...outcome, error: toLoggedError(err) }, caller);
      throw err;
    }
  };
}

/** Tool name in the params of a call; undefined where there is none. */
export function nameOfTool(params: JsonRpcParams): string | undefined {
  const name = isJsonObject(params) ? params["name"] : undefined;
  return typeof name === "string" ? name : undefined;
}

/** Failure of a body or an envelope that is not a request, for the log. */
export function toLoggedRefusal({ loggedMessage: message }: JsonRpcError): LoggedError {
  return { code: "malformed_body", message };
}

/** Failure for the log. */
function toLoggedError(err: unknown): LoggedError {
  if (isJsonRpcError(err)) return { message: err.loggedMessage };
  const { code, loggedMessage } = toGatewayError(err);
  return { code, message: loggedMessage };
}
