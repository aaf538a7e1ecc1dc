import { EnvReader } from "@gatehouse/config";
import { listOwnAddresses } from "@gatehouse/egress";
import { type EventsConfig, openTransport, readEventsConfig } from "@gatehouse/events";
import { openProcessLog } from "@gatehouse/gateway-log";
import { openRpcChannel, type RpcChannel } from "@gatehouse/rpc";
import type { Telemetry } from "@gatehouse/telemetry";
import type { ServiceName, ServiceTls, ServiceTrust } from "@gatehouse/trust";
import { type BareHostConfig, type GatewayLogConfig, type HostConfig, opensPorts } from "./host-config.ts";
import type { ServiceHost } from "./kernel.ts";
import type { Part } from "./part.ts";
import { createSpillPart } from "./spill-part.ts";

/** Settings of a service that runs in a process alone or beside others. */
export interface ProcessConfig extends GatewayLogConfig {
  /** Without ports, the service opens its own. */
  readonly host: HostConfig | BareHostConfig;
  /** Addresses and credentials of the broker; without it events wait in the outbox. */
  readonly events?: EventsConfig;
}

/** Settings of the connection to another service's gRPC server. */
export interface PeerRpcConfig {
  /** `host:port`, or several separated by commas. */
  readonly address: string;
  /** Bound of one call, milliseconds. */
  readonly timeoutMs: number;
}

/** Host of one service that can also connect it to others. */
export interface ProcessHost extends ServiceHost {
  /** Connects to a service in another process; closed with this one. */
  readonly connect: (target: ServiceName, peer: PeerRpcConfig) => RpcChannel;
  /** Signing keys of the service. Absent where it has no neighbour in another process. */
  readonly trust?: ServiceTrust;
  /** Certificate of the process; absent: connections to other processes are not encrypted. */
  readonly tls?: ServiceTls | undefined;
  /** Listening addresses of the process, which a tenant's address must not be. */
  readonly ownAddresses: readonly string[];
}

const noEvents = readEventsConfig(new EnvReader({}));

/** Creates the host; opens nothing before the service starts its parts. */
export function createProcessHost(service: string, config: ProcessConfig, telemetry: Telemetry): ProcessHost {
  const { gatewayLogFolder, host } = config;
  const { trust, tls } = host;
  const events = { ...(config.events ?? noEvents), trust, tls };
  const channels: RpcChannel[] = [];
  const connections: Part = {
    name: "gRPC channels",
    mustClose: true,
    stop: () => channels.forEach((channel) => channel.close()),
  };
  const keys: Part = {
    name: "keys",
    problems: () => [...trust.problems(), ...(tls?.problems() ?? [])],
    notices: () => [...trust.notices(), ...(tls?.notices() ?? [])],
  };
  const connect = (target: ServiceName, peer: PeerRpcConfig) => {
    const channel = openRpcChannel({
      ...peer,
      target,
      trust,
      tls,
      metrics: telemetry.metrics,
      tracing: telemetry.tracing,
    });
    channels.push(channel);
    return channel;
  };
  const surroundings = { telemetry, connect, trust, tls, ownAddresses: addressesOf(host) };
  if (gatewayLogFolder === undefined) {
    const transport = openTransport(events, service, telemetry);
    const part: Part = { name: "event transport", start: () => transport.start(), stop: () => transport.stop() };
    return { ...surroundings, events: transport, owned: [connections, keys, part] };
  }
  const log = openProcessLog(events, gatewayLogFolder, service, telemetry);
  const part: Part = { name: "gateway log", start: () => log.start(), stop: () => log.stop() };
  const owned = [
    connections,
    keys,
    ...(events.natsUrl === undefined ? [] : [createSpillPart(gatewayLogFolder, service)]),
    part,
  ];
  return { ...surroundings, events: log.transport, gatewayLog: log.gatewayLog, owned };
}

function addressesOf(host: ProcessConfig["host"]): readonly string[] {
  return opensPorts(host) ? [host.httpPort, host.rpcPort].flatMap((port) => listOwnAddresses(host.host, port)) : [];
}
