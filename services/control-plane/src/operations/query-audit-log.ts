import { catalogue, type EventKey } from "@gatehouse/audit";
import type { JsonObject } from "@gatehouse/json-rpc";
import type { AuditLogEntry } from "@gatehouse/proto/logbook";
import { toTimestamp } from "../clients/parse-reply.ts";
import { oneOf, optional } from "../domain/arguments.ts";
import { askAbout, encodeLogPage, logArguments, toRange } from "./log-arguments.ts";
import { defineOperation } from "./operation.ts";

const eventKeys = Object.keys(catalogue) as EventKey[];

export const queryAuditLog = defineOperation({
  name: "svc_query_audit_log",
  description: "Changes and other events that are audited, newest first.",
  arguments: { ...logArguments, event: optional(oneOf("An event key.", eventKeys)) },
  async run(args, { logbook, projects }) {
    const { entries, nextCursor } = await askAbout(args.project, projects, async (projectUuid) => {
      return await logbook.queryAuditLog({ projectUuid, event: args.event ?? "", range: toRange(args) });
    });
    return encodeLogPage(entries.map(encodeEntry), nextCursor);
  },
});

/** An entry as the contract shows it (decisions: "Shapes"), and the event's own uuid. */
function encodeEntry(entry: AuditLogEntry): JsonObject {
  const { id, at, event, severity, actor, project, target, metadataJson, ipAddress, eventId } = entry;
  return {
    id,
    at: toTimestamp(at),
    event,
    severity,
    actor,
    project: project === undefined ? null : { id: project.id, uuid: project.uuid, name: project.name },
    target,
    metadata: JSON.parse(metadataJson) as JsonObject,
    ip_address: ipAddress,
    event_id: eventId,
  };
}
