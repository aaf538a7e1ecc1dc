import {
  defineResource,
  id,
  nullable,
  number,
  object,
  record,
  reference,
  shown,
  string,
  unknown,
} from "@gatehouse/admin";
import type { AuditedChange } from "../store/audit-reader.ts";

/** One audited change, without its place in the hash chain. */
export const auditLogEntry = defineResource({
  id: shown(id("The entry's id."), { show: ({ id: rowId }: AuditedChange) => Number(rowId) }),
  at: shown(reference("When it happened.")),
  event: shown(reference("The event's key.")),
  severity: shown(reference("info, warn, error or critical.")),
  actor: shown(reference("Administrator, token or service that did it.")),
  project: shown(
    nullable(object({ id: number(), uuid: string(), name: string() }, "Null for an event of the whole gateway.")),
  ),
  target: shown(reference("The name of what was changed.")),
  metadata: shown(reference("An object of the event's own fields."), {
    show: ({ metadata }: AuditedChange) => JSON.parse(metadata) as unknown,
    shownAs: record(unknown()),
  }),
  ip_address: shown(reference("The caller's address.")),
  event_id: shown(reference("The event's own uuid.")),
});
