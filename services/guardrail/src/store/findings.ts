import {
  type Database,
  newestPageBounds,
  type PageRequest,
  type PageResult,
  reading,
  toPage,
} from "@gatehouse/database";
import type { RecordedFinding } from "../domain/findings/recorded-finding.ts";
import type { PolicyOwner } from "../domain/policy-owner.ts";

/** Time for which findings are kept, and their greatest number in one project. */
const findingsKept = { days: 30, ofProjectMax: 10_000 } as const;

/** A finding as administrators see it. */
export interface FindingRecord extends RecordedFinding {
  readonly id: number;
}

interface FindingRow {
  /** Postgres' bigint arrives as text. */
  readonly id: string;
  readonly project_uuid: string;
  readonly endpoint_uuid: string | null;
  readonly request_id: string;
  readonly at: Date;
  readonly side: "input" | "output";
  readonly detector: string;
  readonly label: string;
  readonly action: FindingRecord["action"];
  readonly score: number | null;
  readonly excerpt: string | null;
}

/** Adds findings in one statement. */
export async function storeFindings({ pool }: Database, findings: readonly RecordedFinding[]): Promise<void> {
  const column = <Name extends keyof RecordedFinding>(name: Name) => findings.map((finding) => finding[name] ?? null);
  await pool.query({
    name: "store-findings",
    text: `INSERT INTO findings (project_uuid, endpoint_uuid, request_id, at, side, detector, label, action, score, excerpt)
           SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[], $5::text[], $6::text[], $7::text[],
                                $8::text[], $9::float8[], $10::text[])`,
    values: [
      column("projectUuid"),
      column("endpointUuid"),
      column("requestId"),
      column("at"),
      column("side"),
      column("detector"),
      column("label"),
      column("action"),
      column("score"),
      column("excerpt"),
    ],
  });
}

interface FindingFilter {
  readonly owner: PolicyOwner;
  readonly detector: string | undefined;
  readonly page: PageRequest;
}

/** Newest first; of a project, those of its endpoints too. @throws GatewayError `invalid_argument` for an invalid cursor. */
export async function listFindings(
  { pool }: Database,
  { owner: { projectUuid, endpointUuid }, detector, page }: FindingFilter,
): Promise<PageResult<FindingRecord>> {
  const { take, beforeId } = newestPageBounds(page);
  const { rows } = await reading(async () => {
    return await pool.query<FindingRow>(
      `SELECT * FROM findings WHERE project_uuid = $1 AND ($2::uuid IS NULL OR endpoint_uuid = $2)
          AND ($3::text IS NULL OR detector = $3) AND id < $4 ORDER BY id DESC LIMIT $5`,
      [projectUuid, endpointUuid ?? null, detector ?? null, beforeId, take + 1],
    );
  });
  return toPage(rows.map(fromRow), take);
}

/** Number of findings of one day (UTC) with one detector and action. */
export interface FindingCount {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  readonly detector: string;
  readonly action: FindingRecord["action"];
  readonly count: number;
}

/** Counts of all findings that are kept, oldest day first; of a project, those of its endpoints too. */
export async function countFindings(
  { pool }: Database,
  { projectUuid, endpointUuid }: PolicyOwner,
): Promise<readonly FindingCount[]> {
  return await reading(async () => {
    const { rows } = await pool.query<FindingCount>(
      `SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, detector, action, count(*)::int AS count
         FROM findings WHERE project_uuid = $1 AND ($2::uuid IS NULL OR endpoint_uuid = $2)
        GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
      [projectUuid, endpointUuid ?? null],
    );
    return rows;
  });
}

/** @returns undefined where the project has no such finding any more. */
export async function findFinding(
  { pool }: Database,
  { projectUuid, id }: { readonly projectUuid: string; readonly id: number },
): Promise<FindingRecord | undefined> {
  // Postgres refuses a number that no bigint can hold.
  if (!Number.isSafeInteger(id)) return undefined;
  return await reading(async () => {
    const sql = "SELECT * FROM findings WHERE project_uuid = $1 AND id = $2";
    const [row] = (await pool.query<FindingRow>(sql, [projectUuid, id])).rows;
    return row && fromRow(row);
  });
}

/** Deletes what is older or more than is kept. */
export async function deleteOldFindings({ pool }: Database): Promise<void> {
  await pool.query("DELETE FROM findings WHERE at < now() - $1 * interval '1 day'", [findingsKept.days]);
  await pool.query(
    `DELETE FROM findings f USING (
       SELECT project_uuid, min(id) AS oldest FROM (
         SELECT project_uuid, id, row_number() OVER (PARTITION BY project_uuid ORDER BY id DESC) AS place FROM findings) placed
        WHERE place <= $1 GROUP BY project_uuid) kept
      WHERE f.project_uuid = kept.project_uuid AND f.id < kept.oldest`,
    [findingsKept.ofProjectMax],
  );
}

function fromRow(row: FindingRow): FindingRecord {
  return {
    id: Number(row.id),
    projectUuid: row.project_uuid,
    endpointUuid: row.endpoint_uuid ?? undefined,
    requestId: row.request_id,
    at: row.at,
    side: row.side,
    detector: row.detector,
    label: row.label,
    action: row.action,
    score: row.score ?? undefined,
    excerpt: row.excerpt ?? undefined,
  };
}
