import type { AuditEvent } from "@gatehouse/audit";
import type { AuditRecord } from "./audit-record.ts";

/** Reads the body of a message of the stream `audit`. @throws Error for one that is none; its text is not quoted. */
export function parseAuditEvent(body: string): AuditRecord {
  const event = JSON.parse(body) as Partial<AuditEvent> | null;
  if (typeof event !== "object" || event === null) throw new Error("An audit event is not an object.");
  const { project = null } = event;
  const atMs = Date.parse(textOf(event.occurredAt, "occurredAt"));
  if (Number.isNaN(atMs)) throw new Error("An audit event has no valid occurredAt.");
  const eventId = textOf(event.id, "id");
  if (eventId === "") throw new Error("An audit event has no id.");
  return {
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
}

/** The hashed value must equal the one that Postgres gives back, so values that it would refuse or change are replaced before. */
function textOf(value: unknown, field: string): string {
  if (typeof value !== "string") throw new Error(`An audit event has no ${field}.`);
  return value.replaceAll("\0", "\ufffd").toWellFormed();
}
