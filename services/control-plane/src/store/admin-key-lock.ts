import type { Transaction } from "./principal-store.ts";

/** Any constant. */
const lockId = 5_116_201;

/** One change of administrators at a time: replicas that start together settle the keys one after the other. */
export async function lockAdminKeys(tx: Transaction): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${lockId})`;
}
