import { GatewayError } from "@gatehouse/errors";
import { isSlug, reservedSlugs, slugRule } from "@gatehouse/slugs";
import { type EndpointAuth, type EndpointSettings, proxyMethods } from "./endpoint.ts";

export const endpointBounds = {
  timeoutMsMin: 1,
  timeoutMsMax: 600_000,
  descriptionLengthMax: 4_000,
  secretLengthMax: 8_192,
  userNameLengthMax: 1_000,
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

/** @throws GatewayError `invalid_argument` naming the first field that is wrong and how to mend it. */
export function checkEndpointSettings(settings: EndpointSettings): void {
  checkSlug(settings.slug);
  checkUpstreamUrl(settings.upstreamUrl);
  checkMethods(settings.allowedMethods);
  const { timeoutMs, description } = settings;
  const { timeoutMsMin, timeoutMsMax, descriptionLengthMax } = endpointBounds;
  if (timeoutMs !== null && !(Number.isInteger(timeoutMs) && timeoutMs >= timeoutMsMin && timeoutMs <= timeoutMsMax)) {
    refuse(`timeout_ms must be a whole number from ${timeoutMsMin} to ${timeoutMsMax}`);
  }
  if (description !== null && description.length > descriptionLengthMax) {
    refuse(`description must have at most ${descriptionLengthMax} characters`);
  }
  if (description?.includes("\0") === true) refuse("description must not contain NUL characters");
}

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

function checkSlug(slug: string): void {
  if (!isSlug(slug)) refuse(`slug must be ${slugRule}`);
  if (reservedSlugs.has(slug)) refuse(`slug '${slug}' is reserved; choose another`);
}

/** The form only. Where it leads is the egress guard's question. */
function checkUpstreamUrl(text: string): void {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return refuse("upstream_url must be a URL that starts with http:// or https://");
  }
  if (text.includes("?") || text.includes("#")) refuse("upstream_url must not have a query or a fragment");
}

function checkMethods(methods: readonly string[]): void {
  if (methods.length === 0) refuse("allowed_methods must have at least one method");
  methods.forEach((method, index) => {
    if (!(proxyMethods as readonly string[]).includes(method))
      refuse(`allowed_methods[${index}] must be one of ${proxyMethods.join(", ")}`);
  });
}

function checkHeaderName(name: string): void {
  if (!headerNamePattern.test(name)) refuse("auth.name must be the name of an HTTP header");
  const lower = name.toLowerCase();
  if (reservedHeaders.has(lower) || reservedHeaderPrefixes.some((prefix) => lower.startsWith(prefix))) {
    refuse(`auth.name must not be '${name}': the gateway sets it`);
  }
}

function checkHeaderValue(field: string, value: string): void {
  const { secretLengthMax } = endpointBounds;
  if (value.length > secretLengthMax) refuse(`${field} must have at most ${secretLengthMax} characters`);
  if (!headerValuePattern.test(value)) refuse(`${field} must be visible ASCII characters, with spaces only inside`);
}

/** RFC 7617, section 2: no colon in the user's name, no control characters in either. */
function checkBasic(username: string, password: string): void {
  const { secretLengthMax, userNameLengthMax } = endpointBounds;
  if (username.length > userNameLengthMax) refuse(`auth.username must have at most ${userNameLengthMax} characters`);
  if (username.includes(":")) refuse("auth.username must not contain ':'");
  if (password.length > secretLengthMax) refuse(`auth.password must have at most ${secretLengthMax} characters`);
  if (username === "" && password === "") refuse("auth.username must not be empty");
  if (/\p{Cc}/u.test(username)) refuse("auth.username must not have control characters");
  if (/\p{Cc}/u.test(password)) refuse("auth.password must not have control characters");
}

function refuse(message: string): never {
  throw new GatewayError("invalid_argument", message);
}
