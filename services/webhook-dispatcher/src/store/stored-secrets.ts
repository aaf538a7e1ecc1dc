import type { Database } from "@gatehouse/database";
import type { SecretSource, SigningSecrets } from "../domain/signing-secret.ts";
import { fromSecretColumns, type SecretColumns } from "./webhook-row.ts";

/** Present secrets of a webhook. */
export interface StoredSecrets {
  readonly source: SecretSource;
  readonly secrets: SigningSecrets;
  /** By the database's clock. */
  readonly readAt: Date;
}

/** Columns of the secrets of a webhook `w`. */
export const secretColumns = `w.secret_version AS "secretVersion", w.secret_salt AS "secretSalt",
  w.secret_digest AS "secretDigest", w.secret_hint AS "secretHint", w.previous_version AS "previousVersion",
  w.previous_salt AS "previousSalt", w.previous_digest AS "previousDigest", w.previous_hint AS "previousHint",
  w.previous_expires_at AS "previousExpiresAt", w.is_staged AS "isStaged"`;

interface StoredRow extends SecretColumns {
  readonly id: number;
  readonly project_uuid: string;
  readonly sealed_root: string;
  readonly read_at: Date;
}

/** Secrets of those of the given webhooks that receive deliveries: active, and neither they nor their projects deleted. */
export async function readSecrets({ pool }: Database, webhookIds: readonly number[]): Promise<StoredSecrets[]> {
  const { rows } = await pool.query<StoredRow>(
    `SELECT w.id, w.project_uuid, p.sealed_root, clock_timestamp() AS read_at, ${secretColumns}
     FROM webhooks w JOIN projects p ON p.uuid = w.project_uuid
     WHERE w.id = ANY ($1::int[]) AND w.is_active AND w.deleted_at IS NULL AND p.deleted_at IS NULL`,
    [webhookIds],
  );
  return rows.map((row) => ({
    source: { projectUuid: row.project_uuid, sealedRoot: row.sealed_root, webhookId: row.id },
    secrets: fromSecretColumns(row),
    readAt: row.read_at,
  }));
}
