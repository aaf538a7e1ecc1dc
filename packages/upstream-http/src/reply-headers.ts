import type { IncomingHttpHeaders } from "node:http";

/** Headers of a reply by lowercase name; repeated ones are one text. */
export type ReplyHeaders = Readonly<Record<string, string | undefined>>;

/**
 * Headers with one value by definition, of which the first counts, as with node:http: joined values would be invalid. All others
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

/** Separator of Set-Cookie values, which may contain commas (RFC 9110, 5.3); no header value has a line end. */
export const cookieSeparator = "\n";

/** Joins repeated headers, which undici returns as lists, contrary to Node's type. */
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
