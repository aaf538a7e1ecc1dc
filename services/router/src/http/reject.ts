import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { GatewayError } from "@gatehouse/errors";
import { sendError } from "@gatehouse/http";
import type { ClientOf } from "../domain/client.ts";
import { senderAddressOf } from "./request-state.ts";
import type { RecordUnserved } from "./unauthenticated-record.ts";

interface Rejection {
  readonly error: GatewayError;
  /** Absent where no route has the path. */
  readonly routeId?: string;
  readonly headers?: OutgoingHttpHeaders;
}

/** Answers for a request that does not reach the dispatcher, and records it. `X-Request-Id` must be set on the response already. */
export type Reject = (req: IncomingMessage, res: ServerResponse, how: Rejection) => void;

/** Makes the function that answers a request with an error and records it in the gateway log. */
export function createReject(recordUnserved: RecordUnserved, clientOf: ClientOf): Reject {
  return (req, res, { error, routeId = "none", headers }) => {
    refuse(res, error, headers);
    const requestId = String(res.getHeader("x-request-id") ?? "");
    const { ipAddress } = clientOf(senderAddressOf(req));
    recordUnserved({ requestId, routeId, ipAddress, method: req.method, status: res.statusCode, error, durationMs: 0 });
  };
}

/** Answers for a request that goes no further; a 401 names its scheme (RFC 9110, section 11.6.1). */
export function refuse(res: ServerResponse, err: GatewayError, headers: OutgoingHttpHeaders = {}): void {
  sendError(res, err, err.profile.http === 401 ? { "www-authenticate": "Bearer", ...headers } : headers);
}
