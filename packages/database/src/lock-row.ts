import type { PrismaTransaction } from "./errors.ts";

/** Column that identifies one row, and its value. */
export type RowKey = { readonly id: number } | { readonly uuid: string };

/**
 * Locks a row of the service's schema until the transaction ends, so that decisions from it stay valid. Call before reading the
 * row; an absent row locks nothing.
 * @param table inserted into the statement unescaped
 */
export async function lockRow(transaction: PrismaTransaction, table: string, key: RowKey): Promise<void> {
  const [condition, value] = "id" in key ? ["id = $1", key.id] : ["uuid = $1::uuid", key.uuid];
  await transaction.$executeRawUnsafe(`SELECT FROM ${table} WHERE ${condition} FOR UPDATE`, value);
}

/**
 * Waits for other transactions with the same name, and blocks them until this one ends: for rules without a row, such as the
 * number of rows of a project. Names are not separated by schema; a collision costs a wait.
 */
export async function takeTurns(transaction: PrismaTransaction, name: string): Promise<void> {
  await transaction.$executeRawUnsafe("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", name);
}
