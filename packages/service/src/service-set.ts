import { connectLocally, type RpcBinding, type RpcChannel } from "@gatehouse/rpc";
import type { ServiceName } from "@gatehouse/trust";
import type { PeerRpcConfig, ProcessHost } from "./process-host.ts";
import type { Service } from "./service.ts";

/** The surroundings of a service in a set: it reaches the others the same way, wherever they run. */
export interface MemberHost extends Omit<ProcessHost, "connect"> {
  /** Connects to another service: by direct calls where the set has it, over gRPC elsewhere. */
  readonly connect: (target: ServiceName, peer: PeerRpcConfig) => Pick<RpcChannel, "client">;
  /** The other service, where the set has it. */
  readonly local: (target: ServiceName) => Service | undefined;
  /** Services of the set that were added before this one. */
  readonly neighbours: () => readonly Service[];
}

/** Makes one service of a set. */
export type CreateMember = (host: MemberHost) => Service;

/**
 * The services of one process. Those that are together call each other directly, and each reaches the rest over the network: all of
 * them, one alone, or any set is composed by this. A service is added after those that it calls.
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
