import type { OutboxKernel, Reading, Store } from "@gatehouse/service";
import { encodePrincipalChange, type PrincipalChange } from "../domain/principal-change.ts";
import { type Prisma, PrismaClient } from "../generated/prisma/client.ts";

/** The client inside one transaction of `write`. */
export type Transaction = Prisma.TransactionClient;
/** A client that only reads. */
export type Reader = Reading<PrismaClient>;

/** Projects and principals; the routers hear of a change when, and only when, it commits. */
export type PrincipalStore = Store<PrismaClient, Transaction, PrincipalChange>;

/** Opens the store whose changes routers follow. */
export function openPrincipalStore(kernel: Pick<OutboxKernel, "openStore">): PrincipalStore {
  return kernel.openStore((adapter) => new PrismaClient({ adapter }), encodePrincipalChange);
}

/** Any constant. */
const lockId = 5_116_201;

/** One change of administrators at a time: replicas that start together reconcile the keys one after the other. */
export async function lockAdminKeys(tx: Transaction): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${lockId})`;
}
