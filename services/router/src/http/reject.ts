import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { GatewayError } from "@gatehouse/errors";
import { sendError } from "@gatehouse/http";
import type { ClientOf } from "../domain/client.ts";
import { senderAddressOf } from "./request-state.ts";
import type { RecordUnserved } from "./unauthenticated-record.ts";

interface Rejection {
  readonly error: GatewayError;
  /** Absent where no route matches. */
  readonly routeId?: string;
  readonly headers?: OutgoingHttpHeaders;
}

/** Answers and records a request that does not reach the dispatcher. `X-Request-Id` must be set on the response. */
export type Reject = (req: IncomingMessage, res: ServerResponse, how: Rejection) => void;

/** Returns the `Reject` of this router, whose entries in the gateway log have the duration 0 and the client's address. */
export function createReject(recordUnserved: RecordUnserved, clientOf: ClientOf): Reject {
  return (req, res, { error, routeId = "none", headers }) => {
    refuse(res, error, headers);
    const requestId = String(res.getHeader("x-request-id") ?? "");
    const { ipAddress } = clientOf(senderAddressOf(req));
    recordUnserved({ requestId, routeId, ipAddress, method: req.method, status: res.statusCode, error, durationMs: 0 });
  };
}

/** Sends an error; a 401 names the scheme (RFC 9110, section 11.6.1). */
export function refuse(res: ServerResponse, err: GatewayError, headers: OutgoingHttpHeaders = {}): void {
  sendError(res, err, err.profile.http === 401 ? { "www-authenticate": "Bearer", ...headers } : headers);
}
