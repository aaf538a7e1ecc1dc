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
WHERE s.begun_at <= excluded.begun_at - greatest(
  $1::int * interval '1 millisecond', $2::int * coalesce(s.ended_at - s.begun_at, interval '0'))
RETURNING begun_at::text AS turn`;

/** Pace of the searches. */
interface SearchPace {
  readonly searchIntervalMs: number;
  /** A search rests so many times as long as the last one took, where that is longer: a log that grows is not searched all the time. */
  readonly restFactor: number;
}

/** @returns the search that is due, if it is the caller's: of replicas that ask at once one gets it. */
export async function claimSearch(
  { pool }: Database,
  { searchIntervalMs, restFactor }: SearchPace,
): Promise<string | undefined> {
  return (await pool.query<{ readonly turn: string }>(claim, [searchIntervalMs, restFactor])).rows[0]?.turn;
}

/** Notes the end of a complete search, unless another replica has begun one since. */
export async function endSearch({ pool }: Database, turn: string, missing: ReadonlyMap<string, number>): Promise<void> {
  await pool.query(
    `UPDATE audit_gap_search SET ended_at = clock_timestamp(), is_complete = true, missing = $2 WHERE begun_at = $1::timestamptz`,
    [turn, JSON.stringify(Object.fromEntries(missing))],
  );
}

/** Notes that a search was given up; what was missing before counts as missing still. */
export async function giveUpSearch({ pool }: Database, turn: string): Promise<void> {
  await pool.query(
    `UPDATE audit_gap_search SET ended_at = clock_timestamp(), is_complete = false WHERE begun_at = $1::timestamptz`,
    [turn],
  );
}

const select = `
SELECT missing, coalesce(is_complete AND ended_at > clock_timestamp() - greatest(
  $1::int * interval '1 millisecond', 3 * $2::int * (ended_at - begun_at)), false) AS "isComplete"
FROM audit_gap_search`;

/** @param searchAgeMaxMs beyond which a search says nothing any more; three rests of the search where that is longer. */
export async function readSearch(
  { pool }: Database,
  { searchAgeMaxMs, restFactor }: Pick<SearchPace, "restFactor"> & { readonly searchAgeMaxMs: number },
): Promise<GapSearch> {
  const { rows } = await pool.query<{ readonly missing: Record<string, number>; readonly isComplete: boolean }>(
    select,
    [searchAgeMaxMs, restFactor],
  );
  const { missing = {}, isComplete = false } = rows[0] ?? {};
  return { isComplete, missing: new Map(Object.entries(missing)) };
}
