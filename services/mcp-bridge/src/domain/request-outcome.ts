import { toGatewayError } from "@gatehouse/errors";
import { isJsonRpcError, type JsonRpcDispatcher } from "@gatehouse/json-rpc";
import type { BridgeContext } from "./bridge-server.ts";

/** How a request ended that chat never heard of; chat records the calls that it runs. */
export interface RequestOutcome {
  /** Absent where the request was not read so far. */
  readonly method?: string;
  /** Of the HTTP reply; 200 when absent. */
  readonly status?: number;
  /** Named by the caller; absent for methods that have none. */
  readonly tool?: string;
  /** The message that the caller was sent. */
  readonly error?: string;
  readonly startedAtMs: number;
}

export type RecordOutcome = (outcome: RequestOutcome, context: BridgeContext) => void;

/** Records every request but tool calls, of which the server knows whether they have reached chat. */
export function recordRequests(
  dispatch: JsonRpcDispatcher<BridgeContext>,
  record: RecordOutcome,
  now: () => number,
): JsonRpcDispatcher<BridgeContext> {
  return async (method, params, context) => {
    if (method === "tools/call") return await dispatch(method, params, context);
    const startedAtMs = now();
    try {
      const result = await dispatch(method, params, context);
      record({ method, startedAtMs }, context);
      return result;
    } catch (err) {
      record({ method, startedAtMs, error: messageOf(err) }, context);
      throw err;
    }
  };
}

/** What the caller of a failed request reads. */
export function messageOf(err: unknown): string {
  return isJsonRpcError(err) ? err.message : toGatewayError(err).message;
}
