import { type Database, inTransaction } from "@gatehouse/database";
import { type Day, dayOfPartition } from "../domain/days.ts";

/** Two replicas must not make, or drop, one partition at once. */
const partitionLockId = 5_108_088;
/** Making or dropping a partition locks the whole log; it must not queue behind a long question for long, or everyone waits. */
const lockTimeoutMs = 2_000;

/**
 * Partitions made or dropped in one transaction. Each has several locks until it ends, of a number that Postgres bounds for all
 * sessions (`max_locks_per_transaction`).
 */
const partitionsAtOnceMax = 50;

/** Days that are kept: those from the oldest on, and those of so many days by Postgres' clock. */
interface Retention {
  readonly oldest: Day;
  readonly days: number;
}

/**
 * Makes the partitions of days that have none, and drops those of days that are over by both clocks: one that is far ahead for a
 * moment must not empty the log.
 * @returns the days dropped
 */
export async function keepPartitions(
  database: Database,
  days: readonly Day[],
  retention: Retention,
): Promise<readonly Day[]> {
  const dropped: Day[] = [];
  for (;;) {
    const { over, isComplete } = await keepSome(database, days, retention);
    dropped.push(...over);
    if (isComplete) return dropped;
  }
}

/** Days that have a partition, in any order. */
export async function readPartitionDays(questions: Pick<Database["pool"], "query">): Promise<readonly Day[]> {
  const { rows } = await questions.query<{ readonly name: string }>(
    `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = 'gateway_log'::regclass`,
  );
  return rows.map(({ name }) => dayOfPartition(name)).filter((day) => day !== undefined);
}

async function keepSome(database: Database, days: readonly Day[], retention: Retention) {
  return await inTransaction(database, async (client) => {
    await client.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
    await client.query("SELECT pg_advisory_xact_lock($1)", [partitionLockId]);
    const existing = await readPartitionDays(client);
    const { rows } = await client.query<{ oldest: Day }>(
      "SELECT to_char(now() AT TIME ZONE 'UTC' - $1 * interval '1 day', 'YYYY-MM-DD') AS oldest",
      [retention.days],
    );
    const missing = days.filter((candidate) => !existing.includes(candidate)).slice(0, partitionsAtOnceMax);
    for (const day of missing) await client.query("SELECT make_gateway_log_partition($1)", [day]);
    const isOver = (day: Day) => day < retention.oldest && day < (rows[0]?.oldest ?? "");
    const over = existing.filter(isOver).slice(0, partitionsAtOnceMax - missing.length);
    for (const day of over) await client.query("SELECT drop_gateway_log_partition($1)", [day]);
    return { over, isComplete: missing.length + over.length < partitionsAtOnceMax };
  });
}
