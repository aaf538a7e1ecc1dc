import { unlessAborted } from "@gatehouse/async";
import type pg from "pg";
import type { Database } from "./database.ts";
import { inTransaction } from "./in-transaction.ts";

/**
 * As `inTransaction`, for reads that may take long: rejects as soon as the signal fires, and ends the statement that runs then in
 * the database, which otherwise continues up to its own bound.
 * @throws the signal's reason once it is aborted; else as `inTransaction`
 */
export async function untilAborted<T>(
  database: Pick<Database, "pool">,
  signal: AbortSignal,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const reading = inTransaction(database, async (client) => {
    // The number that the protocol gives is a pooler's, where there is one.
    const { rows } = await client.query<{ readonly pid: number }>("SELECT pg_backend_pid() AS pid");
    const cancel = () => void database.pool.query("SELECT pg_cancel_backend($1)", [rows[0]?.pid]).catch(() => {});
    signal.addEventListener("abort", cancel, { once: true });
    try {
      signal.throwIfAborted();
      const result = await work(client);
      // The cancellation may come later: the connection, whose next statement it would end, must not be reused.
      signal.throwIfAborted();
      return result;
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  });
  return await unlessAborted(reading, signal);
}
