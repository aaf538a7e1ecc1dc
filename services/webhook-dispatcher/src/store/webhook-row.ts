import type { PreviousSecret, SecretRecord } from "../domain/signing-secret.ts";
import type { Webhook } from "../domain/webhook.ts";

/** Columns of a webhook's secrets, named alike in raw SQL and Prisma. */
export interface SecretColumns {
  readonly secretVersion: number;
  readonly secretSalt: Uint8Array;
  readonly secretDigest: Uint8Array;
  readonly secretHint: string;
  readonly previousVersion: number | null;
  readonly previousSalt: Uint8Array | null;
  readonly previousDigest: Uint8Array | null;
  readonly previousHint: string | null;
  readonly previousExpiresAt: Date | null;
  readonly isStaged: boolean;
}

interface WebhookRow extends SecretColumns {
  readonly id: number;
  readonly projectUuid: string;
  readonly name: string;
  readonly url: string;
  readonly events: string[];
  readonly isActive: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Converts a row to a webhook; secrets stay sealed. */
export function fromWebhookRow(row: WebhookRow): Webhook {
  const { id, projectUuid, name, url, events, isActive, createdAt, updatedAt } = row;
  return { id, projectUuid, name, url, events, isActive, secrets: fromSecretColumns(row), createdAt, updatedAt };
}

/** Secrets of a webhook, by version. */
export function fromSecretColumns(row: SecretColumns): Webhook["secrets"] {
  const latest: SecretRecord = {
    version: row.secretVersion,
    salt: row.secretSalt,
    digest: row.secretDigest,
    hint: row.secretHint,
  };
  return { latest, previous: fromPreviousColumns(row) };
}

function fromPreviousColumns(row: SecretColumns): PreviousSecret | undefined {
  const { previousVersion: version, previousSalt: salt, previousDigest: digest, previousHint: hint } = row;
  const { previousExpiresAt: expiresAt, isStaged } = row;
  if (version === null || salt === null || digest === null || hint === null || expiresAt === null) return undefined;
  return { record: { version, salt, digest, hint }, expiresAt, isStaged };
}

/** Columns of a webhook's secrets, for a write. Those of an absent previous secret are null, so that a write clears them. */
export function toSecretColumns({ latest, previous }: Webhook["secrets"]) {
  return {
    secretVersion: latest.version,
    secretSalt: Uint8Array.from(latest.salt),
    secretDigest: Uint8Array.from(latest.digest),
    secretHint: latest.hint,
    previousVersion: previous?.record.version ?? null,
    previousSalt: previous === undefined ? null : Uint8Array.from(previous.record.salt),
    previousDigest: previous === undefined ? null : Uint8Array.from(previous.record.digest),
    previousHint: previous?.record.hint ?? null,
    previousExpiresAt: previous?.expiresAt ?? null,
    isStaged: previous?.isStaged ?? false,
  };
}
