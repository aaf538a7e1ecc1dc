import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { type GatewayError, toRestErrorBody } from "@gatehouse/errors";

/** A body up to this size is read and dropped after the answer, so that its connection can be kept. */
const droppedBytesMax = 64 * 1024;
/** A client that is still sending when it is refused gets this long to read the answer before the connection ends. */
const lingerMs = 1_000;
const lingerBytesMax = 16 * 1024 * 1024;

/**
 * Answers with an error in the REST form, without reading the request's body. Does nothing when the client is gone or a
 * reply has begun. Where a large body, or one of unknown size, was not read, the connection is closed; first what the
 * client is still sending is read and dropped for a while, because closing on unread bytes would reset the connection and
 * take the answer with it.
 */
export function refuse(res: ServerResponse, err: GatewayError, extra: OutgoingHttpHeaders = {}): void {
  if (res.headersSent || res.destroyed) return;
  const bytes = Buffer.from(JSON.stringify(toRestErrorBody(err)));
  const headers: OutgoingHttpHeaders = {
    ...extra,
    "content-type": "application/json; charset=utf-8",
    "content-length": bytes.length,
  };
  if (err.profile.http === 401) headers["www-authenticate"] = "Bearer";
  if (err.retryAfterSeconds !== undefined) headers["retry-after"] = String(err.retryAfterSeconds);

  if (!leavesLargeBody(res.req)) {
    res.writeHead(err.profile.http, headers).end(bytes);
    return;
  }
  res.writeHead(err.profile.http, { ...headers, connection: "close" }).write(bytes);
  linger(res.req, () => res.end());
}

function leavesLargeBody(req: IncomingMessage): boolean {
  if (req.complete) return false;
  return req.headers["transfer-encoding"] !== undefined || Number(req.headers["content-length"] ?? 0) > droppedBytesMax;
}

function linger(req: IncomingMessage, done: () => void): void {
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined = undefined;
  const onData = (chunk: Buffer) => {
    dropped += chunk.length;
    if (dropped > lingerBytesMax) finish();
  };
  const finish = () => {
    clearTimeout(timer);
    req.off("data", onData).off("end", finish).off("close", finish).pause();
    done();
  };
  timer = setTimeout(finish, lingerMs);
  req.on("error", () => {});
  req.on("data", onData).once("end", finish).once("close", finish);
}
