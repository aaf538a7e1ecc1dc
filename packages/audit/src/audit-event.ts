import type { EventKey, EventMetadata, Severity } from "./catalogue.ts";
import type { AuditInitiator } from "./initiator.ts";

/** Project of an event, with its name at the time of the event; stored events keep it after a rename or deletion. */
export interface ProjectReference {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
}

/** An audit event as recorded by a service, in the transaction of the change. */
export interface NewAuditEvent {
  readonly event: EventKey;
  /** `admin_key:<name>`, `token:<name>`, `system`, or `unknown` for an unknown key. */
  readonly actor: string;
  /** Null for events of the whole gateway. */
  readonly project: ProjectReference | null;
  readonly target: string;
  /** Fields of the event, by its schema in the catalogue. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The caller's address; empty for actions of the gateway itself. */
  readonly ipAddress: string;
  /** W3C trace context of the request that makes the change, where it is traced. */
  readonly traceparent?: string;
}

/** Number of an event in its service. */
export interface EventSource {
  readonly service: string;
  /** Rises from 1 without gaps, so that a missing number shows a withheld event. */
  readonly number: number;
}

/** A published and stored event: the JSON body of a message of the stream `audit`, whose id is `id`. */
export interface AuditEvent extends NewAuditEvent {
  /** A uuid. */
  readonly id: string;
  readonly severity: Severity;
  /** ISO 8601, UTC. */
  readonly occurredAt: string;
  /** W3C trace context of the request that made the change; empty without tracing. */
  readonly traceparent: string;
  /** Absent for an event first published by a relay of an earlier version. */
  readonly source?: EventSource;
}

/** Object of an event, with the metadata that the catalogue requires for its key. */
export interface EventSubject<Key extends EventKey> {
  readonly target: string;
  readonly metadata: EventMetadata<Key>;
  /** The initiator's where absent. */
  readonly project?: ProjectReference | null;
}

/** Creates an event of an action by `initiator`. Called by the functions of `src/events.ts` only. */
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
