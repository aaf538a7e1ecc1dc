import type { EventKey, EventMetadata, Severity } from "./catalogue.ts";
import type { AuditInitiator } from "./initiator.ts";

/** A project as events name it. */
export interface ProjectReference {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
}

/** An audit event as a service records it, in the transaction that changes the state. */
export interface NewAuditEvent {
  readonly event: EventKey;
  /** `admin_key:<name>`, `token:<name>`, `system`, or `unknown` for a caller whose key is not known. */
  readonly actor: string;
  /** Null for what concerns the whole gateway. */
  readonly project: ProjectReference | null;
  /** The name of the affected object. */
  readonly target: string;
  /** Fields of the event, by its schema in the catalogue. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The caller's address; empty where the gateway acted by itself. */
  readonly ipAddress: string;
  /** W3C trace context of the request that makes the change, where it is traced. */
  readonly traceparent?: string;
}

/** An event's place among those of the service that recorded it. */
export interface EventSource {
  readonly service: string;
  /** Numbers rise from 1 without gaps: a missing one means that its event was withheld. */
  readonly number: number;
}

/** An event as it travels and as it is kept: the JSON body of a message of the stream `audit`, whose id is `id`. */
export interface AuditEvent extends NewAuditEvent {
  /** A uuid. */
  readonly id: string;
  readonly severity: Severity;
  /** ISO 8601, UTC. */
  readonly occurredAt: string;
  /** W3C trace context of the request that made the change; empty where nothing is traced. */
  readonly traceparent: string;
  /** Absent where a relay of an earlier version has published it first. */
  readonly source?: EventSource;
}

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
