import { callbackify } from "node:util";
import { Agent, type buildConnector, type Dispatcher } from "undici";
import type { EgressGuard } from "./egress-guard.ts";
import { targetOf } from "./egress-url.ts";
import { openConnection, type OpenSocket } from "./open-connection.ts";
import { readInSmallPieces } from "./small-reads.ts";

/** Guard and bounds of all calls through one dispatcher. */
export interface EgressDispatcherOptions {
  readonly guard: EgressGuard;
  /** Open connections to one origin (scheme, host and port). */
  readonly connectionsMax?: number;
  /** Origins that are connected to at once; a request to one more fails. */
  readonly originsMax?: number;
  /** Resolution, TCP and TLS together. */
  readonly connectTimeoutMs?: number;
  /** Time for which an idle connection is kept, also when the server offers longer. */
  readonly keepAliveTimeoutMs?: number;
  /** From the request's last byte to the reply's head; 0 for none. A request's own bound wins. */
  readonly headersTimeoutMs?: number;
  /** Longest silence inside the reply's body; 0 for none. It does not bound the whole: that takes a signal. */
  readonly bodyTimeoutMs?: number;
  /** Certificate authorities to trust instead of Node's, as PEM. */
  readonly ca?: string;
  /** Opens a TCP connection to checked addresses. For tests without a network. */
  readonly openSocket?: OpenSocket;
}

const defaults = {
  connectionsMax: 64,
  originsMax: 10_000,
  connectTimeoutMs: 5_000,
  keepAliveTimeoutMs: 10_000,
  headersTimeoutMs: 60_000,
  bodyTimeoutMs: 60_000,
} as const;

/**
 * An undici dispatcher whose every new connection passes the guard: the address that is connected to is one that was judged. It
 * speaks HTTP/1.1, follows no redirect, decodes no body, and reads no proxy variables. Its errors are GatewayErrors
 * (`ssrf_blocked`, `upstream_unreachable`) while there is no connection, undici's from then on; `toEgressError` reads both.
 */
export function createEgressDispatcher(options: EgressDispatcherOptions): Dispatcher {
  const bounds = { ...defaults, ...options };
  return new Agent({
    connect: createConnector(options, bounds.connectTimeoutMs),
    connections: bounds.connectionsMax,
    maxOrigins: bounds.originsMax,
    keepAliveTimeout: bounds.keepAliveTimeoutMs,
    keepAliveMaxTimeout: bounds.keepAliveTimeoutMs,
    headersTimeout: bounds.headersTimeoutMs,
    bodyTimeout: bounds.bodyTimeoutMs,
    allowH2: false,
    pipelining: 1,
  });
}

/** undici's `connect.lookup` would not do: it is never called when the host is an address. */
function createConnector(
  { guard, ca, openSocket }: EgressDispatcherOptions,
  timeoutMs: number,
): buildConnector.connector {
  const connect = callbackify(async ({ protocol, hostname, port }: buildConnector.Options) => {
    const target = targetOf({ protocol, hostname, port });
    return await openConnection(target, { guard, timeoutMs, ca, openSocket });
  });
  return (origin, callback) =>
    connect(origin, (err, socket) => {
      if (err === null) callback(null, readInSmallPieces(socket));
      else callback(err, null);
    });
}
