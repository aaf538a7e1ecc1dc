import { callerOf, type GatewayLog, type LogDetails } from "@gatehouse/gateway-log";
import { excerpt } from "@gatehouse/json-rpc";
import type { RecordOutcome } from "./domain/request-outcome.ts";

/** The route's id in the router's table. */
const route = "mcp_bridge";
const namedLengthMax = 100;

/** Writes the gateway log: an entry for each request of an envelope that chat does not record. */
export function createGatewayRecord(gatewayLog: GatewayLog, now: () => number): RecordOutcome {
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
      durationMs: now() - startedAtMs,
      details: {
        ...named("method", method),
        ...named("tool", tool),
      },
    });
  };
}

function named(field: string, value: string | undefined): LogDetails {
  return value === undefined ? {} : { [field]: excerpt(value, namedLengthMax) };
}
