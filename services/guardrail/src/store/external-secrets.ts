import type { Database, SealedColumn } from "@gatehouse/database";
import { reading } from "@gatehouse/database";
import { type Keyring, type Secret, seal, unseal } from "@gatehouse/vault";

/** Where sealed values are stored, each bound to its place. */
export const sealedColumns: readonly SealedColumn[] = [
  {
    table: "external_secrets",
    column: "sealed",
    placeOf,
    backup: {
      query: `SELECT s.uuid, s.sealed, 'guardrails/' || p.owner_uuid || '/' || (entry->>'name') AS place
        FROM policies p
        CROSS JOIN LATERAL jsonb_array_elements(p.document->'external') AS entry
        JOIN external_secrets s ON s.uuid::text = entry->>'secret_id'`,
      // Places of a project's secrets have its uuid in their names.
      hasReferences: false,
    },
  },
];

function placeOf(uuid: string): string {
  return `guardrail.external_secrets/${uuid}/sealed`;
}

/** A secret that is to be saved with a policy. */
export interface NewExternalSecret {
  readonly uuid: string;
  readonly sealed: string;
}

/** Seals a secret, bound to the row that it is kept in. */
export function sealExternalSecret(keyring: Keyring, uuid: string, secret: Secret): NewExternalSecret {
  return { uuid, sealed: seal(keyring, secret, placeOf(uuid)) };
}

/** The secret of a guardrail elsewhere; undefined where there is none of that project's. */
export async function readExternalSecret(
  { pool }: Database,
  keyring: Keyring,
  { uuid, projectUuid }: { readonly uuid: string; readonly projectUuid: string },
): Promise<Secret | undefined> {
  return await reading(async () => {
    const sql = "SELECT sealed FROM external_secrets WHERE uuid = $1 AND project_uuid = $2";
    const [row] = (await pool.query<{ sealed: string }>(sql, [uuid, projectUuid])).rows;
    return row && unseal(keyring, row.sealed, placeOf(uuid));
  });
}
