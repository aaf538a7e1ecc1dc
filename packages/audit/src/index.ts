export { type AuditEvent, type NewAuditEvent, type ProjectReference } from "./audit-event.ts";
export { catalogue, type EventDefinition, type EventKey, isEventKey, severities, type Severity } from "./catalogue.ts";
export { type AuditOrigin, originMetadata, readOrigin, systemOrigin } from "./origin.ts";
