export { AuditQueue } from "./audit-queue.ts";
export {
  type AuditEvent,
  auditEvent,
  type EventSource,
  type EventSubject,
  type NewAuditEvent,
  type ProjectReference,
} from "./audit-event.ts";
export {
  catalogue,
  type EventDefinition,
  type EventKey,
  type EventMetadata,
  isEventKey,
  severities,
  type Severity,
} from "./catalogue.ts";
export {
  describeEndpoint,
  endpointEvent,
  type EndpointEventKey,
  type EndpointSubject,
  endpointUpdated,
} from "./endpoint-events.ts";
export { listLengthMax } from "./event-metadata.ts";
export { type BlockedCall, type BlockedSubject, guardrailBlocked } from "./guardrail-blocked.ts";
export { type AuditInitiator, initiatorMetadata, readInitiator, systemInitiator } from "./initiator.ts";
export { auditConsumers, createOutboxRelay, type OutboxRelay, type OutboxRelayOptions } from "./outbox-relay.ts";
export { outboxMigrations } from "./outbox-migrations.ts";
export { readAuditEvent, type ReceivedEvent } from "./read-audit-event.ts";
export { type EventTransaction, recordEvent, recordEvents } from "./record-event.ts";
