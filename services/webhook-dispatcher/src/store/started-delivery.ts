import type { SecretSource, SigningSecrets } from "../domain/signing-secret.ts";
import { secretColumns } from "./stored-secrets.ts";
import { fromSecretColumns, type SecretColumns } from "./webhook-row.ts";

/** A claimed delivery, with the number of the claim. */
export interface Claim {
  /** pg returns a bigint as text. */
  readonly id: string;
  readonly webhookId: number;
  readonly leaseNo: number;
}

/** A started delivery with everything needed to send it, as of its start. */
export interface StartedDelivery extends Claim {
  readonly uuid: string;
  readonly messageUuid: string;
  readonly event: string;
  readonly requestBody: string;
  readonly traceparent: string;
  readonly url: string;
  readonly source: SecretSource;
  readonly secrets: SigningSecrets;
  /** By the database's clock. */
  readonly startedAt: Date;
  /** Wait from creation to start, milliseconds. */
  readonly queueMs: number;
}

/** Columns of a claimed delivery, joined with its webhook. */
export interface StartedRow extends SecretColumns {
  readonly id: string;
  readonly webhook_id: number;
  readonly lease_no: number;
  readonly uuid: string;
  readonly message_uuid: string;
  readonly event: string;
  readonly request_body: string;
  readonly traceparent: string;
  readonly attempted_at: Date;
  readonly queue_ms: number;
  readonly url: string;
  readonly project_uuid: string;
  readonly sealed_root: string;
}

/** Longest recorded wait, milliseconds: the largest int, some 25 days. */
const queueMsMax = 2 ** 31 - 1;

/** Columns of a delivery `d`, its webhook `w` and the project `p`. */
export const startedColumns = `d.id, d.webhook_id, d.lease_no, d.uuid, d.message_uuid, d.event, d.request_body,
  d.traceparent, d.attempted_at,
  least(greatest(extract(epoch FROM d.attempted_at - d.created_at) * 1000, 0), ${queueMsMax})::int AS queue_ms,
  w.url, w.project_uuid, p.sealed_root,
  ${secretColumns}`;

/** Started delivery of a row with {@link startedColumns}; the root key stays sealed. */
export function fromStartedRow(row: StartedRow): StartedDelivery {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    leaseNo: row.lease_no,
    uuid: row.uuid,
    messageUuid: row.message_uuid,
    event: row.event,
    requestBody: row.request_body,
    traceparent: row.traceparent,
    url: row.url,
    source: { projectUuid: row.project_uuid, sealedRoot: row.sealed_root, webhookId: row.webhook_id },
    secrets: fromSecretColumns(row),
    startedAt: row.attempted_at,
    queueMs: row.queue_ms,
  };
}
