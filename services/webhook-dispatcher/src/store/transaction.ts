import { type Database, toDatabaseError } from "@gatehouse/database";
import type pg from "pg";

/** Runs hand-written statements in one transaction. @throws GatewayError `unavailable` where the database is away. */
export async function inTransaction<T>({ pool }: Database, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  let client: pg.PoolClient | undefined;
  let isBroken = false;
  // A connection that breaks between two statements must not end the process; the next statement fails.
  const onError = () => (isBroken = true);
  try {
    client = await pool.connect();
    client.on("error", onError);
    await client.query("BEGIN");
    const result = await work(client);
    await client.query("COMMIT");
    return result;
  } catch (err) {
    await client?.query("ROLLBACK").catch(onError);
    throw toDatabaseError(err);
  } finally {
    client?.off("error", onError);
    client?.release(isBroken);
  }
}
