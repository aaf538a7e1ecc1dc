import type { GatewayError } from "@gatehouse/errors";
import { type GatewayLog, toRequestEntry } from "@gatehouse/gateway-log";
import type { Principal } from "@gatehouse/principal";
import type { Part } from "@gatehouse/service";
import type { Span } from "@gatehouse/telemetry";
import type { RequestIds } from "../domain/request-id.ts";
import type { UnauthenticatedSample } from "../domain/unauthenticated-sample.ts";

interface UnservedRequest {
  readonly requestId: string;
  /** `none` where no route matches. */
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
 * Writes the gateway log entry of a request that the router answers itself. Services record the requests that they receive, so
 * each request has one entry.
 */
export type RecordUnserved = (request: UnservedRequest) => void;

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
          error,
          ...(method === undefined ? {} : { details: { method } }),
        },
      ),
    );
  };
}

/** Its stop writes the counts of the last minute. */
interface UnauthenticatedRecord extends Part {
  readonly recordUnserved: RecordUnserved;
}

const windowMs = 60_000;
/** Route of an entry that summarises many requests. */
const summaryRoute = "unauthenticated";

/**
 * As `createRecordUnserved`, but bounded for requests without a known caller: the first of each address in a minute get an entry
 * each, the others one summary per address at the end of the minute.
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
      const message = `${requests} further requests without a known credential came from this address within a minute.`;
      const times = { startedAtMs: endedAtMs, endedAtMs };
      const outcome = {
        route: summaryRoute,
        ...times,
        status: 401,
        error: { message },
        details: { requests, address },
      };
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
