import type { RouteGroup } from "./route-matcher.ts";

type CrossOriginHeaders = Readonly<Record<string, string>>;

/** Headers of a CORS preflight (Fetch standard, "CORS-preflight request"). */
interface Preflight {
  readonly requestHeaders: string | undefined;
  readonly asksForPrivateNetwork: boolean;
}

/** CORS policy of the data-plane routes. */
export interface CrossOrigin {
  readonly isAllowed: (origin: string | undefined) => origin is string;
  /** Headers of each reply to a request with this `Origin`. */
  readonly replyHeaders: (origin: string | undefined) => CrossOriginHeaders;
  /** Headers of the reply to a preflight of an allowed origin, besides `replyHeaders`. */
  readonly preflightHeaders: (group: RouteGroup, preflight: Preflight) => CrossOriginHeaders;
}

/** Reply headers that clients use and browsers hide from pages unless they are named. */
const exposedHeaders = [
  "X-Request-Id",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "Retry-After",
  "X-Should-Retry",
].join(", ");

const anyMethods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
/** Sent where the browser names no headers, or invalid ones. */
const defaultRequestHeaders = "authorization, content-type";
/** Header names (RFC 9110, section 5.1), separated by commas. */
const headerNames = /^[\w!#$%&'*+.^`|~, -]{1,4096}$/;
/** Time for which a browser may cache a preflight, and so the longest time for which a withdrawn origin may send requests. */
const preflightLifeSeconds = 600;

/**
 * `Access-Control-Allow-Credentials` is not sent: these routes take tokens in `Authorization`, never cookies, so a page can only
 * use a token that it has.
 */
export function createCrossOrigin(allowedOrigins: readonly string[]): CrossOrigin {
  const origins = new Set(allowedOrigins);
  const isAllowed = (origin: string | undefined): origin is string =>
    origin !== undefined && origins.has(origin.toLowerCase());
  // Prevents a cache from giving a reply without these headers to an allowed page (Fetch standard, "CORS protocol and HTTP
  // caches").
  const toOthers = origins.size === 0 ? {} : { vary: "Origin" };
  return {
    isAllowed,
    replyHeaders(origin) {
      if (!isAllowed(origin)) return toOthers;
      return { ...toOthers, "access-control-allow-origin": origin, "access-control-expose-headers": exposedHeaders };
    },
    preflightHeaders(group, { requestHeaders = "", asksForPrivateNetwork }) {
      return {
        "access-control-allow-methods": methodsOf(group).join(", "),
        "access-control-allow-headers": headerNames.test(requestHeaders) ? requestHeaders : defaultRequestHeaders,
        "access-control-max-age": String(preflightLifeSeconds),
        ...(asksForPrivateNetwork ? { "access-control-allow-private-network": "true" } : {}),
      };
    },
  };
}

/** Methods of all project types: a preflight carries no token, so the project's type is unknown. */
function methodsOf({ routes }: RouteGroup): readonly string[] {
  return [...new Set(routes.flatMap(({ methods }) => (methods === "any" ? anyMethods : methods)))];
}
