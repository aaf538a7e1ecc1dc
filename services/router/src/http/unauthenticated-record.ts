import type { GatewayError } from "@gatehouse/errors";
import { type GatewayLog, toRequestEntry } from "@gatehouse/gateway-log";
import type { Principal } from "@gatehouse/principal";
import type { Part } from "@gatehouse/service";
import type { Span } from "@gatehouse/telemetry";
import type { RequestIds } from "../domain/request-id.ts";
import type { UnauthenticatedSample } from "../domain/unauthenticated-sample.ts";

/** A request that no service has answered. */
interface UnservedRequest {
  readonly requestId: string;
  /** `none` where no route has the path. */
  readonly routeId: string;
  readonly method: string | undefined;
  readonly ipAddress: string;
  readonly status: number;
  readonly error: GatewayError | undefined;
  readonly durationMs: number;
  readonly principal?: Principal | undefined;
  readonly span?: Span | undefined;
  readonly user?: string | undefined;
}

/**
 * Writes an entry of the gateway log for a request that the router has answered itself. Whatever it has handed to a
 * service is recorded there, with what only the service knows; so each request has one entry.
 */
export type RecordUnserved = (request: UnservedRequest) => void;

/** Makes the function that records requests that no route has served. */
function createRecordUnserved(gatewayLog: GatewayLog): RecordUnserved {
  return ({ requestId, routeId, method, status, error, durationMs, principal, span, user }) => {
    const endedAtMs = Date.now();
    gatewayLog.append(
      toRequestEntry(
        { requestId, principal, span, user },
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

/** Records as a part of the router: its stop writes what the last minute has not recorded. */
interface UnauthenticatedRecord extends Part {
  readonly recordUnserved: RecordUnserved;
}

const windowMs = 60_000;
/** Route of an entry that stands for many requests. */
const summaryRoute = "unauthenticated";

/**
 * As `createRecordUnserved`, with bounds on what requests without a known caller can write: the first of each address in a
 * minute have an entry each, the others are counted in one entry for the address when the minute is over.
 */
export function createUnauthenticatedRecord(
  gatewayLog: GatewayLog,
  sample: UnauthenticatedSample,
  requestIdFor: RequestIds,
): UnauthenticatedRecord {
  const record = createRecordUnserved(gatewayLog);
  let timer: NodeJS.Timeout | undefined;
  const summarise = () => {
    const endedAtMs = Date.now();
    for (const { address = "others", requests } of sample.drain()) {
      const error = `${requests} further requests without a known credential came from this address within a minute.`;
      const times = { startedAtMs: endedAtMs, endedAtMs };
      const outcome = { route: summaryRoute, ...times, status: 401, error, details: { requests, address } };
      gatewayLog.append(toRequestEntry({ requestId: requestIdFor(undefined) }, outcome));
    }
  };
  return {
    name: "record of unauthenticated requests",
    recordUnserved: (request) => {
      if (request.principal !== undefined || sample.record(request.ipAddress)) record(request);
    },
    start() {
      timer = setInterval(summarise, windowMs);
      timer.unref();
    },
    stop() {
      clearInterval(timer);
      summarise();
    },
  };
}
