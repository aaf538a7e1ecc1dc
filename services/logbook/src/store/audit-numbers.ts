import { type Database, reading, untilAborted } from "@gatehouse/database";
import type pg from "pg";
import type { SourcedRecord } from "../domain/audit-record.ts";
import { gapSettlesMs, type NumberGap } from "../domain/number-gaps.ts";

/** Greatest distance between the times of a gap and of events without a number, minutes: relays and brokers delay both. */
const nearMinutes = 10;
/** Gaps that are named. */
const gapsMax = 100;

/** Time after its bound at which a statement is given up whose server no longer keeps it, milliseconds. */
const silenceMs = 2_000;

/** In one order, so that replicas with the same events wait for each other. Of a number that is taken the event there stays. */
const insertNumbers = `
WITH given AS (
  SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[]) AS g(service, number, event_id)
), kept AS (
  INSERT INTO audit_numbers (service, number, event_id)
  SELECT service, number, event_id FROM given ORDER BY service, number ON CONFLICT DO NOTHING
)
SELECT g.service, g.number::float8 AS number FROM given g JOIN audit_numbers n USING (service, number)
WHERE n.event_id <> g.event_id`;

/** A number that stands for another event already. */
export interface TakenNumber {
  readonly service: string;
  readonly number: number;
}

/**
 * Notes the numbers of events that are in the log now, or were before.
 * @returns those that other events have: the service's outbox was put back to an earlier state, or its key is in other hands
 */
export async function recordNumbers(
  client: pg.PoolClient,
  records: readonly SourcedRecord[],
): Promise<readonly TakenNumber[]> {
  const numbered = records.flatMap(({ record, source }) => (source === undefined ? [] : [{ ...source, record }]));
  if (numbered.length === 0) return [];
  const { rows } = await client.query<TakenNumber>(insertNumbers, [
    numbered.map(({ service }) => service),
    numbered.map(({ number }) => number),
    numbered.map(({ record }) => record.eventId),
  ]);
  return rows;
}

/** The time of an event that a gap names by its number. */
const timeOf = (column: "number" | "before") => `(
    SELECT l.at FROM audit_numbers n JOIN audit_log l USING (event_id) WHERE n.service = g.service AND n.number = g.${column})`;

/**
 * Each table is read once, whatever the number of gaps: gaps are found by an index alone, the log is read only where there is one,
 * and events without a number are counted up to each moment, of which the two of a gap give those between. The limit comes last, a
 * service's first gap before another's second, so that gaps that are explained, or another service's, hide none.
 */
const selectGaps = `
WITH numbered AS (
  SELECT service, number, lag(number, 1, 0::bigint) OVER (PARTITION BY service ORDER BY number) AS before FROM audit_numbers
), gaps AS MATERIALIZED (
  SELECT g.*, (SELECT n.stored_at FROM audit_numbers n WHERE n.service = g.service AND n.number = g.number) AS stored_at
  FROM numbered g WHERE number > before + 1
), settled AS MATERIALIZED (
  SELECT g.*, ${timeOf("before")} AS since, ${timeOf("number")} AS until
  FROM gaps g WHERE stored_at <= clock_timestamp() - interval '${gapSettlesMs} milliseconds'
), moments AS (
  SELECT CASE before WHEN 0 THEN '-infinity' ELSE coalesce(since, until) - interval '${nearMinutes} minutes' END AS at, 0 AS place,
    service, before, number, stored_at FROM settled
  UNION ALL
  SELECT until + interval '${nearMinutes} minutes', 2, service, before, number, stored_at FROM settled
  UNION ALL
  SELECT l.at, 1, NULL, NULL, NULL, NULL FROM audit_log l
  WHERE EXISTS (SELECT FROM settled) AND NOT EXISTS (SELECT FROM audit_numbers n WHERE n.event_id = l.event_id)
), counted AS (
  SELECT *, count(*) FILTER (WHERE place = 1) OVER (ORDER BY at, place) AS events FROM moments
), unexplained AS (
  SELECT service, before, number, stored_at, row_number() OVER (PARTITION BY service ORDER BY number) AS turn
  FROM counted WHERE place <> 1 GROUP BY service, before, number, stored_at
  HAVING bool_or(at IS NULL)
    OR max(events) FILTER (WHERE place = 2) - max(events) FILTER (WHERE place = 0) < number - before - 1
), named AS (
  SELECT * FROM unexplained ORDER BY turn, service LIMIT ${gapsMax}
)
SELECT service, (before + 1)::float8 AS first, (number - 1)::float8 AS last,
  (extract(epoch FROM clock_timestamp() - stored_at) * 1000)::float8 AS "ageMs"
FROM named ORDER BY service, number`;

/**
 * Gaps in the numbers of every service that have been open for a while and that nothing explains, the first ones of each. As many
 * events of about that time without a number explain one: a logbook or a relay of an earlier version took them. For the numbers
 * before the first one that came, that is any time before: a logbook of an earlier version may have been there for weeks.
 * @throws GatewayError `unavailable` while Postgres is away, and where it does not finish in time; the signal's reason.
 */
export async function readGaps(
  database: Database,
  timeoutMs: number,
  /** Ends the search when it is aborted. */
  signal: AbortSignal,
): Promise<readonly NumberGap[]> {
  const boundMs = Math.max(1, Math.floor(timeoutMs));
  // The pool gives up sooner, and so does its session.
  const query: pg.QueryConfig & { readonly query_timeout: number } = {
    text: selectGaps,
    query_timeout: boundMs + silenceMs,
  };
  return await reading(
    async () =>
      await untilAborted(database, signal, async (client) => {
        await client.query("SELECT set_config('statement_timeout', $1, true)", [String(boundMs)]);
        return (await client.query<NumberGap>(query)).rows;
      }),
  );
}
