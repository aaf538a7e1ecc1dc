import { randomUUID } from "node:crypto";
import type { AuditInitiator } from "@gatehouse/audit";
import { type Database, reading } from "@gatehouse/database";
import { invalidArgument } from "@gatehouse/errors";
import { eventBody } from "../domain/event-body.ts";
import { deliveryNotFound, visibleWebhook } from "./deliveries.ts";
import { fromStartedRow, startedColumns, type StartedDelivery, type StartedRow } from "./started-delivery.ts";
import { webhookNotFound } from "./webhooks.ts";

/**
 * Creates a test delivery to a webhook, active or not, as started: the caller sends it within the lease.
 * @throws GatewayError `not_found`
 */
export async function startTest(
  database: Database,
  { webhookId, initiator }: { readonly webhookId: number; readonly initiator: AuditInitiator },
  leaseMs: number,
): Promise<StartedDelivery> {
  const target = await readTarget(database, webhookId);
  if (target === undefined) throw webhookNotFound(webhookId);
  const { name, project_id: id, project_name: projectName, project_uuid: uuid, now } = target;
  const project = { id, name: projectName, uuid };
  const metadata = { webhook_id: webhookId, test: true };
  const { actor, ipAddress, traceparent } = initiator;
  const event = "webhook.test";
  const requestBody = eventBody(
    { event, severity: "info", actor, project, target: name, metadata, ipAddress, occurredAt: now.toISOString() },
    project,
  );
  const uuids = { uuid: randomUUID(), messageUuid: undefined };
  return await insertStarted(database, { webhookId, event, requestBody, traceparent, ...uuids }, leaseMs);
}

/**
 * Creates a repetition of a delivery, as started: the caller sends it within the lease. A repetition of a repetition names the first
 * delivery as well.
 * @throws GatewayError `not_found`; `invalid_argument` while the original has not ended
 */
export async function startRedelivery(database: Database, id: number, leaseMs: number): Promise<StartedDelivery> {
  const { rows } = await reading(async () => {
    return await database.pool.query<OriginalRow>(
      `SELECT d.webhook_id, d.event, d.request_body, d.message_uuid, d.traceparent, d.state,
         COALESCE(d.redelivery_of, d.id) AS first_id
       FROM deliveries d JOIN ${visibleWebhook} ON w.id = d.webhook_id WHERE d.id = $1`,
      [id],
    );
  });
  const [row] = rows;
  if (row === undefined) throw deliveryNotFound(id);
  if (row.state !== "done") throw invalidArgument(`Delivery ${id} has not ended yet.`);
  const { webhook_id: webhookId, event, request_body: requestBody, message_uuid: messageUuid, traceparent } = row;
  const redeliveryOf = row.first_id;
  const made = { webhookId, event, requestBody, traceparent, uuid: randomUUID(), messageUuid, redeliveryOf };
  return await insertStarted(database, made, leaseMs);
}

interface OriginalRow {
  readonly webhook_id: number;
  readonly event: string;
  readonly request_body: string;
  readonly message_uuid: string;
  readonly traceparent: string;
  readonly state: string;
  /** Postgres' bigint, as text. */
  readonly first_id: string;
}

interface TargetRow {
  readonly name: string;
  readonly project_id: number;
  readonly project_name: string;
  readonly project_uuid: string;
  readonly now: Date;
}

async function readTarget({ pool }: Database, webhookId: number): Promise<TargetRow | undefined> {
  return await reading(async () => {
    const { rows } = await pool.query<TargetRow>(
      `SELECT w.name, p.id AS project_id, p.name AS project_name, p.uuid AS project_uuid, clock_timestamp() AS now
       FROM ${visibleWebhook} WHERE w.id = $1`,
      [webhookId],
    );
    return rows[0];
  });
}

interface NewStarted {
  readonly webhookId: number;
  readonly uuid: string;
  /** Uuid by which receivers recognise repetitions; defaults to the delivery's. */
  readonly messageUuid: string | undefined;
  readonly event: string;
  readonly requestBody: string;
  readonly traceparent: string;
  readonly redeliveryOf?: string;
}

async function insertStarted({ pool }: Database, made: NewStarted, leaseMs: number): Promise<StartedDelivery> {
  const { webhookId, uuid, messageUuid, event, requestBody, traceparent, redeliveryOf } = made;
  const { rows } = await reading(async () => {
    return await pool.query<StartedRow>(
      `WITH d AS (
         INSERT INTO deliveries (uuid, message_uuid, webhook_id, event, request_body, traceparent, redelivery_of, state,
           lease_no, attempted_at, leased_until)
         SELECT $2::uuid, $3::uuid, w.id, $4, $5, $6, $7::bigint, 'started', 1, clock_timestamp(),
           clock_timestamp() + $8 * interval '1 millisecond'
         FROM ${visibleWebhook} WHERE w.id = $1 RETURNING *
       )
       SELECT ${startedColumns} FROM d JOIN webhooks w ON w.id = d.webhook_id JOIN projects p ON p.uuid = w.project_uuid`,
      [webhookId, uuid, messageUuid ?? uuid, event, requestBody, traceparent, redeliveryOf ?? null, leaseMs],
    );
  });
  const [row] = rows;
  // Deleted concurrently.
  if (row === undefined) throw webhookNotFound(webhookId);
  return fromStartedRow(row);
}
