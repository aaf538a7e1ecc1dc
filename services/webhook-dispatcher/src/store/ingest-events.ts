import type { AuditEvent } from "@gatehouse/audit";
import { type Database, inTransaction } from "@gatehouse/database";
import type pg from "pg";
import { isForEveryProject, matchEvents, type NewDelivery, type Subscription } from "../domain/matching.ts";

/**
 * Stores new events, each once, with one delivery for each of its webhooks, which are read in the same transaction.
 * @returns the webhooks with waiting deliveries
 */
export async function ingestEvents(database: Database, events: readonly AuditEvent[]): Promise<ReadonlySet<number>> {
  return await inTransaction(database, async (client) => {
    const fresh = await insertEvents(client, events);
    if (fresh.length === 0) return new Set<number>();
    const deliveries = matchEvents(fresh, await readSubscriptions(client, fresh));
    await insertDeliveries(client, deliveries);
    await recordProjects(client, fresh);
    return new Set(deliveries.map(({ webhookId }) => webhookId));
  });
}

/**
 * Stores the ids of events. The id of an event that comes again is kept from then on: its outbox publishes it hourly while another
 * consumer has not stored it, for however long.
 * @returns the events that are new
 */
async function insertEvents(client: pg.PoolClient, events: readonly AuditEvent[]): Promise<readonly AuditEvent[]> {
  const byId = new Map(events.map((event) => [event.id.toLowerCase(), event]));
  const { rows } = await client.query<{ id: string }>({
    name: "webhook-events-insert",
    // Sorted, so that transactions with the same events wait for each other instead of deadlocking.
    text: `WITH old AS (
             SELECT id FROM events WHERE id = ANY($1::uuid[]) AND stored_at < now() - interval '1 hour'
             ORDER BY id FOR UPDATE
           ), again AS (UPDATE events e SET stored_at = now() FROM old WHERE e.id = old.id)
           INSERT INTO events (id) SELECT id FROM unnest($1::uuid[]) AS e(id) ORDER BY id
           ON CONFLICT (id) DO NOTHING RETURNING id`,
    values: [[...byId.keys()]],
  });
  const fresh = new Set(rows.map(({ id }) => id));
  // In order of arrival.
  return [...byId].filter(([id]) => fresh.has(id)).map(([, event]) => event);
}

interface SubscriptionRow {
  readonly id: number;
  readonly events: string[];
  readonly active_since: Date;
  readonly project_id: number;
  readonly project_name: string;
  readonly project_uuid: string;
}

/** A project that is being deleted receives only the event of its deletion. */
async function readSubscriptions(client: pg.PoolClient, events: readonly AuditEvent[]): Promise<Subscription[]> {
  const farewells = events.filter(({ event }) => event === "project.deleted").map(({ project }) => project?.uuid);
  const { rows } = await client.query<SubscriptionRow>({
    name: "webhook-subscriptions",
    text: `SELECT w.id, w.events, w.active_since, p.id AS project_id, p.name AS project_name, p.uuid AS project_uuid
           FROM webhooks w JOIN projects p ON p.uuid = w.project_uuid
           WHERE w.is_active AND w.deleted_at IS NULL AND w.events && $1::text[]
             AND ($2 OR p.uuid = ANY($3::uuid[]))
             AND (p.deleted_at IS NULL OR p.uuid = ANY($4::uuid[]) AND 'project.deleted' = ANY(w.events))
           ORDER BY w.id`,
    values: [
      [...new Set(events.map(({ event }) => event))],
      events.some(isForEveryProject),
      [...new Set(events.flatMap(({ project }) => (project === null ? [] : [project.uuid])))],
      farewells,
    ],
  });
  return rows.map((row) => ({
    webhookId: row.id,
    events: row.events,
    activeSince: row.active_since,
    project: { id: row.project_id, name: row.project_name, uuid: row.project_uuid },
  }));
}

async function insertDeliveries(client: pg.PoolClient, deliveries: readonly NewDelivery[]): Promise<void> {
  if (deliveries.length === 0) return;
  await client.query({
    name: "webhook-deliveries-insert",
    text: `INSERT INTO deliveries (uuid, message_uuid, event_id, webhook_id, event, request_body, traceparent)
           SELECT d.uuid, d.uuid, d.event_id, d.webhook_id, d.event, d.request_body, d.traceparent
           FROM (
             SELECT gen_random_uuid() AS uuid, n.*
             FROM unnest($1::uuid[], $2::int[], $3::text[], $4::text[], $5::text[])
               WITH ORDINALITY AS n(event_id, webhook_id, event, request_body, traceparent, ordinality)
             ORDER BY n.ordinality
           ) d
           ON CONFLICT DO NOTHING`,
    values: [
      deliveries.map(({ eventId }) => eventId),
      deliveries.map(({ webhookId }) => webhookId),
      deliveries.map(({ event }) => event),
      deliveries.map(({ requestBody }) => requestBody),
      deliveries.map(({ traceparent }) => traceparent),
    ],
  });
}

/** Updates the names of projects, and marks projects whose last event has arrived. */
async function recordProjects(client: pg.PoolClient, events: readonly AuditEvent[]): Promise<void> {
  const latest = new Map<string, AuditEvent>();
  for (const event of events) {
    if (event.project !== null) latest.set(event.project.uuid, event);
  }
  if (latest.size === 0) return;
  const named = [...latest.values()].toSorted((a, b) => (a.project?.uuid ?? "").localeCompare(b.project?.uuid ?? ""));
  await client.query({
    name: "webhook-projects-note",
    text: `UPDATE projects p SET
             name = CASE WHEN n.at > p.named_at THEN n.name ELSE p.name END,
             named_at = GREATEST(n.at, p.named_at),
             farewell = p.farewell OR n.deleted,
             deleted_at = CASE WHEN n.deleted THEN COALESCE(p.deleted_at, now()) ELSE p.deleted_at END
           FROM unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::boolean[]) AS n(uuid, name, at, deleted)
           WHERE p.uuid = n.uuid AND (n.deleted OR n.name <> p.name)`,
    values: [
      named.map(({ project }) => project?.uuid),
      named.map(({ project }) => project?.name),
      named.map(({ occurredAt }) => occurredAt),
      named.map(({ project }) => isDeleted(events, project?.uuid)),
    ],
  });
}

function isDeleted(events: readonly AuditEvent[], uuid: string | undefined): boolean {
  return events.some(({ event, project }) => event === "project.deleted" && project?.uuid === uuid);
}
