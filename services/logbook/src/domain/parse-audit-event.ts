import type { AuditEvent, EventSource } from "@gatehouse/audit";
import type { SourcedRecord } from "./audit-record.ts";

/**
 * Reads the body of a message of the stream `audit`.
 * @param publisher the service that has signed it, where it is known: it may not use the numbers of
 * another. @throws Error for a malformed body; its text is not quoted.
 */
export function parseAuditEvent(body: string, publisher?: string): SourcedRecord {
  const event = JSON.parse(body) as Partial<AuditEvent> | null;
  if (typeof event !== "object" || event === null) throw new Error("An audit event is not an object.");
  const { project = null } = event;
  const atMs = Date.parse(textOf(event.occurredAt, "occurredAt"));
  if (Number.isNaN(atMs)) throw new Error("An audit event has no valid occurredAt.");
  const eventId = textOf(event.id, "id");
  if (eventId === "") throw new Error("An audit event has no id.");
  const record = {
    eventId,
    atMs,
    event: textOf(event.event, "event"),
    severity: textOf(event.severity, "severity"),
    actor: textOf(event.actor, "actor"),
    projectId: project === null ? null : project.id,
    projectUuid: project === null ? null : textOf(project.uuid, "project.uuid").toLowerCase(),
    projectName: project === null ? null : textOf(project.name, "project.name"),
    target: textOf(event.target ?? "", "target"),
    metadata: JSON.stringify(event.metadata ?? {}),
    ipAddress: textOf(event.ipAddress ?? "", "ipAddress"),
    traceparent: textOf(event.traceparent ?? "", "traceparent"),
  };
  return { record, source: sourceOf(event.source, publisher) };
}

function sourceOf(source: Partial<EventSource> | undefined, publisher: string | undefined): EventSource | undefined {
  const { service, number } = source ?? {};
  if (typeof service !== "string" || typeof number !== "number" || !Number.isSafeInteger(number)) return undefined;
  if (number < 1 || (publisher !== undefined && publisher !== service)) return undefined;
  return { service, number };
}

/** The hashed value must equal the one that Postgres gives back, so values that it would refuse or change are replaced before. */
function textOf(value: unknown, field: string): string {
  if (typeof value !== "string") throw new Error(`An audit event has no ${field}.`);
  return value.replaceAll("\0", "\ufffd").toWellFormed();
}
