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
  /** Origins with connections at once; a request to one more fails. */
  readonly originsMax?: number;
  /** Bound of resolution, TCP and TLS together. */
  readonly connectTimeoutMs?: number;
  /** Time for which an idle connection is kept, even if the server offers longer. */
  readonly keepAliveTimeoutMs?: number;
  /** Time from the request's last byte to the reply's head; 0 for none. A request's own bound takes precedence. */
  readonly headersTimeoutMs?: number;
  /** Longest silence inside the reply's body; 0 for none. Only a signal bounds the whole. */
  readonly bodyTimeoutMs?: number;
  /** Certificate authorities that replace Node's, PEM. */
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
 * An undici dispatcher whose connections all pass the guard: it connects only to checked addresses. It speaks HTTP/1.1, follows
 * no redirects, decodes no bodies, and ignores proxy variables. Before a connection exists its errors are GatewayErrors
 * (`ssrf_blocked`, `upstream_unreachable`), afterwards undici's; `toEgressError` converts both.
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

/** Builds the connector. undici's `connect.lookup` is not enough: it is not called when the host is an address. */
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
