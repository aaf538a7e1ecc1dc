import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { clientGone, GatewayError, toRestErrorBody } from "@gatehouse/errors";
import { jsonType } from "./reply.ts";
import { chunkBytesMin, tinyChunksMax } from "./tiny-chunks.ts";

/** Longest time for a refused client to read the answer and close. */
const refusedConnectionLingerMs = 1_000;

const clientErrorReplies: Readonly<Record<string, readonly [status: string, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "The request did not arrive in time."],
  TINY_CHUNKS: [
    "400 Bad Request",
    `Request body comes in more than ${tinyChunksMax} chunks of less than ${chunkBytesMin} bytes on average; send larger chunks, or a Content-Length.`,
  ],
  SEVERAL_HOSTS: ["400 Bad Request", "The request has more than one Host header; send one."],
  NO_HOST: ["400 Bad Request", "The request has no Host header; send one."],
  ILL_TARGET: [
    "400 Bad Request",
    "The request's target is malformed; send a path, or an http or https URL without a user and a fragment.",
  ],
  OTHER_CODING: [
    "501 Not Implemented",
    "The only supported Transfer-Encoding is 'chunked'; declare a compressed body by Content-Encoding.",
  ],
  UNKNOWN_EXPECTATION: [
    "417 Expectation Failed",
    "The only supported expectation is 'Expect: 100-continue'; leave out any other.",
  ],
  CONNECT: ["405 Method Not Allowed", "Method 'CONNECT' is not allowed: the gateway is not a forward proxy."],
};

/** Sent with the answer to a client's error. */
export interface ClientErrorContext {
  readonly headers: Readonly<Record<string, string>>;
  /** Bound of a request's head. */
  readonly headerBytesMax: number;
}

/** Answers a head that is malformed, oversized or too slow, for which there is no request. */
export function answerClientError(
  err: NodeJS.ErrnoException,
  socket: Socket,
  { headers, headerBytesMax }: ClientErrorContext,
): void {
  const [status, message] = replyTo(err.code ?? "", headerBytesMax);
  answerRaw(socket, status, { ok: false, error: message }, headers);
}

/** Code of Node's error for a client that closes its side inside a request. */
export const leftInside = "HPE_INVALID_EOF_STATE";

/** The answer to a client's error in its body, as an error for the handler that reads the body. */
export function bodyErrorOf({ code = "" }: NodeJS.ErrnoException): GatewayError {
  if (code === leftInside) return clientGone();
  const [status, message] = replyTo(code, 0);
  return new GatewayError(status.startsWith("408") ? "request_timeout" : "malformed_body", message);
}

function replyTo(code: string, headerBytesMax: number): readonly [status: string, message: string] {
  if (code === "HPE_HEADER_OVERFLOW") {
    const message = `The request's headers are larger than ${headerBytesMax} bytes; send smaller ones.`;
    return ["431 Request Header Fields Too Large", message];
  }
  return clientErrorReplies[code] ?? ["400 Bad Request", "The request is malformed."];
}

/** Answers a connection that is refused before any request. */
export function refuseConnection(socket: Socket, err: GatewayError, extra: Readonly<Record<string, string>>): void {
  // Without a listener, an error of a closing connection would end the process.
  socket.on("error", () => socket.destroy());
  const { retryAfterSeconds } = err;
  const retry = retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
  const status = `${err.profile.http} ${STATUS_CODES[err.profile.http] ?? ""}`;
  answerRaw(socket, status, toRestErrorBody(err), { ...extra, ...retry });
}

/** Writes a whole reply to a connection without a response object, and closes it. */
function answerRaw(socket: Socket, status: string, content: object, extra: Readonly<Record<string, string>>): void {
  const body = JSON.stringify(content);
  const headers = {
    ...extra,
    "content-type": jsonType,
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  // Otherwise a client that keeps its side open would hold the connection.
  const force = setTimeout(() => socket.destroy(), refusedConnectionLingerMs);
  socket.once("close", () => clearTimeout(force));
  socket.end(`HTTP/1.1 ${status}\r\n${head.join("")}\r\n${body}`);
}
