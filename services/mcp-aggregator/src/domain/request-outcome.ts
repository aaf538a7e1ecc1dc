import { toGatewayError } from "@gatehouse/errors";
import { isJsonObject, isJsonRpcError, type JsonRpcDispatcher, type JsonRpcParams } from "@gatehouse/json-rpc";
import type { McpRequest } from "./gateway.ts";

/** How a request of an envelope ended. */
export interface RequestOutcome {
  /** Absent where the request was not read so far. */
  readonly method?: string;
  /** Of the HTTP reply; 200 when absent. */
  readonly status?: number;
  /** Named by the caller, with the prefix; absent for methods that have none. */
  readonly tool?: string;
  /** The message that the caller was sent, without words of an upstream. */
  readonly error?: string;
  /** Milliseconds since 1970. */
  readonly startedAtMs: number;
}

export type RecordOutcome = (outcome: RequestOutcome, request: McpRequest) => void;

/** @param now Milliseconds since 1970. */
export function recordRequests(
  dispatch: JsonRpcDispatcher<McpRequest>,
  record: RecordOutcome,
  now: () => number,
): JsonRpcDispatcher<McpRequest> {
  return async (method, params, request) => {
    const outcome = { method, ...toolOf(method, params), startedAtMs: now() };
    try {
      const result = await dispatch(method, params, request);
      record(outcome, request);
      return result;
    } catch (err) {
      record({ ...outcome, error: messageOf(err) }, request);
      throw err;
    }
  };
}

function toolOf(method: string, params: JsonRpcParams): { readonly tool?: string } {
  const name = method === "tools/call" && isJsonObject(params) ? params.name : undefined;
  return typeof name === "string" ? { tool: name } : {};
}

function messageOf(err: unknown): string {
  return isJsonRpcError(err) ? err.loggedMessage : toGatewayError(err).loggedMessage;
}
