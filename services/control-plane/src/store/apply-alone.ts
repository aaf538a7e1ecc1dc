import { type Database, inTransaction } from "@gatehouse/database";
import { GatewayError } from "@gatehouse/errors";

/** Any constant. */
const lockId = 5_116_202;
/** Longest application of a document that excludes others, milliseconds; Postgres then releases the lock of a hung process. */
const lockedMsMax = 10 * 60_000;
/** `Retry-After` of a refused caller, seconds. */
const retryAfterSeconds = 5;

/**
 * Applies one configuration document at a time over all replicas: concurrent applications could both find an item missing and
 * create it twice.
 * @param work reads the present state, and makes the changes
 * @throws GatewayError `unavailable` while another document is applied, before `work` runs
 */
export type ApplyAlone = <Result>(work: () => Promise<Result>) => Promise<Result>;

type Outcome<Result> = { readonly result: Result } | { readonly failure: unknown };

/**
 * A transaction's lock, so that it ends with its connection and works behind a pooler. A failure of `work` ends the transaction
 * normally: thrown inside, it would drop the connection, and Postgres would hold the lock until it has noticed that.
 */
export function createApplyAlone(database: Pick<Database, "pool">): ApplyAlone {
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    let outcome: Outcome<Result> | undefined;
    try {
      await inTransaction(database, async (client) => {
        await client.query(`SET LOCAL idle_in_transaction_session_timeout = ${lockedMsMax}`);
        const sql = "SELECT pg_try_advisory_xact_lock($1) AS mine";
        const { rows } = await client.query<{ readonly mine: boolean }>(sql, [lockId]);
        outcome = rows[0]?.mine === true ? await outcomeOf(work) : { failure: busy() };
      });
    } catch (err) {
      // Losing the lock at the end reverses nothing: the answer, which may contain secrets, is still returned.
      outcome ??= { failure: err };
    }
    if (outcome !== undefined && "result" in outcome) return outcome.result;
    throw outcome?.failure;
  };
}

async function outcomeOf<Result>(work: () => Promise<Result>): Promise<Outcome<Result>> {
  try {
    return { result: await work() };
  } catch (failure) {
    return { failure };
  }
}

function busy(): GatewayError {
  const message = "Another document is being applied. Nothing was changed; apply this one once the other has ended.";
  return new GatewayError("unavailable", message, { retryAfterSeconds });
}
