import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { inCheckPhase } from "@gatehouse/async";
import { type GatewayError, toRestErrorBody } from "@gatehouse/errors";
import { isLarge } from "@gatehouse/pace";
import { discardRest, leavesRest } from "./discard-rest.ts";
import { writeInPieces } from "./write-in-pieces.ts";

/** Reply with a body to encode as JSON; `sendJson` adds content type and length to the headers. */
export interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: OutgoingHttpHeaders;
}

/** A reply that is already JSON text. */
export interface TextReply {
  readonly status: number;
  readonly text: string;
  readonly headers?: OutgoingHttpHeaders;
}

/**
 * Sends a JSON reply in one write, after the reads of this turn of the event loop. Does nothing when the client is gone or a
 * reply has begun. Where much of the request's body was not read, the connection is closed after the client has had time to read
 * the reply.
 */
export function sendJson(res: ServerResponse, { status, body, headers = {} }: Reply): void {
  sendJsonText(res, { status, text: JSON.stringify(body), headers });
}

/** Content type of every JSON reply. */
export const jsonType = "application/json; charset=utf-8";

/** As {@link sendJson}, for a body that is already JSON text. */
export function sendJsonText(res: ServerResponse, { status, text, headers = {} }: TextReply): void {
  if (res.headersSent || res.destroyed) return;
  const closes = leavesRest(res.req);
  const bytes = Buffer.byteLength(text);
  res.writeHead(status, {
    ...headers,
    ...(closes ? { connection: "close" } : {}),
    "content-type": jsonType,
    "content-length": bytes,
  });
  if (closes) {
    res.write(text);
    void discardRest(res.req).then(() => res.end());
  } else if (isLarge(text.length)) {
    void writeInPieces(res, [text]);
  } else {
    inCheckPhase(() => {
      // Node sends a string in one piece with the head. An ASCII text needs no encoder.
      if (!res.destroyed) res.end(text, bytes === text.length ? "latin1" : "utf8");
    });
  }
}

/** A reply whose JSON text is in pieces. */
export interface PartsReply {
  readonly status: number;
  /** JSON text in pieces, in order. */
  readonly parts: readonly (string | Buffer)[];
  readonly headers?: OutgoingHttpHeaders;
}

/** As {@link sendJsonText}, for a large body that is partly encoded already. */
export function sendJsonParts(res: ServerResponse, { status, parts, headers = {} }: PartsReply): void {
  if (res.headersSent || res.destroyed) return;
  const length = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
  const type = { "content-type": jsonType, "content-length": length };
  res.writeHead(status, { ...headers, ...type });
  void writeInPieces(res, parts);
}

/** `Retry-After` of an unavailable or late reply without a delay, seconds. */
const retryAfterSecondsDefault = 1;
const retriedStatuses: ReadonlySet<number> = new Set([503, 504]);

/** Sends an error in the REST form, with `Retry-After` where the error has a delay, and always with a 503 or 504. See {@link sendJson}. */
export function sendError(res: ServerResponse, err: GatewayError, headers: OutgoingHttpHeaders = {}): void {
  const { http: status, retryable } = err.profile;
  const fallback = retryable && retriedStatuses.has(status) ? retryAfterSecondsDefault : undefined;
  const seconds = err.retryAfterSeconds ?? fallback;
  const retryAfter = seconds === undefined ? {} : { "retry-after": String(seconds) };
  sendJson(res, { status, body: toRestErrorBody(err), headers: { ...headers, ...retryAfter } });
}
