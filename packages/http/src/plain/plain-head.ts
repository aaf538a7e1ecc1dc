import type { IncomingHttpHeaders } from "node:http";
import { token, invalidInFieldValue, trimFieldValue } from "@gatehouse/http-fields";

/** A request that all readers of HTTP understand alike: POST, one length, no other framing. */
export interface PlainHead {
  readonly url: string;
  readonly rawHeaders: string[];
  /** As Node makes them of `rawHeaders`. */
  readonly headers: IncomingHttpHeaders;
  readonly bodyBytes: number;
}

/** Headers of a plain request; more are for Node. */
const headersMax = 64;
const headEnd = Buffer.from("\r\n\r\n");
const requestLine = /^POST (\/[\w\-.~%!$&'()*+,;=:@/?]*) HTTP\/1\.1$/;
/** No leading zero, and no more digits than any length that is plain. */
const length = /^[1-9]\d{0,5}$/;
/** Say how the request ends, ask for another protocol or an interim reply, or are a list in Node's `headers`. */
const notPlain: ReadonlySet<string> = new Set([
  "connection",
  "expect",
  "proxy-connection",
  "set-cookie",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Where the body begins; undefined where the head is not whole within these bytes. */
export function endOfHead(bytes: Buffer): number | undefined {
  const at = bytes.indexOf(headEnd);
  return at === -1 ? undefined : at + headEnd.length;
}

/**
 * Recognises the head of a plain request. Everything unusual is left to Node, whose parser decides about it, also about what is
 * refused: this only has to agree with Node about the requests that it takes.
 * @param text Latin-1, with the line end of the last header, without the empty line
 */
export function parsePlainHead(text: string): PlainHead | undefined {
  const lineEnd = text.indexOf("\r\n");
  const [, url] = requestLine.exec(text.slice(0, lineEnd)) ?? [];
  if (url === undefined) return undefined;
  const rawHeaders: string[] = [];
  const headers: Record<string, string> = {};
  for (let at = lineEnd + 2; at < text.length;) {
    const end = text.indexOf("\r\n", at);
    const colon = text.indexOf(":", at);
    if (end === -1 || colon === -1 || colon > end) return undefined;
    const name = text.slice(at, colon);
    const value = trimFieldValue(text, colon + 1, end);
    const key = name.toLowerCase();
    // A name that every object has is taken for a repeated one.
    if (!token.test(name) || invalidInFieldValue.test(value) || key in headers) return undefined;
    if (notPlain.has(key) && !(key === "connection" && value.toLowerCase() === "keep-alive")) return undefined;
    headers[key] = value;
    rawHeaders.push(name, value);
    at = end + 2;
  }
  const { host, "content-length": announced } = headers;
  if (host === undefined || announced === undefined || !length.test(announced)) return undefined;
  if (rawHeaders.length > 2 * headersMax) return undefined;
  return { url, rawHeaders, headers, bodyBytes: Number(announced) };
}
