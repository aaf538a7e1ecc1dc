import type { OutboxKernel, Reading, Store } from "@gatehouse/service";
import { type Prisma, PrismaClient } from "../generated/prisma/client.ts";

/** The uuid of the project whose upstreams have changed. */
type UpstreamChange = string;

/** Client inside `UpstreamStore.write`: its changes commit with their announcements and audit events, or not at all. */
export type UpstreamTransaction = Prisma.TransactionClient;
/** Client of `UpstreamStore.read`, or a transaction, limited to methods that change nothing. */
export type UpstreamReader = Reading<PrismaClient>;
/** Configuration store of the service; changes commit with their announcements and events. */
export type UpstreamStore = Store<PrismaClient, UpstreamTransaction, UpstreamChange>;

/** Opens the store, which the service closes. */
export function openUpstreamStore(kernel: OutboxKernel): UpstreamStore {
  return kernel.openStore(
    (adapter) => new PrismaClient({ adapter }),
    (projectUuid) => projectUuid,
  );
}
