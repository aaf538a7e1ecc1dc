import { toGatewayError } from "@gatehouse/errors";
import { type GatewayLog, type LoggedError, toRequestEntry } from "@gatehouse/gateway-log";
import { excerpt, isJsonRpcError, type JsonRpcDispatcher, type JsonRpcError } from "@gatehouse/json-rpc";
import { nameOfTool, toLoggedRefusal } from "@gatehouse/mcp";
import type { RequestContext } from "@gatehouse/principal";

/** Route id in the router's table. */
const route = "control_mcp";
const namedLengthMax = 100;

/** The calls of one request until it is answered, without their arguments. */
interface RequestRecord {
  /** Records the called operations, and the first error. */
  watch(dispatch: JsonRpcDispatcher<RequestContext>): JsonRpcDispatcher<RequestContext>;
  /** Records a body or an envelope that is not a request. */
  readonly refuse: (err: JsonRpcError) => void;
  /** Writes the entry. @param error of a request that failed as a whole */
  end(status: number, error?: LoggedError): void;
}

/** Writes one entry of the gateway log for each request to the Control Plane. */
export function openRequestRecord(gatewayLog: GatewayLog, context: RequestContext): RequestRecord {
  const startedAtMs = Date.now();
  const called: { method?: string; operation?: string } = {};
  let calls = 0;
  let firstError: LoggedError | undefined;
  return {
    watch: (dispatch) => async (method, params, request) => {
      calls += 1;
      called.method ??= excerpt(method, namedLengthMax);
      const operation = method === "tools/call" ? nameOfTool(params) : undefined;
      if (operation !== undefined) called.operation ??= excerpt(operation, namedLengthMax);
      try {
        return await dispatch(method, params, request);
      } catch (err) {
        firstError ??= isJsonRpcError(err) ? { message: err.message } : toGatewayError(err);
        throw err;
      }
    },
    refuse: (err) => void (firstError ??= toLoggedRefusal(err)),
    end(status, error = firstError) {
      const details = { ...called, ...(calls > 1 ? { calls } : {}) };
      gatewayLog.append(toRequestEntry(context, { route, startedAtMs, endedAtMs: Date.now(), status, error, details }));
    },
  };
}
