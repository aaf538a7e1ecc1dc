import type { OutboxKernel, Store } from "@gatehouse/service";
import { encodePrincipalChange, type PrincipalChange } from "../domain/principal-change.ts";
import { type Prisma, PrismaClient } from "../generated/prisma/client.ts";

/** Client inside `PrincipalStore.write`: its changes commit with their announcements and audit events, or not at all. */
export type Transaction = Prisma.TransactionClient;

/** Projects and principals; routers are notified of a change exactly when it commits. */
export type PrincipalStore = Store<PrismaClient, Transaction, PrincipalChange>;

/** Opens the store whose changes routers follow. */
export function openPrincipalStore(kernel: Pick<OutboxKernel, "openStore">): PrincipalStore {
  return kernel.openStore((adapter) => new PrismaClient({ adapter }), encodePrincipalChange);
}

/** Any constant. */
const lockId = 5_116_201;

/** Serialises changes of administrators: replicas that start together reconcile the keys one after the other. */
export async function lockAdminKeys(tx: Transaction): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${lockId})`;
}
