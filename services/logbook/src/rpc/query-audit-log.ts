import type { AuditLogEntry, QueryAuditLogRequest, QueryAuditLogResponse } from "@gatehouse/proto/logbook";
import type { AuditedChange } from "../store/audit-reader.ts";
import type { QueryContext } from "./context.ts";
import { fromRange, projectFilter } from "./range.ts";

/** @throws GatewayError `invalid_argument` naming the field. */
export async function handleQueryAuditLog(
  { audit }: QueryContext,
  { projectUuid, range, event }: QueryAuditLogRequest,
): Promise<QueryAuditLogResponse> {
  const { items, nextCursor } = await audit.query({
    range: fromRange(range),
    projectUuid: projectFilter(projectUuid),
    event: event === "" ? undefined : event,
  });
  return { entries: items.map(toEntry), nextCursor };
}

function toEntry({ id, metadata, ...change }: AuditedChange): AuditLogEntry {
  return { ...change, id: Number(id), metadataJson: metadata };
}
