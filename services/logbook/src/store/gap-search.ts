import type { Database } from "@gatehouse/database";

/** The last search for gaps, as replicas share it. */
export interface GapSearch {
  /** Whether the last search has found its end, within the age asked for. */
  readonly isComplete: boolean;
  /** Events by service, as the last complete search found them. */
  readonly missing: ReadonlyMap<string, number>;
}

const claim = `
INSERT INTO audit_gap_search AS s (begun_at) VALUES (clock_timestamp())
ON CONFLICT (id) DO UPDATE SET begun_at = excluded.begun_at
WHERE s.begun_at <= excluded.begun_at - $1::int * interval '1 millisecond'
RETURNING id`;

/** @returns whether the search that is due is the caller's: of replicas that ask at once one gets it. */
export async function claimSearch({ pool }: Database, intervalMs: number): Promise<boolean> {
  return (await pool.query(claim, [intervalMs])).rows.length > 0;
}

/** Notes the end of a complete search. */
export async function endSearch({ pool }: Database, missing: ReadonlyMap<string, number>): Promise<void> {
  await pool.query("UPDATE audit_gap_search SET ended_at = clock_timestamp(), is_complete = true, missing = $1", [
    JSON.stringify(Object.fromEntries(missing)),
  ]);
}

/** Notes that a search was given up; what was missing before counts as missing still. */
export async function giveUpSearch({ pool }: Database): Promise<void> {
  await pool.query("UPDATE audit_gap_search SET is_complete = false");
}

const select = `
SELECT missing, coalesce(is_complete AND ended_at > clock_timestamp() - $1::int * interval '1 millisecond', false) AS "isComplete"
FROM audit_gap_search`;

/** @param ageMsMax beyond which a search says nothing any more, milliseconds. */
export async function readSearch({ pool }: Database, ageMsMax: number): Promise<GapSearch> {
  const { rows } = await pool.query<{ readonly missing: Record<string, number>; readonly isComplete: boolean }>(
    select,
    [ageMsMax],
  );
  const { missing = {}, isComplete = false } = rows[0] ?? {};
  return { isComplete, missing: new Map(Object.entries(missing)) };
}
