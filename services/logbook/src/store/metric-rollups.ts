import type { Database } from "@gatehouse/database";
import {
  hoursKeptMs,
  latencyStepMax,
  latencyStepsPerDoubling,
  minutesKeptMs,
  type Outcome,
} from "../domain/metrics.ts";

/** What stands where an entry has no project or endpoint; no token is 0, no provider or model an empty text. */
export const noUuid = "00000000-0000-0000-0000-000000000000";

/** Buckets of any length begin at whole multiples of it since then. */
export const bucketOrigin = "timestamptz '1970-01-01T00:00Z'";

/** Names come from configuration, but an index takes no text of any length. */
const nameLengthMax = 100;

const keys = "at, project_uuid, endpoint_uuid, token_id, provider, model, outcome, latency";
const sums = ["requests", "prompt_tokens", "completion_tokens", "cost_micros"] as const;

/** The first that fits. Messages are those that callers read; statuses alone do not tell these apart. */
const outcomeConditions: readonly (readonly [condition: string, outcome: Outcome])[] = [
  ["error LIKE 'Request blocked:%'", "guardrail_blocked"],
  ["error LIKE 'Endpoint monthly budget exhausted:%'", "budget_exhausted"],
  // An error inside of a reply: of MCP, or of a stream that has begun.
  ["status < 400 AND error IS NOT NULL", "in_reply"],
  ["status < 400", "ok"],
  ["status IN (401, 403)", "unauthorized"],
  ["status = 429", "rate_limited"],
  ["status = 499", "client_gone"],
  ["status < 500", "invalid"],
  ["status IN (502, 503, 504)", "provider"],
];
const outcomeExpression = `CASE ${outcomeConditions.map(([when, then]) => `WHEN ${when} THEN '${then}'`).join(" ")} ELSE 'internal' END`;

const latencyExpression = `CASE WHEN duration_ms <= 1 THEN 0
  ELSE LEAST(${latencyStepMax}, ceil(${latencyStepsPerDoubling} * ln(duration_ms::float8) / ln(2::float8))) END::smallint`;

/** In the order of the key, so that two writers wait for each other rather than deadlock. */
const upsert = (table: string, selected: string) => `
  INSERT INTO ${table} (${keys}, ${sums.join(", ")})
  ${selected} ORDER BY ${keys}
  ON CONFLICT (${keys}) DO UPDATE SET ${sums.map((sum) => `${sum} = ${table}.${sum} + EXCLUDED.${sum}`).join(", ")}`;

/** Members of a `WITH` that count the entries of another member, `arrived`, by the minute, the hour and the day (UTC). */
export const rollUpArrived = `
counted AS (
  SELECT date_bin('1 minute', at, ${bucketOrigin}) AS at, COALESCE(project_uuid, '${noUuid}') AS project_uuid,
    COALESCE(endpoint_uuid, '${noUuid}') AS endpoint_uuid, COALESCE(token_id, 0) AS token_id,
    left(COALESCE(provider, ''), ${nameLengthMax}) AS provider, left(COALESCE(model, ''), ${nameLengthMax}) AS model,
    ${outcomeExpression} AS outcome, ${latencyExpression} AS latency, count(*) AS requests,
    COALESCE(sum(prompt_tokens), 0)::bigint AS prompt_tokens, COALESCE(sum(completion_tokens), 0)::bigint AS completion_tokens,
    COALESCE(sum(cost_micros), 0)::bigint AS cost_micros
  FROM arrived GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
),
minutes AS (${upsert("metric_minutes", `SELECT ${keys}, ${sums.join(", ")} FROM counted`)}),
${rolledUp("hours", "1 hour")},
${rolledUp("days", "1 day")}`;

/** A member that counts `counted` by a longer time. */
function rolledUp(name: "hours" | "days", length: string): string {
  return `${name} AS (${upsert(
    `metric_${name}`,
    `SELECT * FROM (
    SELECT date_bin('${length}', at, ${bucketOrigin}) AS at, project_uuid, endpoint_uuid, token_id, provider, model, outcome, latency,
      ${sums.map((sum) => `sum(${sum})::bigint AS ${sum}`).join(", ")}
    FROM counted GROUP BY 1, 2, 3, 4, 5, 6, 7, 8) AS longer`,
  )})`;
}

/** Deletes what is older than it is kept. */
export async function forgetMetrics({ pool }: Database, nowMs: number): Promise<void> {
  await pool.query("DELETE FROM metric_minutes WHERE at < $1", [new Date(nowMs - minutesKeptMs)]);
  for (const table of ["metric_hours", "metric_days"]) {
    await pool.query(`DELETE FROM ${table} WHERE at < $1`, [new Date(nowMs - hoursKeptMs)]);
  }
}
