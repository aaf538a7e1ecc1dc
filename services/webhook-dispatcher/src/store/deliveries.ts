import { resourceNotFound } from "@gatehouse/admin";
import { type Database, newestPageBounds, type PageResult, reading, toPage } from "@gatehouse/database";
import type { GatewayError } from "@gatehouse/errors";
import {
  cutText,
  type Delivery,
  type DeliveryList,
  type DeliveryState,
  storedBodyBytesMax,
} from "../domain/delivery.ts";
import type { KeptHeaders } from "../domain/kept-headers.ts";

interface DeliveryRow {
  /** pg returns a bigint as text. */
  readonly id: string;
  readonly uuid: string;
  readonly message_uuid: string;
  readonly webhook_id: number;
  readonly event: string;
  readonly state: DeliveryState;
  readonly success: boolean | null;
  readonly http_status: number | null;
  readonly request_body: string;
  readonly response_headers: KeptHeaders | null;
  readonly response_body: string | null;
  readonly response_truncated: boolean;
  readonly error: string | null;
  readonly at: Date;
  readonly duration_ms: number | null;
  readonly redelivery_of: string | null;
  readonly timing: unknown;
}

const columns = `id, uuid, message_uuid, webhook_id, event, state, success, http_status, request_body, response_headers,
  response_body, response_truncated, error, COALESCE(attempted_at, created_at) AS at, duration_ms, redelivery_of, timing`;

interface DeliveryPageRequest {
  readonly webhookId: number;
  readonly state: DeliveryList;
  /** Only deliveries with this result. */
  readonly success: boolean | undefined;
  readonly event: string | undefined;
  /** Only deliveries sent, or created, from `since` on and before `until`. */
  readonly since: Date | undefined;
  readonly until: Date | undefined;
  /** Events whose deliveries are excluded. */
  readonly exceptEvents: readonly string[];
  /** 0: the default. */
  readonly limit: number;
  readonly cursor: string;
}

/** Newest first. @throws GatewayError `invalid_argument` for an invalid limit or cursor */
export async function listDeliveries(
  { pool }: Database,
  { webhookId, state, success, event, since, until, exceptEvents, limit, cursor }: DeliveryPageRequest,
): Promise<PageResult<Delivery>> {
  const { take, beforeId } = newestPageBounds({ limit, cursor });
  const { rows } = await reading(async () => {
    return await pool.query<DeliveryRow>(
      `SELECT ${columns} FROM deliveries
       WHERE webhook_id = $1 AND ($2::boolean IS NULL OR success = $2) AND id < $3 AND (state = 'done') = $5
         AND event <> ALL($6::text[]) AND ($7::text IS NULL OR event = $7)
         AND ($8::timestamptz IS NULL OR COALESCE(attempted_at, created_at) >= $8)
         AND ($9::timestamptz IS NULL OR COALESCE(attempted_at, created_at) < $9)
       ORDER BY id DESC LIMIT $4`,
      [
        webhookId,
        success ?? null,
        beforeId,
        take + 1,
        state === "finished",
        exceptEvents,
        event ?? null,
        since ?? null,
        until ?? null,
      ],
    );
  });
  return toPage(rows.map(fromRow), take);
}

/** @throws GatewayError `not_found` */
export async function readDelivery({ pool }: Database, id: number): Promise<Delivery> {
  const { rows } = await reading(async () => {
    return await pool.query<DeliveryRow>(`SELECT ${columns} FROM deliveries WHERE id = $1`, [id]);
  });
  const [row] = rows;
  if (row === undefined) throw deliveryNotFound(id);
  return fromRow(row);
}

/** For deliveries that the caller may not see, too. */
export function deliveryNotFound(id: number): GatewayError {
  return resourceNotFound("Delivery", id);
}

/** A webhook, active or not, that is not deleted, nor its project. */
export const visibleWebhook = `webhooks w JOIN projects p ON p.uuid = w.project_uuid
  AND w.deleted_at IS NULL AND p.deleted_at IS NULL`;

/** Whether a webhook exists, active or not: neither it nor its project is deleted. */
export async function isWebhookVisible(database: Database, webhookId: number): Promise<boolean> {
  return (await findWebhookProject(database, webhookId)) !== undefined;
}

/** The uuid of a visible webhook's project. */
export async function findWebhookProject({ pool }: Database, webhookId: number): Promise<string | undefined> {
  return await reading(async () => {
    const sql = `SELECT w.project_uuid FROM ${visibleWebhook} WHERE w.id = $1`;
    return (await pool.query<{ project_uuid: string }>(sql, [webhookId])).rows[0]?.project_uuid;
  });
}

/** The uuid of the project of a delivery's webhook. */
export async function findDeliveryProject({ pool }: Database, deliveryId: number): Promise<string | undefined> {
  return await reading(async () => {
    const sql = "SELECT w.project_uuid FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id WHERE d.id = $1";
    return (await pool.query<{ project_uuid: string }>(sql, [deliveryId])).rows[0]?.project_uuid;
  });
}

function fromRow(row: DeliveryRow): Delivery {
  const request = cutText(row.request_body, storedBodyBytesMax);
  return {
    id: Number(row.id),
    uuid: row.uuid,
    messageUuid: row.message_uuid,
    webhookId: row.webhook_id,
    event: row.event,
    state: row.state,
    success: row.success ?? undefined,
    httpStatus: row.http_status ?? undefined,
    requestBody: request.text,
    requestTruncated: request.truncated,
    responseHeaders: row.response_headers ?? undefined,
    responseBody: row.response_body ?? undefined,
    responseTruncated: row.response_truncated,
    error: row.error ?? undefined,
    attemptedAt: row.at,
    durationMs: row.duration_ms ?? undefined,
    redeliveryOf: row.redelivery_of === null ? undefined : Number(row.redelivery_of),
    timing: row.timing === null ? "" : JSON.stringify(row.timing),
  };
}
