import { Readable } from "node:stream";
import { token, invalidInFieldValue } from "@gatehouse/http-fields";
import type { Dispatcher } from "undici";

/** A request of undici's form; its header fields are an object. */
export type RequestOptions = Pick<
  Dispatcher.DispatchOptions,
  "path" | "method" | "headers" | "body" | "headersTimeout" | "bodyTimeout" | "reset"
>;

export type RequestBody = string | Uint8Array | Readable | null;

/** The lines of a request before its body, and how the body ends. */
export interface RequestHead {
  /** Latin-1, with the empty line at its end. */
  readonly text: string;
  /** Bytes of the body; undefined for chunks. */
  readonly contentLength: number | undefined;
}

type Fields = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** Bytes beyond ASCII are passed as they are: a proxied request may have them. */
const invalidInPath = /[^\u0021-\u007e\u0080-\u00ff]/;
const length = /^\d{1,15}$/;
/** Fields of the connection and of the body's end, which the client sets. */
const ownFields: ReadonlySet<string> = new Set(["connection", "expect", "keep-alive", "transfer-encoding", "upgrade"]);
/** Methods whose requests have a body by definition: an empty one is announced (RFC 9110, section 8.6). */
export const methodsWithBody: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);

/**
 * Writes the head of a request to a host (name and port).
 * @throws TypeError for a method, path or header that would be another one on the wire, for a header that the client sets, and
 * for a length that is not that of the body
 */
export function writeRequestHead(options: RequestOptions, host: string): RequestHead {
  const { method, path, reset = false } = options;
  if (typeof method !== "string" || !token.test(method)) throw new TypeError("The method of a request is invalid.");
  if (!path.startsWith("/") || invalidInPath.test(path)) throw new TypeError("The path of a request is invalid.");
  let fields = "";
  let hostLine = `host: ${host}\r\n`;
  let announced: number | undefined;
  const headers = fieldsOf(options);
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value === undefined) continue;
    const lower = name.toLowerCase();
    if (ownFields.has(lower)) throw new TypeError(`The header ${name} is set by the client.`);
    if (lower === "content-length") announced = toLength(value);
    else if (lower === "host") hostLine = fieldLine(name, toHost(value));
    else fields += fieldLine(name, value);
  }
  const body = bodyOf(options);
  const contentLength = lengthOf(body, announced);
  const connection = reset ? "connection: close\r\n" : "connection: keep-alive\r\n";
  const framing = framingLine(method, body, contentLength);
  return { text: `${method} ${path} HTTP/1.1\r\n${hostLine}${connection}${fields}${framing}\r\n`, contentLength };
}

/** @throws TypeError for a kind of body that the client does not send */
export function bodyOf({ body = null }: RequestOptions): RequestBody {
  if (body === null || typeof body === "string" || body instanceof Uint8Array || body instanceof Readable) return body;
  throw new TypeError("The body of a request is a text, bytes, a readable stream or null.");
}

/** undici's other forms of headers would be written as names and values that they are not. */
function fieldsOf({ headers }: RequestOptions): Fields {
  if (headers === undefined || headers === null) return {};
  if (typeof headers !== "object" || Symbol.iterator in headers) throw new TypeError("The headers must be an object.");
  return headers;
}

function fieldLine(name: string, value: string | number | readonly string[]): string {
  if (!token.test(name)) throw new TypeError("The name of a header is invalid.");
  if (Array.isArray(value)) return value.map((one) => fieldLine(name, one as string)).join("");
  if (typeof value === "object") throw new TypeError(`The value of the header ${name} is invalid.`);
  const text = String(value);
  if (invalidInFieldValue.test(text)) throw new TypeError(`The value of the header ${name} is invalid.`);
  return `${name}: ${text}\r\n`;
}

/** A request has one host (RFC 9112, section 3.2). */
function toHost(value: Fields[string]): string {
  if (typeof value !== "string") throw new TypeError("The header Host must be one text.");
  return value;
}

function toLength(value: string | number | readonly string[]): number {
  const text = String(value);
  if (!length.test(text)) throw new TypeError("The length of a request's body is invalid.");
  return Number(text);
}

function lengthOf(body: RequestBody, announced: number | undefined): number | undefined {
  if (body instanceof Readable) return announced;
  const bytes = body === null ? 0 : Buffer.byteLength(body);
  if (announced !== undefined && announced !== bytes) {
    throw new TypeError("The length of a request is not that of its body.");
  }
  return bytes;
}

function framingLine(method: string, body: RequestBody, contentLength: number | undefined): string {
  if (contentLength === undefined) return "transfer-encoding: chunked\r\n";
  if (contentLength === 0 && body === null && !methodsWithBody.has(method)) return "";
  return `content-length: ${contentLength}\r\n`;
}
