import type { Database } from "@gatehouse/database";

interface SealedRoot {
  readonly projectUuid: string;
  readonly sealedRoot: string;
}

/** The second part of a sealed value is the id of its key. */
const keyId = "split_part(sealed_root, '.', 2)";

/** Number of root keys by the key that seals them. */
export async function countRoots({ pool }: Database): Promise<ReadonlyMap<string, number>> {
  const { rows } = await pool.query<{ key_id: string; count: number }>(
    `SELECT ${keyId} AS key_id, count(*)::int AS count FROM projects GROUP BY 1`,
  );
  return new Map(rows.map((row) => [row.key_id, row.count]));
}

/** One root key for each sealing key, of projects that are not deleted. */
export async function sampleRoots({ pool }: Database): Promise<readonly SealedRoot[]> {
  const { rows } = await pool.query<{ uuid: string; sealed_root: string }>(
    `SELECT DISTINCT ON (${keyId}) uuid, sealed_root FROM projects WHERE deleted_at IS NULL
     ORDER BY ${keyId}, created_at DESC`,
  );
  return rows.map((row) => ({ projectUuid: row.uuid, sealedRoot: row.sealed_root }));
}
