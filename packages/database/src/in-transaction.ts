import type pg from "pg";
import type { Database } from "./database.ts";
import { toDatabaseError } from "./errors.ts";

/**
 * Statements that begin a transaction. `generic` plans a prepared statement once per connection: by default Postgres plans one
 * with arrays or documents each time, since it knows their size only then, and planning can take longer than execution.
 */
const beginnings = {
  chosen: "BEGIN",
  generic: "BEGIN; SET LOCAL plan_cache_mode = force_generic_plan",
} as const;

/**
 * Runs work in one transaction (READ COMMITTED) on one connection of the pool; a failed connection is not reused.
 * @throws GatewayError `unavailable` where the database is away; else the error of `work`.
 */
export async function inTransaction<T>(
  { pool }: Pick<Database, "pool">,
  work: (client: pg.PoolClient) => Promise<T>,
  plans: keyof typeof beginnings = "chosen",
): Promise<T> {
  const client = await pool.connect().catch((err: unknown) => {
    throw toDatabaseError(err);
  });
  let failure: unknown;
  // Without a listener, a connection that breaks between two statements would end the process; the next statement fails.
  const onError = (err: unknown) => (failure = err);
  client.on("error", onError);
  try {
    await client.query(beginnings[plans]);
    const result = await work(client);
    await client.query("COMMIT");
    return result;
  } catch (err) {
    failure = err;
    throw toDatabaseError(err);
  } finally {
    if (failure === undefined) client.off("error", onError);
    client.release(failure !== undefined);
  }
}
