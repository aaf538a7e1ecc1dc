import type pg from "pg";
import type { Database } from "./database.ts";

/** Runs work in one transaction (READ COMMITTED) on one connection of the pool; a connection that failed is not used again. */
export async function inTransaction<T>(
  { pool }: Pick<Database, "pool">,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let failure: unknown;
  // Without a listener, a connection that breaks between two statements would end the process; the next statement fails.
  const onError = (err: unknown) => (failure = err);
  client.on("error", onError);
  try {
    await client.query("BEGIN");
    const result = await work(client);
    await client.query("COMMIT");
    return result;
  } catch (err) {
    failure = err;
    throw err;
  } finally {
    if (failure === undefined) client.off("error", onError);
    client.release(failure !== undefined);
  }
}
