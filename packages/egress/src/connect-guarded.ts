import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { EgressGuard } from "./egress-guard.ts";
import { targetOf } from "./egress-url.ts";
import { openConnection, type OpenSocket } from "./open-connection.ts";

/** Target and bounds of one connection, which is judged before it is opened. */
export interface GuardedConnectOptions {
  readonly guard: EgressGuard;
  /** An http or https URL; `wss:` is `https:` here. Path and query are the caller's matter. */
  readonly url: URL;
  /** Resolution, TCP and TLS together. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Certificate authorities to trust instead of Node's, as PEM. */
  readonly ca?: string;
  /** Opens a TCP connection to checked addresses. For tests without a network. */
  readonly openSocket?: OpenSocket;
}

/**
 * A raw connection under the same rules as the dispatcher's, for protocol upgrades (WebSocket). The caller owns the socket.
 * @throws GatewayError `ssrf_blocked`, `upstream_unreachable` or `cancelled`
 */
export async function connectGuarded({ url, ...options }: GuardedConnectOptions): Promise<Socket | TLSSocket> {
  return await openConnection(targetOf(url), options);
}
