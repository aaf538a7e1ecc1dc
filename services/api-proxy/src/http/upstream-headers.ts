import type { IncomingHttpHeaders } from "node:http";
import { endToEndHeaders, type EndToEndHeaders } from "@gatehouse/http";
import { type TightestWindow, windowHeaders } from "@gatehouse/limits";
import type { RequestContext } from "@gatehouse/principal";
import type { CredentialNames } from "../domain/credential-names.ts";
import { isWithheld } from "./withheld-headers.ts";

/** Cookies of the gateway's own pages, which upstreams can neither read nor set. */
const ownCookie = /^\s*(?:__host-|__secure-)?gatehouse/i;

interface UpstreamHeadersOptions {
  readonly context: RequestContext;
  /** Context of the call's span; undefined without tracing. */
  readonly traceparent: string | undefined;
  /** The endpoint's own authorisation, which replaces the caller's header of that name. */
  readonly auth: { readonly name: string; readonly value: string } | undefined;
  /** Names of headers that carry `auth`. */
  readonly credentialNames: CredentialNames;
}

/** Marks a request as having passed this gateway (RFC 8586). */
const loopHeader = "cdn-loop";
const loopName = "gatehouse";
/** Permits chained gateways, and stops an endpoint that leads to itself. */
const passesMax = 4;

/** Whether a request has passed too many gateways, and so is in a loop. */
export function isInCircle(headers: IncomingHttpHeaders): boolean {
  const passed = headers[loopHeader];
  return passed !== undefined && String(passed).split(loopName).length > passesMax;
}

/** Headers of a request for the upstream. */
export function toUpstreamHeaders(
  headers: IncomingHttpHeaders,
  { context, traceparent, auth, credentialNames }: UpstreamHeadersOptions,
): EndToEndHeaders {
  const outgoing = endToEndHeaders(headers, {
    has: (name) => isWithheld(name) || credentialNames.hasHeader(name),
  });
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

/** Undefined where no other cookie remains. */
function withoutOwnCookies(cookies: string): string | undefined {
  if (!/gatehouse/i.test(cookies)) return cookies;
  const kept = cookies.split(";").filter((pair) => !ownCookie.test(pair));
  return kept.length === 0 ? undefined : kept.join(";").trim();
}

/**
 * Headers of the upstream's reply for the caller, with the request's id and without the gateway's own cookies. The gateway's rate
 * limit headers are added only where the upstream sends none, since a mixture would be about no limit.
 */
export function toCallerHeaders(
  headers: EndToEndHeaders,
  { requestId, window }: { readonly requestId: string; readonly window: TightestWindow | undefined },
): EndToEndHeaders {
  const cookies = headers["set-cookie"];
  if (cookies !== undefined) headers["set-cookie"] = [cookies].flat().filter((cookie) => !ownCookie.test(cookie));
  headers["x-request-id"] = requestId;
  if (window === undefined || hasRateLimit(headers)) return headers;
  return Object.assign(headers, windowHeaders(window));
}

function hasRateLimit(headers: EndToEndHeaders): boolean {
  for (const name in headers) if (name.startsWith("x-ratelimit-")) return true;
  return false;
}
