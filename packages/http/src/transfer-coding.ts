import type { IncomingMessage } from "node:http";

/**
 * Failure code of a request in another transfer coding than `chunked`, which must be answered 501 (RFC 9112, section 6.1): Node
 * decodes the chunks alone, and a reader of the body would take the coded bytes for its text.
 */
export function codingFailureOf({ headers }: IncomingMessage): "OTHER_CODING" | undefined {
  const { "transfer-encoding": coding } = headers;
  return coding === undefined || coding.trim().toLowerCase() === "chunked" ? undefined : "OTHER_CODING";
}
