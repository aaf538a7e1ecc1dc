import { GatewayError } from "@gatehouse/errors";
import type { EndpointAuth } from "./endpoint.ts";

/** Bounds of an endpoint's settings, which its schema enforces and `tools/list` shows. */
export const endpointBounds = {
  timeoutMsMin: 1,
  timeoutMsMax: 600_000,
  descriptionLengthMax: 4_000,
  secretLengthMax: 8_192,
  userNameLengthMax: 1_000,
  urlLengthMax: 2_048,
  headerNameLengthMax: 100,
} as const;

/** Field names (RFC 9110, section 5.1) and values (section 5.5) that every HTTP/1.1 implementation takes. */
const headerNamePattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const headerValuePattern = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** Headers that frame a message, say where it goes, or are the gateway's own to write. */
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

/** @throws GatewayError `invalid_argument` that quotes no secret. */
export function checkAuth(auth: EndpointAuth): void {
  switch (auth.type) {
    case "none":
      return;
    case "header":
      checkHeaderName(auth.name);
      checkHeaderValue("auth.value", auth.value.reveal());
      return;
    case "basic":
      checkBasic(auth.username, auth.password.reveal());
      return;
    case "oauth":
      if (!Number.isInteger(auth.connectionId) || auth.connectionId < 1) refuse("auth.connection_id must be integer");
      return;
    default:
      auth satisfies never;
  }
}

/**
 * The form only. Where it leads is the egress guard's question.
 * @throws GatewayError `invalid_argument`
 */
export function checkUpstreamUrl(text: string): void {
  if (!URL.canParse(text)) refuse("upstream_url must be an http or https URL");
  if (text.includes("?") || text.includes("#")) refuse("upstream_url must not have a query or a fragment");
}

function checkHeaderName(name: string): void {
  if (!headerNamePattern.test(name)) refuse("auth.name must be the name of an HTTP header");
  const lower = name.toLowerCase();
  if (reservedHeaders.has(lower) || reservedHeaderPrefixes.some((prefix) => lower.startsWith(prefix))) {
    refuse(`auth.name must not be '${name}': the gateway sets it`);
  }
}

function checkHeaderValue(field: string, value: string): void {
  if (!headerValuePattern.test(value)) refuse(`${field} must be visible ASCII characters, with spaces only inside`);
}

/** RFC 7617, section 2: a colon would end the user's name; the table of the administration refuses one there. */
function checkBasic(username: string, password: string): void {
  if (username === "" && password === "") refuse("auth.username must not be empty");
}

function refuse(message: string): never {
  throw new GatewayError("invalid_argument", message);
}
