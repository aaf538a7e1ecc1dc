import { type Database, inTransaction } from "@gatehouse/database";

/** The root of a project's webhook secrets, sealed. */
export interface SealedRoot {
  readonly projectUuid: string;
  readonly sealedRoot: string;
}

/** The id of the key is the second part of what `seal` makes. */
const keyId = "split_part(sealed_root, '.', 2)";

/** Number of roots that each key of the keyring seals. */
export async function countRoots({ pool }: Database): Promise<ReadonlyMap<string, number>> {
  const { rows } = await pool.query<{ key_id: string; count: number }>(
    `SELECT ${keyId} AS key_id, count(*)::int AS count FROM projects GROUP BY 1`,
  );
  return new Map(rows.map((row) => [row.key_id, row.count]));
}

/** One root for each key that seals any. */
export async function sampleRoots({ pool }: Database): Promise<readonly SealedRoot[]> {
  const { rows } = await pool.query<{ uuid: string; sealed_root: string }>(
    `SELECT DISTINCT ON (${keyId}) uuid, sealed_root FROM projects ORDER BY ${keyId}, created_at DESC`,
  );
  return rows.map((row) => ({ projectUuid: row.uuid, sealedRoot: row.sealed_root }));
}

/** Rows that one transaction reseals. */
const resealMax = 100;

/**
 * Reseals some of the roots that another key than the given one seals, in the order of their projects' uuids. Resumable, and
 * safe to run in several processes.
 * @param afterUuid where an earlier call ended; empty at the beginning.
 * @returns where it ended; undefined when there are none left.
 */
export async function resealRoots(
  database: Database,
  { currentKeyId, afterUuid }: { readonly currentKeyId: string; readonly afterUuid: string },
  reseal: (root: SealedRoot) => string | undefined,
): Promise<string | undefined> {
  return await inTransaction(database, async (client) => {
    const { rows } = await client.query<{ uuid: string; sealed_root: string }>(
      `SELECT uuid, sealed_root FROM projects WHERE ${keyId} <> $1 AND uuid::text > $2 ORDER BY uuid::text LIMIT $3
       FOR UPDATE SKIP LOCKED`,
      [currentKeyId, afterUuid, resealMax],
    );
    const sealed = rows.flatMap((row) => {
      const text = reseal({ projectUuid: row.uuid, sealedRoot: row.sealed_root });
      return text === undefined ? [] : [{ uuid: row.uuid, text }];
    });
    await client.query(
      `UPDATE projects p SET sealed_root = n.text FROM unnest($1::uuid[], $2::text[]) AS n(uuid, text)
       WHERE p.uuid = n.uuid`,
      [sealed.map(({ uuid }) => uuid), sealed.map(({ text }) => text)],
    );
    return rows.at(-1)?.uuid;
  });
}
