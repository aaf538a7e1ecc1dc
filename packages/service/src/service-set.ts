import { connectLocally, type RpcBinding, type RpcChannel } from "@gatehouse/rpc";
import type { ServiceName } from "@gatehouse/trust";
import type { PeerRpcConfig, ProcessHost } from "./process-host.ts";
import type { Service } from "./service.ts";

/** Host of a service in a set, which connects to other services in the same way wherever they run. */
export interface MemberHost extends Omit<ProcessHost, "connect"> {
  /** Connects to another service: by direct calls within the set, else over gRPC. */
  readonly connect: (target: ServiceName, peer: PeerRpcConfig) => Pick<RpcChannel, "client">;
  readonly local: (target: ServiceName) => Service | undefined;
  /** Services added to the set before this one. */
  readonly neighbours: () => readonly Service[];
}

/** Function that creates a service for a {@link ServiceSet}, once, from its host there. */
export type CreateMember = (host: MemberHost) => Service;

/**
 * The services of one process: all, one, or any set. Those in the set call each other directly, and all others over the network.
 * A service is added after those that it calls.
 */
export class ServiceSet {
  readonly #members = new Map<string, Service>();

  add<Made extends Service>(create: (host: MemberHost) => Made, host: ProcessHost): Made {
    const before = this.services;
    const local = (target: ServiceName) => this.#members.get(target);
    const service = create({
      ...host,
      local,
      neighbours: () => before,
      connect(target, peer) {
        const neighbour = local(target);
        return neighbour === undefined ? host.connect(target, peer) : { client: (asked) => clientOf(neighbour, asked) };
      },
    });
    this.#members.set(service.name, service);
    return service;
  }

  /** In the order in which they were added. */
  get services(): readonly Service[] {
    return [...this.#members.values()];
  }
}

function clientOf<Definition extends RpcBinding["definition"]>({ name, rpc }: Service, definition: Definition) {
  const binding = rpc.find((candidate) => candidate.definition === definition);
  if (binding === undefined) throw new Error(`${name} lacks a gRPC service that another one needs.`);
  return connectLocally(binding as unknown as RpcBinding<Definition>);
}
