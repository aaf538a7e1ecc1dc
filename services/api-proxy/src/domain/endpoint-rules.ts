import { invalidArgument } from "@gatehouse/errors";
import type { EndpointAuth } from "./endpoint.ts";

/** Bounds of an endpoint's settings, enforced by its schema and shown by `tools/list`. */
export const endpointBounds = {
  timeoutMsMin: 1,
  timeoutMsMax: 600_000,
  descriptionLengthMax: 4_000,
  secretLengthMax: 8_192,
  userNameLengthMax: 1_000,
  headerNameLengthMax: 100,
} as const;

/** Field values (RFC 9110, section 5.5) that every HTTP/1.1 implementation accepts: visible ASCII, with spaces only inside. */
export const headerValuePattern = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** Headers that frame a message, route it, or belong to the gateway. */
const reservedHeaders: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-connection",
  "te",
  "traceparent",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "x-request-id",
]);
const reservedHeaderPrefixes = ["x-forwarded-", "x-gatehouse-", "sec-websocket-"] as const;

/** Whether an endpoint's auth may not use a header; `name` in any case. */
export function isReservedHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return reservedHeaders.has(lower) || reservedHeaderPrefixes.some((prefix) => lower.startsWith(prefix));
}

/**
 * Checks an auth beyond the form of its fields, which the administration's table enforces.
 * @throws GatewayError `invalid_argument` that quotes no secret
 */
export function checkAuth(auth: EndpointAuth): void {
  if (auth.type !== "basic" || auth.username !== "" || auth.password.reveal() !== "") return;
  throw invalidArgument("auth.username must not be empty where auth.password is");
}
