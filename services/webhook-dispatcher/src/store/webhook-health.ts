import { type Database, pageBounds, type PageRequest, type PageResult, reading, toPage } from "@gatehouse/database";
import { visibleWebhook } from "./deliveries.ts";

/**
 * Most recent ended deliveries of a webhook that are examined, and their age in hours; the cost grows with webhooks, not
 * deliveries.
 */
const lookedAt = { deliveries: 100, hours: 24 } as const;

/** Recent results of a webhook. */
export interface WebhookHealth {
  readonly id: number;
  readonly name: string;
  readonly projectUuid: string;
  readonly succeeded: number;
  readonly failed: number;
  readonly lastAttemptedAt: Date;
  readonly lastSuccess: boolean;
  readonly lastError: string | undefined;
}

interface HealthRow {
  readonly id: number;
  readonly name: string;
  readonly project_uuid: string;
  readonly succeeded: number;
  readonly failed: number;
  readonly last_attempted_at: Date;
  readonly last_success: boolean;
  readonly last_error: string | null;
}

interface WebhookHealthRequest {
  /** Undefined: all projects. */
  readonly projectUuid: string | undefined;
  /** Whether to list only active webhooks whose last delivery failed. */
  readonly isFailing: boolean;
  /** Excludes webhooks that subscribe to one of these. */
  readonly exceptEvents: readonly string[];
  readonly page: PageRequest;
}

/** Webhooks with recent deliveries, oldest first. @throws GatewayError `invalid_argument` for an invalid limit or cursor */
export async function listWebhookHealth(
  { pool }: Database,
  { projectUuid, isFailing, exceptEvents, page }: WebhookHealthRequest,
): Promise<PageResult<WebhookHealth>> {
  const { take, afterId } = pageBounds(page);
  const { rows } = await reading(async () => {
    return await pool.query<HealthRow>(
      `WITH newest AS (
         SELECT w.id, w.name, w.project_uuid, d.id AS delivery_id, d.attempted_at, d.success, d.error
         FROM ${visibleWebhook} CROSS JOIN LATERAL (
           SELECT id, attempted_at, success, error FROM deliveries WHERE webhook_id = w.id AND state = 'done'
           ORDER BY id DESC LIMIT ${lookedAt.deliveries}
         ) d
         WHERE w.id > $1 AND ($2::uuid IS NULL OR w.project_uuid = $2) AND (w.is_active OR NOT $3)
           AND NOT (w.events && $4::text[])
           AND d.attempted_at > now() - interval '${lookedAt.hours} hours'
       )
       SELECT id, name, project_uuid, count(*) FILTER (WHERE success)::int AS succeeded,
         count(*) FILTER (WHERE NOT success)::int AS failed, max(attempted_at) AS last_attempted_at,
         (array_agg(success ORDER BY delivery_id DESC))[1] AS last_success,
         (array_agg(error ORDER BY delivery_id DESC))[1] AS last_error
       FROM newest GROUP BY id, name, project_uuid
       HAVING NOT $3 OR NOT (array_agg(success ORDER BY delivery_id DESC))[1]
       ORDER BY id LIMIT $5`,
      [afterId, projectUuid ?? null, isFailing, exceptEvents, take + 1],
    );
  });
  return toPage(rows.map(fromRow), take);
}

function fromRow(row: HealthRow): WebhookHealth {
  return {
    id: row.id,
    name: row.name,
    projectUuid: row.project_uuid,
    succeeded: row.succeeded,
    failed: row.failed,
    lastAttemptedAt: row.last_attempted_at,
    lastSuccess: row.last_success,
    lastError: row.last_error ?? undefined,
  };
}
