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

/** Plans of a transaction's statements, and whether they are sent together. */
export interface TransactionOptions {
  readonly plans?: keyof typeof beginnings;
  /**
   * Sends each statement without waiting for the answers of those before it, the transaction's beginning included. Postgres runs them
   * in order; after one that fails, those behind it fail too. By default, a statement waits for the answer of the one before it.
   */
  readonly isPipelined?: boolean;
}

/**
 * Runs work in one transaction (READ COMMITTED) on one connection of the pool; a failed connection is not reused.
 * @throws GatewayError `unavailable` where the database is away; else the error of `work`.
 */
export async function inTransaction<T>(
  { pool }: Pick<Database, "pool">,
  work: (client: pg.PoolClient) => Promise<T>,
  { plans = "chosen", isPipelined = false }: TransactionOptions = {},
): Promise<T> {
  const client = await pool.connect().catch((err: unknown) => {
    throw toDatabaseError(err);
  });
  let failure: unknown;
  // Without a listener, a connection that breaks between two statements would end the process; the next statement fails.
  const onError = (err: unknown) => (failure = err);
  client.on("error", onError);
  try {
    pipeline(client, isPipelined);
    const begun = client.query(beginnings[plans]);
    if (!isPipelined) await begun;
    const [, result] = await bothAnswers(begun, work(client));
    await client.query("COMMIT");
    return result;
  } catch (err) {
    failure = err;
    throw toDatabaseError(err);
  } finally {
    pipeline(client, false);
    if (failure === undefined) client.off("error", onError);
    client.release(failure !== undefined);
  }
}

/**
 * Answers of two statements that were sent together.
 * @throws the error of the first where both failed, since the second one failed because of it
 */
export async function bothAnswers<First, Second>(
  first: Promise<First>,
  second: Promise<Second>,
): Promise<[First, Second]> {
  // Errors of one read of the connection may reject in any order; once both are settled, the order is that of the list.
  await Promise.allSettled([first, second]);
  return await Promise.all([first, second]);
}

/** An option of pg's clients, which read it at each statement; here it holds for one transaction, while nothing else is sent. */
function pipeline(client: pg.PoolClient, isOn: boolean): void {
  (client as { pipeline: boolean }).pipeline = isOn;
}
