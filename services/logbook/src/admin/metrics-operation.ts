import {
  array,
  boolean,
  defineOperation,
  id,
  isRowId,
  isUuid,
  nameOrId,
  nullable,
  number,
  object,
  oneOf,
  optional,
  project,
  readProject,
  record,
  reference,
  resourceNotFound,
  string,
  timestamp,
  toDate,
  toTimestamp,
  withDefault,
} from "@gatehouse/admin";
import { invalidArgument } from "@gatehouse/errors";
import { toDollars } from "@gatehouse/money";
import { userNameLengthMax } from "@gatehouse/principal";
import { buckets, type Grouping, groupings, outcomes, toLatencyMs, toMetricsRange } from "../domain/metrics.ts";
import { noUuid } from "../store/metric-rollups.ts";
import { type MetricsRow, readMetrics } from "../store/metrics-reader.ts";
import type { AdminContext } from "./admin-context.ts";
import { projectFilter, requireProject } from "./project-of-call.ts";

const nameLengthMax = 100;

/** Null for requests that have none. */
const idOrName = nullable(nameOrId("A name, or a token's id.", userNameLengthMax));

const sums = {
  requests: number(),
  errors: number(),
  errors_by_kind: record(number()),
  guardrail_blocks: number(),
  p50_ms: number(),
  p95_ms: number(),
  p99_ms: number(),
  prompt_tokens: number(),
  cached_tokens: number(),
  completion_tokens: number(),
  cost_usd: number(),
};

const series = object({
  group: nullable(record(idOrName)),
  is_other: boolean(),
  total: object(sums),
  points: array(object({ at: string(), ...sums })),
});

/** Counts, costs and latencies of requests by time and group. */
export const queryMetrics = defineOperation({
  name: "svc_query_metrics",
  description:
    "Requests, errors by kind, latencies, tokens, cost and guardrail blocks by time, of the whole gateway or one project, in one " +
    "series or one for each of the busiest groups. Times are widened to whole buckets (UTC); empty buckets are left out.",
  access: readProject,
  coversDeletedProjects: true,
  input: object({
    project: optional(project),
    since: timestamp("The first bucket holds this moment."),
    until: timestamp("The last bucket ends at this moment, or holds it."),
    bucket: oneOf(
      "Length of a bucket; less than an hour for the last two days only, whole for one bucket of the whole range, to the hour.",
      buckets,
    ),
    group_by: optional(oneOf("A series for each of these; the busiest, and one for all others.", groupings)),
    filters: optional(
      object(
        {
          endpoint: optional(reference("The endpoint's uuid.")),
          token_id: optional(id("The access token's id.")),
          provider: optional(string({ description: "The provider's name.", lengthMax: nameLengthMax })),
          model: optional(string({ description: "The model's name.", lengthMax: nameLengthMax })),
          user: optional(
            string({ description: "The person behind the call, as logged.", lengthMax: userNameLengthMax }),
          ),
        },
        "Only requests of these.",
      ),
    ),
    clients_only: withDefault(boolean("Whether calls of the Control Plane are left out."), false),
  }),
  output: object({ since: string(), until: string(), bucket: string(), series: array(series) }),
  async run(call, { database, wallNow }: AdminContext) {
    const { input } = call;
    const { since, until, bucket, group_by: groupBy, filters: given = {} } = input;
    const range = toMetricsRange({ since: toDate(since), until: toDate(until), bucket }, wallNow());
    if ("problem" in range) throw invalidArgument(`${range.problem}.`);
    const project = projectFilter(call);
    const filters = {
      ...(project === undefined ? {} : { project }),
      ...(given.endpoint === undefined ? {} : { endpoint: requireUuid("Endpoint", given.endpoint) }),
      ...(given.token_id === undefined ? {} : { token: requireTokenId(given.token_id) }),
      ...(given.provider === undefined ? {} : { provider: given.provider }),
      ...(given.model === undefined ? {} : { model: given.model }),
      ...(given.user === undefined ? {} : { user: given.user }),
    };
    const rows = await readMetrics(database, { range, groupBy, filters, isClientsOnly: input.clients_only });
    if (rows.length === 0) requireProject(call);
    return {
      since: toTimestamp(range.sinceMs),
      until: toTimestamp(range.untilMs),
      bucket,
      series: toSeries(rows, groupBy),
    };
  },
});

function requireUuid(kind: string, value: string): string {
  if (isUuid(value)) return value.toLowerCase();
  throw resourceNotFound(kind, value);
}

function requireTokenId(value: number): number {
  if (isRowId(value)) return value;
  throw resourceNotFound("Token", value);
}

/** Totals come first, the busiest group at the head. */
function toSeries(rows: readonly MetricsRow[], groupBy: Grouping | undefined) {
  const points = Map.groupBy(
    rows.filter(({ at }) => at !== null),
    ({ key }) => key,
  );
  return rows
    .filter(({ at }) => at === null)
    .map((total) => ({
      group: groupBy === undefined || total.key === null ? null : { [groupBy]: toGroupValue(groupBy, total.key) },
      is_other: total.key === null,
      total: encodeSums(total),
      points: (points.get(total.key) ?? []).map((row) => ({ at: row.at?.toISOString(), ...encodeSums(row) })),
    }));
}

/** Null for requests that have none. */
function toGroupValue(groupBy: Grouping, key: string): string | number | null {
  if (key === noUuid || key === "") return null;
  if (groupBy !== "token") return key;
  return key === "0" ? null : Number(key);
}

function encodeSums(row: MetricsRow) {
  const counts = outcomes.map((outcome, index) => [outcome, Number(row.by_outcome[index] ?? 0)] as const);
  const errors = counts.filter(([outcome, count]) => outcome !== "ok" && count > 0);
  return {
    requests: Number(row.requests),
    errors: errors.reduce((sum, [, count]) => sum + count, 0),
    errors_by_kind: Object.fromEntries(errors),
    guardrail_blocks: counts.find(([outcome]) => outcome === "guardrail_blocked")?.[1] ?? 0,
    p50_ms: toLatencyMs(row.p50),
    p95_ms: toLatencyMs(row.p95),
    p99_ms: toLatencyMs(row.p99),
    prompt_tokens: Number(row.prompt_tokens),
    cached_tokens: Number(row.cached_tokens),
    completion_tokens: Number(row.completion_tokens),
    cost_usd: toDollars(Number(row.cost_micros)),
  };
}
