import type { OutboxKernel, Reading, Store } from "@gatehouse/service";
import { type Prisma, PrismaClient } from "../generated/prisma/client.ts";

/** The uuid of the project whose upstreams have changed. */
type UpstreamChange = string;

/** The client inside one transaction of `write`. */
export type UpstreamTransaction = Prisma.TransactionClient;
/** A client that only reads. */
export type UpstreamReader = Reading<PrismaClient>;
/** Configuration of the service: changes go with their announcements and events. */
export type UpstreamStore = Store<PrismaClient, UpstreamTransaction, UpstreamChange>;

/** Opens the store; it is closed with the service. */
export function openUpstreamStore(kernel: OutboxKernel): UpstreamStore {
  return kernel.openStore(
    (adapter) => new PrismaClient({ adapter }),
    (projectUuid) => projectUuid,
  );
}
