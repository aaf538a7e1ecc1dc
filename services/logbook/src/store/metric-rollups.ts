import type { Database } from "@gatehouse/database";
import { userNameLengthMax } from "@gatehouse/principal";
import {
  hoursKeptMs,
  latencyStepMax,
  latencyStepsPerDoubling,
  minutesKeptMs,
  otherUsers,
  type Outcome,
  usersPerHourMax,
} from "../domain/metrics.ts";

/** Stands for the absence of a project or endpoint; no token is 0, no provider, model or user an empty text. */
export const noUuid = "00000000-0000-0000-0000-000000000000";

/** Buckets of any length begin at whole multiples of it since then. */
export const bucketOrigin = "timestamptz '1970-01-01T00:00Z'";

/** How long the names of an hour's users are known. */
const usersKeptMs = 8 * 86_400_000;

/** Names come from configuration, but an index takes no text of any length. */
const nameLengthMax = 100;

const keys = "at, project_uuid, endpoint_uuid, token_id, provider, model, user_name, outcome, latency";
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

/** Names beyond the bound are none that the gateway gives. */
const userExpression = `left(COALESCE(arrived.user_name, ''), ${userNameLengthMax})`;

/**
 * Which users of the entries are counted by name: those of the hour that are known, and as many new ones as there is room for. Two
 * writers that admit at the same moment may each fill the room, so the bound is exact for one writer, and twice it for two.
 */
const admitUsers = `
named AS (
  SELECT DISTINCT date_bin('1 hour', at, ${bucketOrigin}) AS hour, project_uuid, ${userExpression} AS user_name
  FROM arrived WHERE project_uuid IS NOT NULL AND COALESCE(user_name, '') <> ''
),
known AS (SELECT named.* FROM named JOIN metric_users USING (hour, project_uuid, user_name)),
new AS (
  SELECT *, row_number() OVER (PARTITION BY hour, project_uuid ORDER BY user_name) AS place
  FROM (SELECT * FROM named EXCEPT SELECT * FROM known) AS unknown
),
room AS (
  SELECT hour, project_uuid, ${usersPerHourMax} - (
    SELECT count(*) FROM metric_users u WHERE u.hour = new.hour AND u.project_uuid = new.project_uuid) AS left_over
  FROM new GROUP BY hour, project_uuid
),
fits AS MATERIALIZED (
  SELECT hour, project_uuid, user_name FROM new JOIN room USING (hour, project_uuid) WHERE place <= left_over
),
admitted AS (
  INSERT INTO metric_users (hour, project_uuid, user_name) SELECT * FROM fits ORDER BY 1, 2, 3 ON CONFLICT DO NOTHING
),
told_apart AS MATERIALIZED (SELECT * FROM known UNION ALL SELECT * FROM fits)`;

/** Members of a `WITH` that count the entries of another member, `arrived`, by the minute, the hour and the day (UTC). */
export const rollUpArrived = `
${admitUsers},
counted AS (
  SELECT date_bin('1 minute', arrived.at, ${bucketOrigin}) AS at, COALESCE(arrived.project_uuid, '${noUuid}') AS project_uuid,
    COALESCE(endpoint_uuid, '${noUuid}') AS endpoint_uuid, COALESCE(token_id, 0) AS token_id,
    left(COALESCE(provider, ''), ${nameLengthMax}) AS provider, left(COALESCE(model, ''), ${nameLengthMax}) AS model,
    CASE WHEN ${userExpression} = '' THEN '' ELSE COALESCE(told_apart.user_name, '${otherUsers}') END AS user_name,
    ${outcomeExpression} AS outcome, ${latencyExpression} AS latency, count(*) AS requests,
    COALESCE(sum(prompt_tokens), 0)::bigint AS prompt_tokens, COALESCE(sum(completion_tokens), 0)::bigint AS completion_tokens,
    COALESCE(sum(cost_micros), 0)::bigint AS cost_micros
  FROM arrived LEFT JOIN told_apart ON told_apart.hour = date_bin('1 hour', arrived.at, ${bucketOrigin})
    AND told_apart.project_uuid = arrived.project_uuid AND told_apart.user_name = ${userExpression}
  GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9
),
minutes AS (${upsert("metric_minutes", `SELECT ${keys}, ${sums.join(", ")} FROM counted`)}),
${rolledUp("hours", "1 hour")},
${rolledUp("days", "1 day")}`;

/** A member that counts `counted` by a longer time. */
function rolledUp(name: "hours" | "days", length: string): string {
  return `${name} AS (${upsert(
    `metric_${name}`,
    `SELECT * FROM (
    SELECT date_bin('${length}', at, ${bucketOrigin}) AS at, project_uuid, endpoint_uuid, token_id, provider, model, user_name, outcome,
      latency, ${sums.map((sum) => `sum(${sum})::bigint AS ${sum}`).join(", ")}
    FROM counted GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9) AS longer`,
  )})`;
}

/** Deletes what is older than it is kept. */
export async function forgetMetrics({ pool }: Database, nowMs: number): Promise<void> {
  await pool.query("DELETE FROM metric_minutes WHERE at < $1", [new Date(nowMs - minutesKeptMs)]);
  // Names are only needed while entries of their hour come in; late ones wait on a disk for days at most.
  await pool.query("DELETE FROM metric_users WHERE hour < $1", [new Date(nowMs - usersKeptMs)]);
  for (const table of ["metric_hours", "metric_days"]) {
    await pool.query(`DELETE FROM ${table} WHERE at < $1`, [new Date(nowMs - hoursKeptMs)]);
  }
}
