import type { Database } from "@gatehouse/database";
import { hoursKeptMs, minutesKeptMs } from "../domain/metrics.ts";

/** Names are only needed while entries of their hour come in; late ones wait on a disk for days at most. */
const usersKeptMs = 8 * 86_400_000;

/** Messages are redelivered within minutes; after this time a message counts as new. */
const batchesKeptMs = 3 * 86_400_000;

/** Tables of counts and ids, with the time by which their rows grow old. */
const agingTables = [
  { table: "gateway_log_batches", column: "stored_at", keptMs: batchesKeptMs },
  { table: "metric_minutes", column: "at", keptMs: minutesKeptMs },
  { table: "metric_users", column: "hour", keptMs: usersKeptMs },
  { table: "metric_hours", column: "at", keptMs: hoursKeptMs },
  { table: "metric_days", column: "at", keptMs: hoursKeptMs },
] as const;

/** Rows of one statement. More could exceed the bound of a statement, which would then delete none, each time. */
const rowsMax = 5_000;

/** Deletes counts that have expired by both clocks, and ids of messages that no broker sends again. */
export async function deleteExpired({ pool }: Database, nowMs: number, stopping: AbortSignal): Promise<void> {
  for (const { table, column, keptMs } of agingTables) {
    const text = `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM ${table} WHERE ${column} < least($1, now() - interval '${keptMs} milliseconds')
      LIMIT ${rowsMax} FOR UPDATE SKIP LOCKED))`;
    const values = [new Date(nowMs - keptMs)];
    while (!stopping.aborted && ((await pool.query(text, values)).rowCount ?? 0) === rowsMax);
  }
}
