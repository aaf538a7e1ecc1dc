import { type Database, inTransaction } from "@gatehouse/database";
import { GatewayError } from "@gatehouse/errors";

/** Any constant. */
const lockId = 5_116_202;
/** Longest application of a document that keeps others out, milliseconds: Postgres then ends the lock of a process that hangs. */
const lockedMsMax = 10 * 60_000;
/** Wait that a refused caller is advised, seconds. */
const retryAfterSeconds = 5;

/**
 * Applies one configuration document at a time, over all replicas. Two that were applied at once would each find an item missing,
 * and make it twice.
 * @param work reads what there is, and makes the changes
 * @throws GatewayError `unavailable` while another document is applied; nothing was done then
 */
export type ApplyAlone = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** The lock is a transaction's, so that it ends with its connection and holds behind a pooler. */
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
      // A lock that is lost at the end takes nothing back: the answer, which may have secrets, still counts.
      if (made !== undefined) return made.result;
      throw err;
    }
  };
}

const busy = "Another document is being applied. Nothing was changed; apply this one once the other has ended.";
