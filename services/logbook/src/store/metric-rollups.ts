import { type ArrayMember, nilUuid, toArrayText } from "@gatehouse/database";
import { controlRouteIds } from "@gatehouse/gateway-log";
import { userNameLengthMax } from "@gatehouse/principal";
import type { LogCount } from "../domain/log-counts.ts";
import { otherUsers, usersPerHourMax } from "../domain/metrics.ts";

/** Stands for the absence of a project or endpoint; no token is 0, no provider, model or user an empty text. */
export const noUuid = nilUuid;

/** In the place of the endpoint of the Control Plane's calls, which have none: it separates them without a further column. */
export const controlUuid = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** Hours and days begin at whole multiples of their length since then. */
const bucketEpoch = "timestamptz '1970-01-01T00:00Z'";

/** Names come from configuration, but an index takes no text of any length. */
const nameLengthMax = 100;

const keys = "at, project_uuid, endpoint_uuid, token_id, provider, model, user_name, outcome, latency";
/** Columns of the counts of calls that are added up. */
export const summedColumns = [
  "requests",
  "prompt_tokens",
  "cached_tokens",
  "completion_tokens",
  "cost_micros",
] as const;

/** In the order of the key, so that two writers wait for each other rather than deadlock. */
const upsert = (table: string, selected: string) => `
  INSERT INTO ${table} (${keys}, ${summedColumns.join(", ")})
  ${selected} ORDER BY ${keys}
  ON CONFLICT (${keys}) DO UPDATE SET ${summedColumns.map((sum) => `${sum} = ${table}.${sum} + EXCLUDED.${sum}`).join(", ")}`;

/** Cuts a user's name at the gateway's own bound; a longer one can only be a foreign entry's. */
const userExpression = `left(incoming.user_name, ${userNameLengthMax})`;

/** Types of the columns of a count, as the statements are given them. */
const countColumns: readonly (readonly [name: string, type: string, value: (count: LogCount) => ArrayMember])[] = [
  ["at", "timestamptz", ({ minuteMs }) => new Date(minuteMs).toISOString()],
  ["project_uuid", "uuid", ({ entry }) => entry.project_uuid ?? noUuid],
  ["endpoint_uuid", "uuid", ({ entry }) => endpointOf(entry)],
  ["token_id", "int", ({ entry }) => entry.token_id ?? 0],
  ["provider", "text", ({ entry }) => entry.provider ?? ""],
  ["model", "text", ({ entry }) => entry.model ?? ""],
  ["user_name", "text", ({ entry }) => entry.user_name ?? ""],
  ["outcome", "text", ({ outcome }) => outcome],
  ["latency", "smallint", ({ latency }) => latency],
  ["requests", "bigint", ({ requests }) => requests],
  ["prompt_tokens", "bigint", ({ promptTokens }) => promptTokens],
  ["cached_tokens", "bigint", ({ cachedTokens }) => cachedTokens],
  ["completion_tokens", "bigint", ({ completionTokens }) => completionTokens],
  ["cost_micros", "bigint", ({ costMicros }) => costMicros],
];

const controlRoutes: ReadonlySet<string> = new Set(controlRouteIds);

function endpointOf({ route, endpoint_uuid: endpoint }: LogCount["entry"]): string {
  return controlRoutes.has(route) ? controlUuid : (endpoint ?? noUuid);
}

/** Parameters of {@link rollUp}. */
export function toCountValues(counts: readonly LogCount[]): readonly string[] {
  return countColumns.map(([, , value]) => toArrayText(counts, value));
}

/**
 * Which users of the entries are counted by name: those of the hour that are known, and as many new ones as there is room for. Two
 * writers that admit at the same moment may each fill the room, so the bound is exact for one writer, and twice it for two.
 */
const admitUsers = `
named AS (
  SELECT DISTINCT date_bin('1 hour', at, ${bucketEpoch}) AS hour, project_uuid, ${userExpression} AS user_name
  FROM incoming WHERE project_uuid <> '${noUuid}' AND user_name <> ''
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
kept_users AS MATERIALIZED (SELECT * FROM known UNION ALL SELECT * FROM fits)`;

/**
 * Members of a `WITH` that add counts by the minute, the hour and the day (UTC), if the member `fresh` has a row. Their parameters
 * begin with the given number.
 */
export const rollUp = (firstParameter: number) => `
incoming AS MATERIALIZED (
  SELECT i.* FROM fresh, unnest(${countColumns.map(([, type], at) => `$${firstParameter + at}::${type}[]`).join(", ")})
    AS i(${countColumns.map(([name]) => name).join(", ")})
),
${admitUsers},
counted AS (
  SELECT incoming.at, incoming.project_uuid, endpoint_uuid, token_id, left(provider, ${nameLengthMax}) AS provider,
    left(model, ${nameLengthMax}) AS model,
    CASE WHEN ${userExpression} = '' THEN '' ELSE COALESCE(kept_users.user_name, '${otherUsers}') END AS user_name,
    outcome, latency, ${summedColumns.map((sum) => `sum(${sum})::bigint AS ${sum}`).join(", ")}
  FROM incoming LEFT JOIN kept_users ON kept_users.hour = date_bin('1 hour', incoming.at, ${bucketEpoch})
    AND kept_users.project_uuid = incoming.project_uuid AND kept_users.user_name = ${userExpression}
  GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9
),
minutes AS (${upsert("metric_minutes", `SELECT ${keys}, ${summedColumns.join(", ")} FROM counted`)}),
${rolledUp("hours", "1 hour")},
${rolledUp("days", "1 day")}`;

/** A member that counts `counted` by a longer time. */
function rolledUp(name: "hours" | "days", length: string): string {
  return `${name} AS (${upsert(
    `metric_${name}`,
    `SELECT * FROM (
    SELECT date_bin('${length}', at, ${bucketEpoch}) AS at, project_uuid, endpoint_uuid, token_id, provider, model, user_name, outcome,
      latency, ${summedColumns.map((sum) => `sum(${sum})::bigint AS ${sum}`).join(", ")}
    FROM counted GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9) AS longer`,
  )})`;
}
