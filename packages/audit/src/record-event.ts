import { randomUUID } from "node:crypto";
import type { PrismaTransaction, StatementRunner } from "@gatehouse/database";
import type { AuditEvent, NewAuditEvent } from "./audit-event.ts";
import { catalogue } from "./catalogue.ts";
import { checkEvent } from "./check-event.ts";

/** A transaction that changes something: Prisma's, or one of hand-written statements. */
export type EventTransaction = PrismaTransaction | StatementRunner;

/** An event as it waits in the outbox: its time is the row's. */
export type OutboxBody = Omit<AuditEvent, "occurredAt">;

const insert = "INSERT INTO audit_outbox (event_id, body) VALUES ($1::uuid, $2)";

/**
 * Writes an event into the outbox of the transaction's schema: it is published if, and only if, the transaction commits.
 * @returns the event's id, a uuid.
 * @throws TypeError where the event is not as the catalogue says.
 */
export async function recordEvent(transaction: EventTransaction, event: NewAuditEvent): Promise<string> {
  checkEvent(event);
  const id = randomUUID();
  const { severity } = catalogue[event.event];
  const body: OutboxBody = { ...event, id, severity, traceparent: event.traceparent ?? "" };
  const text = JSON.stringify(body);
  if ("$executeRawUnsafe" in transaction) await transaction.$executeRawUnsafe(insert, id, text);
  else await transaction.query(insert, [id, text]);
  return id;
}
