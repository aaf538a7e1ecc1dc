import { allowanceBounds } from "../decisions/bounds.ts";
import { type WindowAsk, type WindowGrant, windowMs, type WindowScope } from "../decisions/window-lease.ts";
import { epochMs, type Statement, type Statements } from "./statements.ts";

/** Ledger's answer to one renewal, with the database's time, by which replicas correct their clocks. */
export interface WindowRenewal {
  /** One for each ask, in order. */
  readonly grants: readonly WindowGrant[];
  /** Time of the database at the answer, epoch milliseconds. */
  readonly databaseMs: number;
}

/** Ledger of rate-limit windows in Postgres; `sweep` deletes the rows of past windows. Rejects while Postgres is unreachable. */
export interface WindowStore {
  /** Leases requests of the current windows and takes back returned ones. At most one ask for a window. */
  renew(asks: readonly WindowAsk[]): Promise<WindowRenewal>;
  sweep(): Promise<void>;
}

interface GrantRow {
  readonly subject: string;
  readonly window_seconds: number;
  readonly start_ms: number;
  readonly granted: number;
  readonly units: number;
  readonly database_ms: number;
}

/** SQL for the units left, which are granted to the need first, and then to a share of the rest. */
const left = "GREATEST(0, excluded.limit_units - held.base)";
const forNeed = `LEAST(excluded.last_need, ${left})`;
const grant = `(${forNeed} + LEAST(excluded.last_extra, (${left} - ${forNeed}) / ${allowanceBounds.leaseShare}))`;

/** SQL for the requests granted in the row's window, less returned ones. A row of an earlier window starts from 0. */
const base = `(SELECT CASE WHEN w.window_start < excluded.window_start THEN 0
  WHEN w.window_start = excluded.window_start THEN GREATEST(0, w.granted - excluded.last_return)
  ELSE w.granted END AS base)`;

/**
 * One statement reads, decides and writes, so the row's lock alone keeps `granted <= limit_units`. Rows are locked in the order
 * of their keys, so that replicas cannot deadlock. The database's clock decides the window; if it is set back, the newer window
 * stays.
 */
function renewStatement(now: string): Statement {
  return {
    name: "allowances-windows-renew",
    text: `
WITH clock AS MATERIALIZED (SELECT ${now} AS at),
asked AS (
  SELECT a.*, floor(extract(epoch FROM clock.at) / a.window_seconds)::bigint * a.window_seconds AS window_start
  FROM clock, unnest($1::text[], $2::int[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
    AS a(subject, window_seconds, limit_units, need, extra, returned, returned_start)
)
INSERT INTO allowance_windows AS w
  (subject, window_seconds, window_start, limit_units, last_need, last_extra, last_return, granted, last_grant)
SELECT subject, window_seconds, window_start, limit_units, need, extra,
  CASE WHEN returned_start = window_start THEN returned ELSE 0 END, fresh.units, fresh.units
FROM asked, LATERAL (
  SELECT LEAST(need, limit_units) + LEAST(extra, (limit_units - LEAST(need, limit_units)) / ${allowanceBounds.leaseShare}) AS units
) fresh
ORDER BY subject, window_seconds
ON CONFLICT (subject, window_seconds) DO UPDATE SET
  (window_start, limit_units, last_need, last_extra, last_return, granted, last_grant) = (
    SELECT GREATEST(w.window_start, excluded.window_start), excluded.limit_units, excluded.last_need, excluded.last_extra,
      excluded.last_return, held.base + ${grant}, ${grant}
    FROM ${base} held
  )
RETURNING subject, window_seconds, (window_start * 1000)::float8 AS start_ms, granted::float8 AS granted,
  last_grant::float8 AS units, (SELECT ${epochMs("clock.at")} FROM clock) AS database_ms`,
  };
}

function sweepStatement(now: string): Statement {
  return {
    name: "allowances-windows-sweep",
    text: `DELETE FROM allowance_windows
WHERE window_start + 2 * window_seconds < extract(epoch FROM ${now})`,
  };
}

/** @param now the database's time as an SQL expression; replaced in tests */
export function createWindowStore(statements: Statements, now: string): WindowStore {
  const renew = renewStatement(now);
  const sweep = sweepStatement(now);
  return {
    async renew(asks) {
      const rows = await statements.run<GrantRow>(renew, toColumns(asks));
      const byKey = new Map(rows.map((row) => [`${row.window_seconds} ${row.subject}`, row]));
      const grants = asks.map(({ subject, scope }) => toGrant(byKey.get(`${seconds(scope)} ${subject}`)));
      return { grants, databaseMs: rows[0]?.database_ms ?? 0 };
    },
    async sweep() {
      await statements.run(sweep, []);
    },
  };
}

function toColumns(asks: readonly WindowAsk[]): readonly unknown[] {
  return [
    asks.map(({ subject }) => subject),
    asks.map(({ scope }) => seconds(scope)),
    asks.map(({ limit }) => limit),
    asks.map(({ need }) => need),
    asks.map(({ extra }) => extra),
    asks.map(({ returned }) => returned),
    asks.map(({ returnedStartMs }) => returnedStartMs / 1_000),
  ];
}

function toGrant(row: GrantRow | undefined): WindowGrant {
  if (row === undefined) throw new Error("The database gave no answer for a window.");
  return { startMs: row.start_ms, units: row.units, granted: row.granted };
}

function seconds(scope: WindowScope): number {
  return windowMs[scope] / 1_000;
}
