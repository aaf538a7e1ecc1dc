import { type Database, reading } from "@gatehouse/database";
import { type ComparisonCounts, type ComparisonPlace, noCounts } from "../domain/findings/compare-verdicts.ts";

/** Adds to what was counted before, by this replica or another. */
export async function storeComparison(
  { pool }: Database,
  { placeUuid, policyKey, projectUuid }: ComparisonPlace,
  counts: ComparisonCounts,
): Promise<void> {
  const { calls, same, newlyBlocked, noLongerBlocked, newlyMasked, noLongerMasked, skipped } = counts;
  await pool.query({
    name: "store-comparison",
    text: `INSERT INTO comparisons AS c (place_uuid, policy_key, project_uuid, calls, same, newly_blocked, no_longer_blocked,
                                         newly_masked, no_longer_masked, skipped)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
           ON CONFLICT (place_uuid, policy_key) DO UPDATE SET calls = c.calls + $4, same = c.same + $5,
             newly_blocked = c.newly_blocked + $6, no_longer_blocked = c.no_longer_blocked + $7,
             newly_masked = c.newly_masked + $8, no_longer_masked = c.no_longer_masked + $9, skipped = c.skipped + $10,
             last_at = now()`,
    values: [
      placeUuid,
      policyKey,
      projectUuid,
      calls,
      same,
      newlyBlocked,
      noLongerBlocked,
      newlyMasked,
      noLongerMasked,
      skipped,
    ],
  });
}

/** The counts of a policy on trial, and when they were made. */
interface ComparisonRecord extends ComparisonCounts {
  readonly firstAt: Date | undefined;
  readonly lastAt: Date | undefined;
}

/** Counts of a place, or of all endpoints of a project together. */
export async function readComparison(
  { pool }: Database,
  {
    projectUuid,
    placeUuid,
    policyKeys,
  }: { readonly projectUuid: string; readonly placeUuid: string | undefined; readonly policyKeys: readonly string[] },
): Promise<ComparisonRecord> {
  return await reading(async () => {
    const sum = (column: string, name: string) => `COALESCE(sum(${column}), 0)::float8 AS "${name}"`;
    const { rows } = await pool.query<ComparisonCounts & { firstAt: Date | null; lastAt: Date | null }>(
      `SELECT ${sum("calls", "calls")}, ${sum("same", "same")}, ${sum("newly_blocked", "newlyBlocked")},
              ${sum("no_longer_blocked", "noLongerBlocked")}, ${sum("newly_masked", "newlyMasked")},
              ${sum("no_longer_masked", "noLongerMasked")}, ${sum("skipped", "skipped")},
              min(first_at) AS "firstAt", max(last_at) AS "lastAt"
         FROM comparisons WHERE project_uuid = $1 AND ($2::uuid IS NULL OR place_uuid = $2) AND policy_key = ANY($3::text[])`,
      [projectUuid, placeUuid ?? null, policyKeys],
    );
    const [row = { ...noCounts, firstAt: null, lastAt: null }] = rows;
    return { ...row, firstAt: row.firstAt ?? undefined, lastAt: row.lastAt ?? undefined };
  });
}
