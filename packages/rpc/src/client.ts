import { observePeers, parsePeerAddresses, PeerSet } from "@gatehouse/peers";
import { type Tracing, untraced } from "@gatehouse/telemetry";
import type { ServiceName, ServiceTls, ServiceTrust } from "@gatehouse/trust";
import type { Client, CompatServiceDefinition } from "nice-grpc";
import type { DeadlineOptions } from "nice-grpc-client-middleware-deadline";
import type { Registry } from "prom-client";
import { callPeers } from "./peer-calls.ts";
import { createPeerFactory, type PeerLink } from "./peer-link.ts";

/** Deadline of one call, and whether it may be sent again. */
export interface CallerOptions extends DeadlineOptions {
  /** Whether this call may be sent again where the process that held it was lost, whatever its method's contract says. */
  readonly isRepeatable?: boolean;
}

/** A typed client, the same whether the service is in this process or another. */
export type RpcClient<Definition extends CompatServiceDefinition> = Client<Definition, CallerOptions>;

/** Address, identity and bounds of the way to one service. */
export interface RpcChannelOptions {
  /** `host:port` of the service, or several separated by commas; a name stands for all its addresses. */
  readonly address: string;
  /** The service that is called. */
  readonly target: ServiceName;
  /** Keys of the calling service. */
  readonly trust: ServiceTrust;
  /** Certificate of the calling service; absent: connections are not encrypted. */
  readonly tls?: ServiceTls | undefined;
  /** Time for the answer to a unary call that brings no deadline, milliseconds. */
  readonly timeoutMs: number;
  /** Longest wait of a call for a process that takes it, milliseconds; `peerBounds.waitMs` when absent. */
  readonly waitMs?: number;
  /** Registry for the state of the called processes. */
  readonly metrics?: Registry;
  /** Records a span for each unary call of a recorded trace; absent: no spans. */
  readonly tracing?: Tracing;
}

/** The way to one service, over one connection to each of its processes. */
export interface RpcChannel {
  client<Definition extends CompatServiceDefinition>(definition: Definition): RpcClient<Definition>;
  close(): void;
}

/**
 * The way to a service: a connection to each of its processes, shared by its clients. It connects when first used and reconnects
 * by itself. @throws TypeError when `address` is no list of `host:port`.
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
