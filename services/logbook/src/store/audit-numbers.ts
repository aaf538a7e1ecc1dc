import { type Database, reading } from "@gatehouse/database";
import type pg from "pg";
import type { SourcedRecord } from "../domain/audit-record.ts";
import type { NumberGap } from "../domain/number-gaps.ts";

/** How far the times of a gap and of events without a number may lie apart, minutes: relays and brokers delay both. */
const nearMinutes = 10;
/** Gaps that are read. */
const gapsMax = 100;

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
export async function noteNumbers(
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

const selectGaps = `
WITH numbered AS (
  SELECT service, number, event_id, stored_at,
    lag(number, 1, 0::bigint) OVER w AS before, lag(event_id) OVER w AS event_before
  FROM audit_numbers WINDOW w AS (PARTITION BY service ORDER BY number)
), gaps AS (
  SELECT * FROM numbered WHERE number > before + 1 ORDER BY service, number LIMIT ${gapsMax}
)
SELECT g.service, (g.before + 1)::float8 AS first, (g.number - 1)::float8 AS last,
  (extract(epoch FROM clock_timestamp() - g.stored_at) * 1000)::float8 AS "ageMs",
  (SELECT count(*)::int FROM audit_log l
   WHERE l.at >= coalesce(p.at, a.at) - interval '${nearMinutes} minutes' AND l.at <= a.at + interval '${nearMinutes} minutes'
     AND NOT EXISTS (SELECT 1 FROM audit_numbers n WHERE n.event_id = l.event_id)) AS unnumbered
FROM gaps g LEFT JOIN audit_log a ON a.event_id = g.event_id LEFT JOIN audit_log p ON p.event_id = g.event_before
ORDER BY g.service, g.number`;

/** Gaps in the numbers of every service, the first ones of each. @throws GatewayError `unavailable` while Postgres is away. */
export async function readGaps({ pool }: Database): Promise<readonly NumberGap[]> {
  return (await reading(async () => await pool.query<NumberGap>(selectGaps))).rows;
}
