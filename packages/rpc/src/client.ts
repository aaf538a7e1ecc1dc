import { observePeers, parsePeerAddresses, PeerSet } from "@gatehouse/peers";
import { type Tracing, untraced } from "@gatehouse/telemetry";
import type { ServiceName, ServiceTls, ServiceTrust } from "@gatehouse/trust";
import type { Client, CompatServiceDefinition } from "nice-grpc";
import type { DeadlineOptions } from "nice-grpc-client-middleware-deadline";
import type { Registry } from "prom-client";
import { callPeers } from "./peer-calls.ts";
import { createPeerFactory, type PeerLink } from "./peer-link.ts";

/** Deadline of one call, and whether it may be repeated. */
export interface CallerOptions extends DeadlineOptions {
  /** Whether this call may be repeated after its process was lost, regardless of its method's contract. */
  readonly isRepeatable?: boolean;
}

/** A typed client, the same for a service in this process and in another. */
export type RpcClient<Definition extends CompatServiceDefinition> = Client<Definition, CallerOptions>;

/** Address, identity and bounds of the connections to one service. */
export interface RpcChannelOptions {
  /** `host:port` of the service, or several separated by commas; a name stands for all its addresses. */
  readonly address: string;
  readonly target: ServiceName;
  readonly trust: ServiceTrust;
  /** Certificate of the calling service; absent: connections are not encrypted. */
  readonly tls?: ServiceTls | undefined;
  /** Time for the answer to a unary call without a deadline, milliseconds. */
  readonly timeoutMs: number;
  /** Longest wait of a call for an available process, milliseconds; `peerBounds.waitMs` when absent. */
  readonly waitMs?: number;
  /** Registry for the state of the called processes. */
  readonly metrics?: Registry;
  /** Records a span for each unary call of a recorded trace; absent: no spans. */
  readonly tracing?: Tracing;
}

/** Connections to one service, one to each of its processes. */
export interface RpcChannel {
  client<Definition extends CompatServiceDefinition>(definition: Definition): RpcClient<Definition>;
  close(): void;
}

/**
 * Opens connections to a service, one to each of its processes, shared by its clients. They connect on first use and reconnect
 * automatically.
 * @throws TypeError when `address` is not a list of `host:port`.
 */
export function openRpcChannel({
  address,
  timeoutMs,
  metrics,
  tracing = untraced,
  ...rest
}: RpcChannelOptions): RpcChannel {
  const { target, trust, tls, ...wait } = rest;
  const addresses = parsePeerAddresses(address);
  if (addresses === undefined) throw new TypeError("A service's address is host:port, or several separated by commas.");
  const peers = new PeerSet<PeerLink>({
    service: address,
    addresses,
    open: createPeerFactory(trust, target, tls),
    isShortBound: true,
    ...wait,
  });
  if (metrics !== undefined) observePeers(metrics, target, peers);
  return {
    client: (definition) => callPeers(definition, peers, { timeoutMs, tracing }),
    close: () => peers.close(),
  };
}
