import type { PrismaTransaction } from "./errors.ts";

/** The column that names one row, and its value. */
export type RowKey = { readonly id: number } | { readonly uuid: string };

/**
 * Locks a row of the service's schema until the transaction ends, so that what is decided from it still holds when it is written. To be
 * called before the row is read; a row that is not there locks nothing.
 * @param table written into the statement as it is
 */
export async function lockRow(transaction: PrismaTransaction, table: string, key: RowKey): Promise<void> {
  const [condition, value] = "id" in key ? ["id = $1", key.id] : ["uuid = $1::uuid", key.uuid];
  await transaction.$executeRawUnsafe(`SELECT FROM ${table} WHERE ${condition} FOR UPDATE`, value);
}

/**
 * Takes turns with other transactions that name the same thing, until this one ends: for what no row stands for, such as the number
 * of rows of a project. Names of other schemas count alike; a pair that collides costs a wait.
 */
export async function takeTurns(transaction: PrismaTransaction, name: string): Promise<void> {
  await transaction.$executeRawUnsafe("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", name);
}
