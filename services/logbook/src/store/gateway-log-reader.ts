import { type Database, reading } from "@gatehouse/database";
import { type LogPage, type LogRange, type StatusRange, toLogPage } from "../domain/log-query.ts";
import { Conditions } from "./conditions.ts";

export interface GatewayLogQuery {
  readonly range: LogRange;
  readonly projectUuid: string | undefined;
  readonly status: StatusRange | undefined;
  readonly requestId: string | undefined;
  readonly endpointUuid: string | undefined;
  readonly tokenId: number | undefined;
  readonly user: string | undefined;
  readonly route: string | undefined;
  readonly provider: string | undefined;
  readonly model: string | undefined;
  /** A part of the error's message, in any case. */
  readonly error: string | undefined;
  /** Whether calls of the Control Plane are left out. */
  readonly isClientsOnly: boolean;
}

/** A row of the gateway log. */
export interface LoggedRequest {
  readonly id: string;
  readonly at: Date;
  readonly requestId: string;
  readonly traceId: string | null;
  readonly projectUuid: string | null;
  readonly endpointUuid: string | null;
  readonly tokenId: number | null;
  readonly user: string | null;
  readonly route: string;
  readonly status: number;
  readonly error: string | null;
  readonly durationMs: number;
  readonly provider: string | null;
  readonly model: string | null;
  readonly attempts: number;
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  readonly costMicros: string | null;
  readonly details: string | null;
}

const selected = `id, at, request_id AS "requestId", trace_id AS "traceId", project_uuid AS "projectUuid",
  endpoint_uuid AS "endpointUuid", token_id AS "tokenId", user_name AS "user", route, status, error, duration_ms AS "durationMs", provider, model,
  attempts, prompt_tokens AS "promptTokens", completion_tokens AS "completionTokens", cost_micros AS "costMicros",
  details::text AS details`;

/** Of calls of the Control Plane, in the router's table. */
const controlRoute = "control_mcp";

/** Newest first. Not a prepared statement: with its values known, Postgres looks into few partitions. */
export async function queryGatewayLog({ pool }: Database, query: GatewayLogQuery): Promise<LogPage<LoggedRequest>> {
  const {
    range,
    projectUuid,
    status,
    requestId,
    endpointUuid,
    tokenId,
    user,
    route,
    provider,
    model,
    error,
    isClientsOnly,
  } = query;
  const where = new Conditions();
  where.inRange(range);
  if (projectUuid !== undefined) where.add((value) => `project_uuid = ${value}::uuid`, projectUuid);
  if (requestId !== undefined) where.add((value) => `request_id = ${value}`, requestId);
  if (endpointUuid !== undefined) where.add((value) => `endpoint_uuid = ${value}::uuid`, endpointUuid);
  if (tokenId !== undefined) where.add((value) => `token_id = ${value}::int`, tokenId);
  if (user !== undefined) where.add((value) => `user_name = ${value}`, user);
  if (route !== undefined) where.add((value) => `route = ${value}`, route);
  if (provider !== undefined) where.add((value) => `provider = ${value}`, provider);
  if (model !== undefined) where.add((value) => `model = ${value}`, model);
  if (isClientsOnly) where.add((value) => `route <> ${value}`, controlRoute);
  // A position rather than a pattern: what is sought may hold % and _.
  if (error !== undefined) where.add((value) => `position(lower(${value}) IN lower(error)) > 0`, error);
  // Two bounds rather than a comparison with a list: they show that the index of failures will do.
  if (status !== undefined) {
    where.add((value) => `status >= ${value}::int`, status.first);
    where.add((value) => `status <= ${value}::int`, status.last);
  }
  const text = `SELECT ${selected} FROM gateway_log ${where.text} ORDER BY at DESC, id DESC LIMIT ${range.take + 1}`;
  const { rows } = await reading(async () => await pool.query<LoggedRequest>(text, [...where.values]));
  return toLogPage(rows, range.take);
}
