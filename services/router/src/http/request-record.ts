import type { GatewayError } from "@gatehouse/errors";
import { type GatewayLog, toRequestEntry } from "@gatehouse/gateway-log";
import type { Principal } from "@gatehouse/principal";
import type { Hop } from "@gatehouse/telemetry";

/** A request that no service has answered. */
export interface UnservedRequest {
  readonly requestId: string;
  /** `none` where no route has the path. */
  readonly routeId: string;
  readonly method: string | undefined;
  readonly status: number;
  readonly error: GatewayError | undefined;
  readonly durationMs: number;
  readonly principal?: Principal | undefined;
  readonly hop?: Hop | undefined;
}

/**
 * Writes an entry of the gateway log for a request that the router has answered itself. Whatever it has handed to a
 * service is recorded there, with what only the service knows; so each request has one entry.
 */
export type RecordUnserved = (request: UnservedRequest) => void;

export function createRecordUnserved(gatewayLog: GatewayLog): RecordUnserved {
  return ({ requestId, routeId, method, status, error, durationMs, principal, hop }) => {
    const endedAtMs = Date.now();
    gatewayLog.append(
      toRequestEntry(
        { requestId, principal, hop },
        {
          route: routeId,
          startedAtMs: endedAtMs - durationMs,
          endedAtMs,
          status,
          error: error?.message,
          ...(method === undefined ? {} : { details: { method } }),
        },
      ),
    );
  };
}
