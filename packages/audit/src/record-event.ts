import { randomUUID } from "node:crypto";
import type { PrismaTransaction, StatementRunner } from "@gatehouse/database";
import type { AuditEvent, NewAuditEvent } from "./audit-event.ts";
import { catalogue } from "./catalogue.ts";
import { checkEvent } from "./check-event.ts";
import { toFittingText } from "./fit-event.ts";

/** A changing transaction: Prisma's, or one of hand-written statements. */
export type EventTransaction = PrismaTransaction | StatementRunner;

/** Body in the outbox; the time is the row's. */
export type OutboxBody = Omit<AuditEvent, "occurredAt">;

/** Latest events that a new one must follow; more than the transactions that insert one within a millisecond. */
const precedingMax = 16;

/**
 * The row's time is taken here rather than at the transaction's start, when the changed row was not locked yet. It is at least a
 * millisecond, the precision of the column, after those of the events before, so that times order the changes of one row, also
 * after the clock was set back by up to an hour. After a clock that was further ahead, each event would get its time for as long.
 */
const insertEvents = `WITH time AS MATERIALIZED (
  SELECT greatest(clock_timestamp(), max(created_at) + interval '1 millisecond') AS next
  FROM (SELECT created_at FROM audit_outbox ORDER BY seq DESC LIMIT ${precedingMax}) AS preceding
  WHERE created_at < clock_timestamp() + interval '1 hour'
)
INSERT INTO audit_outbox (event_id, body, created_at)
SELECT event_id, body, next + (place - 1) * interval '1 millisecond'
FROM time, unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS e(event_id, body, place) ORDER BY place`;
/** Events of the gateway's work, with the statement's time. */
const insertPrepared = `INSERT INTO audit_outbox (event_id, body)
SELECT event_id, body FROM unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS e(event_id, body, place) ORDER BY place
ON CONFLICT (event_id) DO NOTHING`;

/**
 * Writes an event into the outbox of the transaction's schema: it is published if, and only if, the transaction commits. To be
 * called once the changed row is locked.
 * @returns the event's id, a uuid.
 * @throws TypeError where the event violates the catalogue.
 */
export async function recordEvent(transaction: EventTransaction, event: NewAuditEvent): Promise<string> {
  const { id, text } = prepare(event);
  await run(transaction, insertEvents, [[id], [text]]);
  return id;
}

/** Writes several events in one statement, in order and with ascending times. @returns their ids. @throws as {@link recordEvent}. */
export async function recordEvents(
  transaction: EventTransaction,
  events: readonly NewAuditEvent[],
): Promise<readonly string[]> {
  const prepared = events.map(prepare);
  const ids = prepared.map(({ id }) => id);
  if (ids.length > 0) await run(transaction, insertEvents, [ids, prepared.map(({ text }) => text)]);
  return ids;
}

/** Checked event that is ready to insert: its uuid, and its body as JSON that fits a message of the broker. */
export interface PreparedEvent {
  readonly id: string;
  readonly text: string;
}

/** Writes prepared events in one statement, in order; a repeated attempt writes each once. */
export async function recordPrepared(runner: StatementRunner, events: readonly PreparedEvent[]): Promise<void> {
  const values = [events.map(({ id }) => id), events.map(({ text }) => text)];
  await run(runner, insertPrepared, values);
}

/** @throws TypeError where the event violates the catalogue, or is too large for brokers. */
export function prepare(event: NewAuditEvent): PreparedEvent {
  checkEvent(event);
  const id = randomUUID();
  const { severity } = catalogue[event.event];
  const body: OutboxBody = { ...event, id, severity, traceparent: event.traceparent ?? "" };
  return { id, text: toFittingText(body) };
}

async function run(transaction: EventTransaction, sql: string, values: readonly unknown[]): Promise<void> {
  if ("$executeRawUnsafe" in transaction) await transaction.$executeRawUnsafe(sql, ...values);
  else await transaction.query(sql, values);
}
