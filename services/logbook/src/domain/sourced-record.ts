import type { EventSource, ReceivedEvent } from "@gatehouse/audit";
import type { SourcedRecord } from "./audit-record.ts";

/**
 * The record of an event that has come.
 * @param publisher the service that has signed its message, where it is known: it may not use the numbers of another.
 */
export function toSourcedRecord(event: ReceivedEvent, publisher?: string): SourcedRecord {
  const { project } = event;
  const record = {
    eventId: storable(event.id),
    atMs: Date.parse(event.occurredAt),
    event: storable(event.event),
    severity: storable(event.severity),
    actor: storable(event.actor),
    projectId: project === null ? null : project.id,
    projectUuid: project === null ? null : storable(project.uuid).toLowerCase(),
    projectName: project === null ? null : storable(project.name),
    target: storable(event.target),
    metadata: JSON.stringify(event.metadata),
    ipAddress: storable(event.ipAddress),
    traceparent: storable(event.traceparent),
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
function storable(text: string): string {
  return text.replaceAll("\0", "\ufffd").toWellFormed();
}
