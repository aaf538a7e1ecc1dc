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

/** A transaction's lock, so that it ends with its connection and works behind a pooler. */
export function createApplyAlone(database: Pick<Database, "pool">): ApplyAlone {
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    let made: { readonly result: Result } | undefined;
    try {
      return await inTransaction(database, async (client) => {
        await client.query(`SET LOCAL idle_in_transaction_session_timeout = ${lockedMsMax}`);
        const sql = "SELECT pg_try_advisory_xact_lock($1) AS mine";
        const { rows } = await client.query<{ readonly mine: boolean }>(sql, [lockId]);
        if (rows[0]?.mine !== true) throw new GatewayError("unavailable", busy, { retryAfterSeconds });
        made = { result: await work() };
        return made.result;
      });
    } catch (err) {
      // Losing the lock at the end reverses nothing: the answer, which may contain secrets, is still returned.
      if (made !== undefined) return made.result;
      throw err;
    }
  };
}

const busy = "Another document is being applied. Nothing was changed; apply this one once the other has ended.";
