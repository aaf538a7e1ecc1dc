import type { NewAuditEvent, ProjectReference } from "./audit-event.ts";
import type { EventKey, EventMetadata } from "./catalogue.ts";
import type { AuditInitiator } from "./initiator.ts";

/** The object that an event is about, with the metadata that the catalogue demands of its key. */
export interface EventSubject<Key extends EventKey> {
  /** The name of the affected object. */
  readonly target: string;
  readonly metadata: EventMetadata<Key>;
  /** The initiator's where absent. */
  readonly project?: ProjectReference | null;
}

/** An event of what `initiator` asks for. Called by the functions of `src/events.ts` only. */
export function auditEvent<Key extends EventKey>(
  { actor, ipAddress, traceparent, project }: AuditInitiator,
  event: Key,
  subject: EventSubject<Key>,
): NewAuditEvent {
  const about = subject.project === undefined ? project : subject.project;
  return {
    event,
    actor,
    project: about === null ? null : { id: about.id, uuid: about.uuid, name: about.name },
    target: subject.target,
    metadata: { ...subject.metadata },
    ipAddress,
    traceparent,
  };
}
