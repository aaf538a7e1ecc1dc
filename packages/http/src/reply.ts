import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { type GatewayError, toRestErrorBody } from "@gatehouse/errors";

export interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: OutgoingHttpHeaders;
}

/** Sends a JSON reply in one write. Does nothing when the client is gone or a reply has begun. */
export function sendJson(res: ServerResponse, { status, body, headers = {} }: Reply): void {
  if (res.headersSent || res.destroyed) return;
  const bytes = Buffer.from(JSON.stringify(body));
  res.writeHead(status, {
    ...headers,
    "content-type": "application/json; charset=utf-8",
    "content-length": bytes.length,
  });
  res.end(bytes);
}

/**
 * Sends an error in the REST form, with `Retry-After` where the error names a delay. The connection is closed when the
 * request's body was not read to its end, so that the rest of it is not taken for the next request.
 */
export function sendError(res: ServerResponse, err: GatewayError, headers: OutgoingHttpHeaders = {}): void {
  sendJson(res, {
    status: err.profile.http,
    body: toRestErrorBody(err),
    headers: {
      ...headers,
      ...(err.retryAfterSeconds === undefined ? {} : { "retry-after": String(err.retryAfterSeconds) }),
      ...(res.req.complete ? {} : { connection: "close" }),
    },
  });
}
