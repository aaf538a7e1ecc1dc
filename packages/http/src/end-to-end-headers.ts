import type { IncomingHttpHeaders, IncomingMessage } from "node:http";

/** Headers of one connection (RFC 9110, section 7.6.1), and those that frame a message on each hop. */
const hopByHopHeaders: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect",
]);

/** Headers that must precede a body, and so are no trailers (RFC 9110, section 6.5.1). */
export const notInTrailers: ReadonlySet<string> = new Set([
  "content-encoding",
  "content-length",
  "content-range",
  "content-type",
  "cache-control",
  "location",
  "set-cookie",
  "www-authenticate",
  "x-request-id",
]);

/** Names in lower case. */
export type EndToEndHeaders = Record<string, string | string[]>;

/** Copies headers without hop-by-hop ones, without those that `Connection` names, and without `dropped`. */
export function endToEndHeaders(
  headers: IncomingHttpHeaders,
  dropped: Pick<ReadonlySet<string>, "has">,
): EndToEndHeaders {
  const named = connectionOptions(headers.connection);
  const kept: EndToEndHeaders = {};
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || hopByHopHeaders.has(name) || named.has(name) || dropped.has(name)) continue;
    kept[name] = value;
  }
  return kept;
}

const noOptions: ReadonlySet<string> = new Set();

/** Header names in `Connection`, lower case; most messages name none. */
function connectionOptions(sent: string | readonly string[] | undefined): ReadonlySet<string> {
  // A list where the header was sent twice, contrary to Node's types.
  const value = typeof sent === "object" ? sent.join(",") : sent;
  if (value === undefined || value === "keep-alive" || value === "close") return noOptions;
  return new Set(
    value
      .toLowerCase()
      .split(",")
      .map((option) => option.trim()),
  );
}

/** Whether trailers can be announced: only a chunked reply can carry them (RFC 9112, section 7.1.2), and Node refuses them in another. */
export function announcesTrailers(req: IncomingMessage, status: number, headers: IncomingHttpHeaders): boolean {
  if (headers["trailer"] === undefined || headers["content-length"] !== undefined) return false;
  return req.httpVersion === "1.1" && req.method !== "HEAD" && status !== 204 && status !== 304;
}
