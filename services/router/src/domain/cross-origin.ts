import type { RouteGroup } from "./route-matcher.ts";

/** Headers of a reply, names in lower case. */
type CrossOriginHeaders = Readonly<Record<string, string>>;

/**
 * Question of a page's browser before it sends a request to another site (Fetch standard, "CORS-preflight request").
 */
interface Preflight {
  readonly requestHeaders: string | undefined;
  readonly asksForPrivateNetwork: boolean;
}

/** Which pages of other sites may read the replies of data-plane routes. */
export interface CrossOrigin {
  readonly isAllowed: (origin: string | undefined) => origin is string;
  /** Headers of each reply to a request with this `Origin`. */
  readonly replyHeaders: (origin: string | undefined) => CrossOriginHeaders;
  /** Headers of the answer to a preflight of an allowed origin, besides `replyHeaders`. */
  readonly preflightHeaders: (group: RouteGroup, preflight: Preflight) => CrossOriginHeaders;
}

/** Headers of replies that clients act on, and that a browser hides from a page unless they are named. */
const exposedHeaders = [
  "X-Request-Id",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "Retry-After",
  "X-Should-Retry",
].join(", ");

/** Methods of a route that takes any. */
const anyMethods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
/** Sent where the browser names no headers, or invalid names. */
const defaultRequestHeaders = "authorization, content-type";
/** Names of headers (RFC 9110, section 5.1), separated by commas. */
const headerNames = /^[\w!#$%&'*+.^`|~, -]{1,4096}$/;
/** Time for which a browser may keep the answer to a preflight: as long as a withdrawn origin may go on to send requests. */
const preflightLifeSeconds = 600;

/**
 * Credentials of these routes are tokens in `Authorization`, never cookies, so `Access-Control-Allow-Credentials` is not sent:
 * a page can use only a token that it has.
 */
export function createCrossOrigin(allowedOrigins: readonly string[]): CrossOrigin {
  const origins = new Set(allowedOrigins);
  const isAllowed = (origin: string | undefined): origin is string =>
    origin !== undefined && origins.has(origin.toLowerCase());
  // A cache must not hand a reply without them to a page that may read it (Fetch standard, "CORS protocol and HTTP caches").
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

/** All that some project of the path takes: a preflight carries no token, so the project's type is not known. */
function methodsOf({ routes }: RouteGroup): readonly string[] {
  return [...new Set(routes.flatMap(({ methods }) => (methods === "any" ? anyMethods : methods)))];
}
