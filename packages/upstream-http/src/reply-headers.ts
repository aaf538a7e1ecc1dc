import type { IncomingHttpHeaders } from "node:http";

/** Headers of a reply by their lowercase names, one text each, however often an upstream has sent one. */
export type ReplyHeaders = Readonly<Record<string, string | undefined>>;

/**
 * Headers that have one value by their definition, of which the first counts, as with node:http: joined, two of them are neither. All others
 * are lists, or unknown, and are joined with commas (RFC 9110, section 5.3).
 */
const singleHeaders: ReadonlySet<string> = new Set([
  "age",
  "content-length",
  "content-location",
  "content-type",
  "date",
  "etag",
  "expires",
  "last-modified",
  "location",
  "mcp-protocol-version",
  "mcp-session-id",
  "retry-after",
  "server",
]);

/** Between the values of Set-Cookie, which may have commas themselves (RFC 9110, 5.3): no value of a header has a line end. */
export const cookieSeparator = "\n";

/** undici lists the values of a header that came several times, which Node's type does not say; here no list is left. */
export function toReplyHeaders(headers: IncomingHttpHeaders): ReplyHeaders {
  for (const name in headers) if (typeof headers[name] === "object") return flatten(headers);
  return headers as ReplyHeaders;
}

function flatten(headers: IncomingHttpHeaders): ReplyHeaders {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, toText(name, value)]));
}

function toText(name: string, value: string | readonly string[] | undefined): string | undefined {
  if (value === undefined || typeof value === "string") return value;
  if (name === "set-cookie") return value.join(cookieSeparator);
  return singleHeaders.has(name) ? value[0] : value.join(", ");
}
