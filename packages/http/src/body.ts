import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { guarded } from "@gatehouse/async";
import { bodyTooLarge, clientGone, GatewayError } from "@gatehouse/errors";
import { JsonRefusal, parseJson, parseJsonInSlices, type ParseJsonOptions, type WrittenStrings } from "@gatehouse/json";
import { isLarge, nextTurn, Pace } from "@gatehouse/pace";
import { WholeRequest } from "./whole-request.ts";

/** Bounds of reading one request body; beyond them the request gets 413 or 408. */
export interface BodyBounds {
  readonly sizeBytesMax: number;
  /** Time from now until the last byte. */
  readonly timeoutMs: number;
}

/**
 * Reads a request's whole body.
 * @throws GatewayError `body_too_large` (413), `request_timeout` (408), or `cancelled` when the client went away.
 */
export function readBody(req: IncomingMessage, { sizeBytesMax, timeoutMs }: BodyBounds): Promise<Buffer> {
  const tooLarge = () => bodyTooLarge(sizeBytesMax, "BODY_SIZE_BYTES_MAX");
  if (Number(req.headers["content-length"] ?? 0) > sizeBytesMax) return Promise.reject(tooLarge());
  const held = req instanceof WholeRequest ? req.takeBody() : undefined;
  if (held !== undefined) return held.length > sizeBytesMax ? Promise.reject(tooLarge()) : Promise.resolve(held);
  // A destroyed request emits no further events; waiting for them would never end.
  if (req.destroyed && !req.complete) return Promise.reject(clientGone());

  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    // A listener left attached would retain the body until its request is answered.
    const detach = () => {
      clearTimeout(timer);
      req.off("data", onData).off("end", onEnd).off("error", onGone).off("close", onGone);
    };
    const fail = (err: unknown) => {
      detach();
      reject(err);
    };
    const onData = guarded((chunk: Buffer) => {
      size += chunk.length;
      if (size > sizeBytesMax) fail(tooLarge());
      else chunks.push(chunk);
    }, fail);
    const onEnd = guarded(() => {
      detach();
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    }, fail);
    const onGone = (cause?: unknown) => fail(clientGone(cause));
    const onLate = () =>
      fail(new GatewayError("request_timeout", `Request body did not arrive within ${timeoutMs} ms.`));
    const timer = setTimeout(onLate, timeoutMs);
    req.on("data", onData).on("end", onEnd).on("error", onGone).on("close", onGone);
  });
}

/** The value of a body: without a promise, or, for a large body, parsed in slices of the event loop's time. */
export type JsonBody = { readonly value: unknown } | Promise<{ readonly value: unknown }>;

/** Options of parsing a body. */
export interface ParseBodyOptions extends ParseJsonOptions {
  /** Takes the long strings of a large body of bytes. */
  readonly written?: WrittenStrings | undefined;
}

/**
 * Parses a body as JSON text (UTF-8 where it is bytes), within the bounds of `@gatehouse/json`; a large one in slices, and then
 * errors reject.
 * @throws GatewayError `malformed_body` (400) with the problem, quoting at most an ambiguous key of the body; its cause is the
 * `JsonRefusal`.
 */
export function parseJsonBody(body: Buffer | string, options: ParseBodyOptions = {}): JsonBody {
  if (isLarge(body.length)) return parseLargeBody(body, options);
  const text = textOf(body);
  try {
    return { value: parseJson(text, options) };
  } catch (err) {
    throw toMalformedBody(err);
  }
}

/** No text is made of bytes, which takes longer than parsing them. */
async function parseLargeBody(body: Buffer | string, options: ParseBodyOptions): Promise<{ readonly value: unknown }> {
  await nextTurn();
  const pace = new Pace();
  const json = typeof body === "string" ? body : withoutByteOrderMark(checkedUtf8(body));
  await pace.rest();
  try {
    return { value: await parseJsonInSlices(json, options, pace) };
  } catch (err) {
    throw toMalformedBody(err);
  }
}

function toMalformedBody(err: unknown): unknown {
  if (!(err instanceof JsonRefusal)) return err;
  const loggedMessage = `Request body ${err.loggedMessage}`;
  return new GatewayError("malformed_body", `Request body ${err.message}`, { cause: err, loggedMessage });
}

function textOf(body: Buffer | string): string {
  if (body.length === 0) throw new GatewayError("malformed_body", "Request body is empty; send a JSON object.");
  return typeof body === "string" ? body : withoutByteOrderMark(checkedUtf8(body)).toString("utf8");
}

function checkedUtf8(body: Buffer): Buffer {
  if (!isUtf8(body)) throw new GatewayError("malformed_body", "Request body is not valid UTF-8.");
  return body;
}

function withoutByteOrderMark(body: Buffer): Buffer {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body;
}
