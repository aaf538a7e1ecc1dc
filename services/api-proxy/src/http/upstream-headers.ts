import type { IncomingHttpHeaders } from "node:http";
import { endToEndHeaders, type EndToEndHeaders } from "@gatehouse/http";
import { internalHeaders, type RequestContext } from "@gatehouse/principal";
import type { TightestWindow } from "../domain/rate-limits.ts";

/** What a caller sends to the gateway and not to the upstream: its credentials, and headers that only the gateway may write. */
const ownHeaders = [
  "authorization",
  "cookie",
  "host",
  "traceparent",
  "x-request-id",
  ...Object.values(internalHeaders),
];

/** Headers by which servers take another client, method or path than the request has: they would evade what was checked. */
const overridingHeaders = [
  "cf-connecting-ip",
  "fastly-client-ip",
  "forwarded",
  "true-client-ip",
  "x-client-ip",
  "x-cluster-client-ip",
  "x-envoy-external-address",
  "x-envoy-original-path",
  "x-host",
  "x-http-host-override",
  "x-http-method",
  "x-http-method-override",
  "x-method-override",
  "x-original-host",
  "x-original-method",
  "x-original-uri",
  "x-original-url",
  "x-real-ip",
  "x-rewrite-uri",
  "x-rewrite-url",
  "x-script-name",
];

const withheldHeaders: ReadonlySet<string> = new Set([...ownHeaders, ...overridingHeaders]);
const withheldPrefix = "x-forwarded-";

/** Cookies that the gateway's own pages use are nobody's else to see, or to set. */
const ownCookie = /^\s*(?:__host-|__secure-)?gatehouse/i;

export interface UpstreamHeadersOptions {
  readonly context: RequestContext;
  /** Of the span around the call; undefined where nothing is traced. */
  readonly traceparent: string | undefined;
  /** The endpoint's own authorisation; wins over the caller's header of that name. */
  readonly auth: { readonly name: string; readonly value: string } | undefined;
}

/** RFC 8586: says to whoever gets a request that it came this way. */
const loopHeader = "cdn-loop";
const loopName = "gatehouse";
/** Gateways behind each other are fine; an endpoint that leads to itself would go round for ever. */
const passesMax = 4;

/** Whether a request has passed so many gateways that it goes in a circle. */
export function isInCircle(headers: IncomingHttpHeaders): boolean {
  const passed = headers[loopHeader];
  return passed !== undefined && String(passed).split(loopName).length > passesMax;
}

/** A request's headers as they go to the upstream. */
export function toUpstreamHeaders(
  headers: IncomingHttpHeaders,
  { context, traceparent, auth }: UpstreamHeadersOptions,
): EndToEndHeaders {
  const outgoing = endToEndHeaders(headers, withheldHeaders);
  for (const name in outgoing) if (isWithheld(name)) delete outgoing[name];
  const cookie = headers.cookie === undefined ? undefined : withoutOwnCookies(headers.cookie);
  if (cookie !== undefined) outgoing["cookie"] = cookie;
  outgoing["x-forwarded-for"] = context.ipAddress;
  if (context.host !== undefined) outgoing["x-forwarded-host"] = context.host;
  outgoing["x-forwarded-proto"] = context.protocol ?? "http";
  outgoing["x-request-id"] = context.requestId;
  const passed = outgoing[loopHeader];
  outgoing[loopHeader] = passed === undefined ? loopName : `${String(passed)}, ${loopName}`;
  if (traceparent !== undefined) outgoing["traceparent"] = traceparent;
  if (auth !== undefined) outgoing[auth.name] = auth.value;
  return outgoing;
}

/** Servers behind CGI or WSGI read an underscore in a name as a dash. */
function isWithheld(name: string): boolean {
  const dashed = name.includes("_") ? name.replaceAll("_", "-") : name;
  return dashed.startsWith(withheldPrefix) || (dashed !== name && withheldHeaders.has(dashed));
}

/** Undefined where no other is left. */
function withoutOwnCookies(cookies: string): string | undefined {
  if (!/gatehouse/i.test(cookies)) return cookies;
  const kept = cookies.split(";").filter((pair) => !ownCookie.test(pair));
  return kept.length === 0 ? undefined : kept.join(";").trim();
}

/**
 * The upstream's headers as they go to the caller: as they are, but for the gateway's own cookies, with the request's id. An
 * upstream that tells of rate limits of its own tells of those; the gateway's are named where it does not.
 */
export function toCallerHeaders(
  headers: EndToEndHeaders,
  { requestId, window }: { readonly requestId: string; readonly window: TightestWindow | undefined },
): EndToEndHeaders {
  const cookies = headers["set-cookie"];
  if (cookies !== undefined) headers["set-cookie"] = [cookies].flat().filter((cookie) => !ownCookie.test(cookie));
  headers["x-request-id"] = requestId;
  if (window === undefined || headers["x-ratelimit-limit"] !== undefined) return headers;
  return Object.assign(headers, windowHeaders(window));
}

export function windowHeaders(window: TightestWindow | undefined): Record<string, string> {
  if (window === undefined) return {};
  return {
    "x-ratelimit-limit": String(window.limit),
    "x-ratelimit-remaining": String(window.remaining),
    "x-ratelimit-reset": String(window.resetAtSeconds),
  };
}
