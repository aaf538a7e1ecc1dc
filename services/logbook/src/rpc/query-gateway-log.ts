import type { GatewayLogEntry, QueryGatewayLogRequest, QueryGatewayLogResponse } from "@gatehouse/proto/logbook";
import { parseStatus } from "../domain/log-query.ts";
import { type LoggedRequest, queryGatewayLog } from "../store/gateway-log-reader.ts";
import type { QueryContext } from "./context.ts";
import { fromRange, projectFilter } from "./range.ts";

/** @throws GatewayError `invalid_argument` naming the field. */
export async function handleQueryGatewayLog(
  { database }: QueryContext,
  { projectUuid, range, status, requestId }: QueryGatewayLogRequest,
): Promise<QueryGatewayLogResponse> {
  const { items, nextCursor } = await queryGatewayLog(database, {
    range: fromRange(range),
    projectUuid: projectFilter(projectUuid),
    status: status === "" ? undefined : parseStatus(status),
    requestId: requestId === "" ? undefined : requestId,
  });
  return { entries: items.map(toEntry), nextCursor };
}

function toEntry(row: LoggedRequest): GatewayLogEntry {
  return {
    id: Number(row.id),
    at: row.at,
    requestId: row.requestId,
    traceId: row.traceId ?? undefined,
    project: row.projectUuid ?? undefined,
    endpoint: row.endpointUuid ?? undefined,
    tokenId: row.tokenId ?? undefined,
    route: row.route,
    status: row.status,
    error: row.error ?? undefined,
    durationMs: row.durationMs,
    provider: row.provider ?? undefined,
    model: row.model ?? undefined,
    attempts: row.attempts,
    promptTokens: row.promptTokens ?? undefined,
    completionTokens: row.completionTokens ?? undefined,
    costMicros: row.costMicros === null ? undefined : Number(row.costMicros),
    detailsJson: row.details ?? "",
  };
}
