import { isIPv4 } from "node:net";
import { GatewayError } from "@gatehouse/errors";

interface OriginHeaders {
  readonly origin?: string | undefined;
  readonly host?: string | undefined;
}

/** Answers with a refusal, or undefined to let the request proceed. */
export type OriginCheck = (headers: OriginHeaders) => GatewayError | undefined;

/**
 * Keeps pages of other sites away (MCP 2025-11-25, "Transports", security warning). A request that names another `Origin` than
 * the host it is sent to is refused. Where the router listens on loopback only, `Host` must name this machine too: a page may
 * have its own name resolve to 127.0.0.1, and then both headers agree.
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

/** An origin as it is compared: scheme, host, and the port where it is not the scheme's own. Undefined for anything else. */
export function parseOrigin(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const { origin, href } = new URL(text);
  return href === `${origin}/` ? origin : undefined;
}

/** A default port may stand in one of them and be absent in the other. */
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
