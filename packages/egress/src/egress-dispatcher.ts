import { callbackify } from "node:util";
import { HttpClient, sharedReads } from "@gatehouse/http-client";
import { Agent, type buildConnector, Dispatcher } from "undici";
import type { EgressGuard } from "./egress-guard.ts";
import { targetOf } from "./egress-url.ts";
import { type ConnectionOptions, openConnection, type OpenSocket } from "./open-connection.ts";
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

const headBytesMax = 64 * 1024;

/**
 * A dispatcher whose connections all pass the guard: it connects only to checked addresses. It speaks HTTP/1.1, follows no
 * redirects, decodes no bodies, and ignores proxy variables. Before a connection exists its errors are GatewayErrors
 * (`ssrf_blocked`, `upstream_unreachable`), afterwards those of packages/http-client, or undici's for an upgrade; `toEgressError`
 * converts all.
 */
export function createEgressDispatcher(options: EgressDispatcherOptions): Dispatcher {
  return new EgressDispatcher({ ...defaults, ...options });
}

type Bounds = EgressDispatcherOptions & Readonly<Record<keyof typeof defaults, number>>;

/** undici's methods (`request`, for one) on two senders: a client for requests, and undici for upgrades, which it alone can do. */
class EgressDispatcher extends Dispatcher {
  readonly #bounds: Bounds;
  readonly #requests: HttpClient;
  readonly #upgrades: Agent;

  constructor(bounds: Bounds) {
    super();
    this.#bounds = bounds;
    const { connectionsMax, originsMax, keepAliveTimeoutMs: keepAliveMs } = bounds;
    const connect = createConnector(bounds);
    this.#requests = new HttpClient({
      connect: createConnector(bounds, sharedReads),
      originsMax,
      connectionsMax,
      keepAliveMs,
      keepAliveMsMax: keepAliveMs,
      headBytesMax,
    });
    this.#upgrades = new Agent({
      connect: (target, callback) =>
        connect(target, (...[err, socket]) =>
          err === null ? callback(null, readInSmallPieces(socket)) : callback(err, null),
        ),
      connections: connectionsMax,
      maxOrigins: originsMax,
      maxHeaderSize: headBytesMax,
      allowH2: false,
      pipelining: 1,
    });
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const { headersTimeoutMs, bodyTimeoutMs } = this.#bounds;
    const { headersTimeout = headersTimeoutMs, bodyTimeout = bodyTimeoutMs } = options;
    const sender = (options.upgrade ?? null) === null ? this.#requests : this.#upgrades;
    return sender.dispatch({ ...options, headersTimeout, bodyTimeout }, handler);
  }

  override async close(): Promise<void> {
    await Promise.all([this.#requests.close(), this.#upgrades.close()]);
  }

  override async destroy(cause?: unknown): Promise<void> {
    const reason = cause instanceof Error ? cause : undefined;
    await Promise.all([this.#requests.destroy(reason), this.#upgrades.destroy(reason ?? null)]);
  }
}

/** Builds the connector. undici's `connect.lookup` is not enough: it is not called when the host is an address. */
function createConnector(options: Bounds, reads: Pick<ConnectionOptions, "onread"> = {}): buildConnector.connector {
  const { guard, ca, openSocket, connectTimeoutMs: timeoutMs } = options;
  const connect = callbackify(async ({ protocol, hostname, port }: buildConnector.Options) => {
    const target = targetOf({ protocol, hostname, port });
    return await openConnection(target, { guard, timeoutMs, ca, openSocket, ...reads });
  });
  return (target, callback) =>
    connect(target, (err, socket) => (err === null ? callback(null, socket) : callback(err, null)));
}
