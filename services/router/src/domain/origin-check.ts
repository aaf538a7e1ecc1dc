import { isIPv4 } from "node:net";
import { GatewayError } from "@gatehouse/errors";

interface OriginHeaders {
  readonly origin?: string | undefined;
  readonly host?: string | undefined;
}

/** Returns a refusal, or undefined to admit the request. */
export type OriginCheck = (headers: OriginHeaders) => GatewayError | undefined;

/**
 * Refuses requests of other sites' pages (MCP 2025-11-25, "Transports", security warning): `Origin` must name the host that the
 * request is sent to. Where the router listens on loopback only, `Host` must name this machine as well: by DNS rebinding, a page
 * may have its own name resolve to 127.0.0.1, and both headers then agree.
 * @param allowedOrigins such as `https://chat.example.com`, in lower case
 */
export function createOriginCheck(listenHost: string, allowedOrigins: readonly string[]): OriginCheck {
  const origins = new Set(allowedOrigins);
  const hosts = new Set(allowedOrigins.map((origin) => new URL(origin).host));
  const isLocal = isLoopback(listenHost);
  return ({ origin, host = "" }) => {
    if (isLocal && host !== "" && !hosts.has(host.toLowerCase()) && !isLoopback(nameOf(host))) {
      return refuse(`Host '${host}' is not allowed`);
    }
    if (origin === undefined || origins.has(origin.toLowerCase()) || isSameHost(origin, host)) return undefined;
    return refuse(`Origin '${origin}' is not allowed`);
  };
}

/** Normalises an origin to scheme, host and a non-default port; undefined for anything else. */
export function parseOrigin(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const { origin, href } = new URL(text);
  return href === `${origin}/` ? origin : undefined;
}

/** Compares ports after defaults: either side may omit a default port. */
function isSameHost(origin: string, host: string): boolean {
  const own = parseOrigin(origin);
  if (own === undefined) return false;
  const { protocol } = new URL(own);
  return own === parseOrigin(`${protocol}//${host}`);
}

function nameOf(host: string): string {
  return host.replace(/:\d*$/, "");
}

function isLoopback(name: string): boolean {
  const lower = name.toLowerCase();
  if (isIPv4(lower)) return lower.startsWith("127.");
  return lower === "localhost" || lower.endsWith(".localhost") || lower === "::1" || lower === "[::1]";
}

function refuse(problem: string): GatewayError {
  return new GatewayError("origin_not_allowed", `${problem}.`, {
    details: { detail: "Ask the operator to name the site in ALLOWED_ORIGINS." },
  });
}
