export { AuditQueue } from "./audit-queue.ts";
export { auditEvent, type EventSubject } from "./audit-event-of.ts";
export type { AuditEvent, EventSource, NewAuditEvent, ProjectReference } from "./audit-event.ts";
export {
  catalogue,
  type EventDefinition,
  type EventKey,
  type EventMetadata,
  isEventKey,
  severities,
  type Severity,
} from "./catalogue.ts";
export { type BlockedCall, type BlockedSubject, guardrailBlocked } from "./guardrail-blocked.ts";
export { type AuditInitiator, initiatorMetadata, readInitiator, systemInitiator } from "./initiator.ts";
export { auditConsumers, createOutboxRelay, type OutboxRelay, type OutboxRelayOptions } from "./outbox-relay.ts";
export { outboxMigrations } from "./outbox-table.ts";
export { readAuditEvent, type ReceivedEvent } from "./read-audit-event.ts";
export { type EventTransaction, recordEvent, recordEvents } from "./record-event.ts";
