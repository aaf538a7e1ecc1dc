import {
  answered,
  type Database,
  pageBounds,
  type PageRequest,
  type PageResult,
  reading,
  toPage,
} from "@gatehouse/database";
import type { Keyring } from "@gatehouse/vault";
import type { ReachableUpstream, Upstream } from "../domain/upstream.ts";
import { toReachable, toUpstream, type UpstreamRow } from "./upstream-record.ts";
import { upstreamNotFound } from "./upstreams.ts";

const columns = `id, uuid, project_uuid AS "projectUuid", prefix, url, sealed_bearer_token AS "sealedBearerToken",
  is_active AS "isActive", settings, revision, created_at AS "createdAt", updated_at AS "updatedAt"`;

/** A project's active upstreams, in the order of registration; calls wait for this where they are not cached. */
export async function readActiveUpstreams(
  { pool }: Database,
  keyring: Keyring,
  projectUuid: string,
): Promise<readonly ReachableUpstream[]> {
  const { rows } = await reading(async () => {
    return await answered(
      async () =>
        await pool.query<UpstreamRow>({
          name: "active-upstreams",
          text: `SELECT ${columns} FROM upstreams WHERE project_uuid = $1 AND is_active ORDER BY id`,
          values: [projectUuid],
        }),
    );
  });
  return rows.map((row) => toReachable(keyring, row));
}

/** @throws GatewayError `not_found` */
export async function readUpstream({ pool }: Database, keyring: Keyring, id: number): Promise<ReachableUpstream> {
  const { rows } = await reading(async () => {
    return await pool.query<UpstreamRow>(`SELECT ${columns} FROM upstreams WHERE id = $1`, [id]);
  });
  const [row] = rows;
  if (row === undefined) throw upstreamNotFound(id);
  return toReachable(keyring, row);
}

/** Active and inactive upstreams, in the order of registration. */
export async function listUpstreams(
  { pool }: Database,
  { projectUuid, ...page }: PageRequest & { readonly projectUuid: string },
): Promise<PageResult<Upstream>> {
  const { take, afterId } = pageBounds(page);
  const { rows } = await reading(async () => {
    return await pool.query<UpstreamRow>(
      `SELECT ${columns} FROM upstreams WHERE project_uuid = $1 AND id > $2 ORDER BY id LIMIT $3`,
      [projectUuid, afterId, take + 1],
    );
  });
  return toPage(rows.map(toUpstream), take);
}
