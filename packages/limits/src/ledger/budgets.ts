import type { Database, StatementRunner } from "@gatehouse/database";
import type { BudgetEvent } from "../decisions/allowance.ts";
import { allowanceBounds } from "../decisions/bounds.ts";
import type { BudgetAnswer, BudgetAsk } from "../decisions/budget-lease.ts";
import { runLocked } from "./ledgers.ts";
import { epochMs, inTransaction, poolStatements, type Statement } from "./statements.ts";

interface BudgetRenewal {
  /** One for each ask, in order. */
  readonly answers: readonly BudgetAnswer[];
  readonly databaseMs: number;
}

/** Called inside the transaction that decides the event; its writes commit with it or not at all. */
export type OnBudgetEvent = (event: BudgetEvent, transaction: StatementRunner) => void | Promise<void>;

/** The ledger of budgets in Postgres, for one replica's leases. */
export interface BudgetStore {
  /** Sets this replica's leases as close to the asks as the budgets allow. At most one ask for an endpoint's month. */
  renew(asks: readonly BudgetAsk[]): Promise<BudgetRenewal>;
  /** Presumes expired leases to be spent, at most one batch. */
  reclaim(): Promise<void>;
  /** Runs `onEvent` unless this event was already raised for the endpoint's month. */
  raise(event: BudgetEvent, onEvent: OnBudgetEvent): Promise<void>;
}

interface AnswerRow {
  readonly endpoint_uuid: string;
  readonly month: string;
  readonly lease: number;
  readonly spent: number;
  readonly available: number;
  readonly holders: number;
  readonly database_ms: number;
}

/**
 * SQL for the key of the usage row that stands for a replica's expired lease. The replica corrects it when it returns; see {@link
 * presumeSpent}.
 */
export function presumedCallId(endpoint: string, month: string, replica: string): string {
  return `md5(${endpoint}::text || ' ' || ${month} || ' ' || ${replica})::uuid`;
}

/**
 * Converts the expired leases of the common table expression `reclaimed` to usage rows. An expired lease may have paid for calls
 * in progress of a replica that was killed or is cut off, so it is presumed to be spent instead of lent to others; as a usage
 * row, so that ledgers remain the sum of their rows.
 */
const presumeSpent = `
presumed AS (
  INSERT INTO usage_records (call_id, endpoint_uuid, project_uuid, token_id, month, settled_at, request_id, outcome,
    prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens, cost_micros, price_unknown, estimated)
  SELECT ${presumedCallId("r.endpoint_uuid", "r.month", "r.replica_id")}, r.endpoint_uuid, r.project_uuid, 0, r.month,
    r.expires_at, left(r.replica_id, 200), 'presumed', 0, 0, 0, 0, r.micros, false, true
  FROM reclaimed r WHERE r.micros > 0
  ON CONFLICT (call_id) DO UPDATE SET cost_micros = usage_records.cost_micros + excluded.cost_micros
)`;

/**
 * Runs after the ledgers are locked, so no concurrent change is possible. `ceiling` is the most that this replica's lease may be,
 * so that `spent + leased <= budget` holds afterwards. The amount in use is always leased: its calls have been made, and it must
 * not be lent to others where a budget was lowered or costs exceeded their estimates.
 */
function renewStatement(now: string): Statement {
  return {
    name: "allowances-budgets-renew",
    text: `
WITH clock AS MATERIALIZED (SELECT ${now} AS at),
asked AS (
  SELECT * FROM unnest($2::uuid[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
    AS a(endpoint_uuid, month, budget, in_use, need, extra)
),
reclaimed AS (
  DELETE FROM budget_leases l USING asked a, clock, budget_ledgers g
  WHERE l.endpoint_uuid = a.endpoint_uuid AND l.month = a.month AND l.replica_id <> $1 AND l.expires_at <= clock.at
    AND g.endpoint_uuid = l.endpoint_uuid AND g.month = l.month
  RETURNING l.endpoint_uuid, l.month, l.replica_id, l.micros, l.expires_at, g.project_uuid
),
${presumeSpent},
lost AS (SELECT endpoint_uuid, month, sum(micros)::bigint AS micros FROM reclaimed GROUP BY endpoint_uuid, month),
restored AS (
  DELETE FROM usage_records u USING asked a
  WHERE u.call_id = ${presumedCallId("a.endpoint_uuid", "a.month", "$1")}
  RETURNING u.endpoint_uuid, u.month, u.cost_micros AS micros
),
known AS (
  SELECT a.*, g.spent_micros + coalesce(f.micros, 0) - coalesce(r.micros, 0) AS spent, coalesce(l.micros, 0) AS mine,
    g.leased_micros - coalesce(f.micros, 0) - coalesce(l.micros, 0) AS others
  FROM asked a
  JOIN budget_ledgers g USING (endpoint_uuid, month)
  LEFT JOIN budget_leases l ON l.endpoint_uuid = a.endpoint_uuid AND l.month = a.month AND l.replica_id = $1
  LEFT JOIN lost f ON f.endpoint_uuid = a.endpoint_uuid AND f.month = a.month
  LEFT JOIN restored r ON r.endpoint_uuid = a.endpoint_uuid AND r.month = a.month
),
bounded AS (SELECT *, GREATEST(0, budget - spent - others) AS ceiling FROM known),
decided AS (
  SELECT *, GREATEST(in_use, LEAST(ceiling, GREATEST(
    need + LEAST(extra, GREATEST(0, ceiling - need) / ${allowanceBounds.leaseShare}),
    LEAST(mine, need + extra)
  ))) AS lease
  FROM bounded
),
leased AS (
  INSERT INTO budget_leases (endpoint_uuid, month, replica_id, micros, expires_at)
  SELECT endpoint_uuid, month, $1, lease, clock.at + interval '${allowanceBounds.leaseLifeMs} milliseconds'
  FROM decided, clock WHERE lease > 0
  ON CONFLICT (endpoint_uuid, month, replica_id) DO UPDATE SET micros = excluded.micros, expires_at = excluded.expires_at
),
dropped AS (
  DELETE FROM budget_leases l USING decided d
  WHERE d.lease = 0 AND l.endpoint_uuid = d.endpoint_uuid AND l.month = d.month AND l.replica_id = $1
)
UPDATE budget_ledgers g SET leased_micros = d.others + d.lease, spent_micros = d.spent
FROM decided d WHERE g.endpoint_uuid = d.endpoint_uuid AND g.month = d.month
RETURNING g.endpoint_uuid, g.month, d.lease::float8 AS lease, d.spent::float8 AS spent,
  GREATEST(0, d.ceiling - d.lease)::float8 AS available,
  CASE WHEN d.need > d.lease THEN (
    SELECT count(*)::int FROM budget_leases o
    WHERE o.endpoint_uuid = d.endpoint_uuid AND o.month = d.month AND o.replica_id <> $1
  ) ELSE 0 END AS holders, (SELECT ${epochMs("clock.at")} FROM clock) AS database_ms`,
  };
}

function expiredStatement(now: string): Statement {
  return {
    name: "allowances-budgets-expired",
    text: `SELECT DISTINCT l.endpoint_uuid, l.month, g.project_uuid
FROM budget_leases l JOIN budget_ledgers g USING (endpoint_uuid, month)
WHERE l.expires_at <= ${now} LIMIT ${allowanceBounds.renewalRowsMax}`,
  };
}

function reclaimStatement(now: string): Statement {
  return {
    name: "allowances-budgets-reclaim",
    text: `
WITH reclaimed AS (
  DELETE FROM budget_leases l USING unnest($1::uuid[], $2::text[]) AS k(endpoint_uuid, month), budget_ledgers g
  WHERE l.endpoint_uuid = k.endpoint_uuid AND l.month = k.month AND l.expires_at <= ${now}
    AND g.endpoint_uuid = l.endpoint_uuid AND g.month = l.month
  RETURNING l.endpoint_uuid, l.month, l.replica_id, l.micros, l.expires_at, g.project_uuid
),
${presumeSpent},
lost AS (SELECT endpoint_uuid, month, sum(micros)::bigint AS micros FROM reclaimed GROUP BY endpoint_uuid, month)
UPDATE budget_ledgers g SET leased_micros = g.leased_micros - f.micros, spent_micros = g.spent_micros + f.micros
FROM lost f WHERE g.endpoint_uuid = f.endpoint_uuid AND g.month = f.month`,
  };
}

function raiseStatement(kind: BudgetEvent["kind"], now: string): Statement {
  const column = kind === "budget.exhausted" ? "exhausted_at" : "threshold_at";
  return {
    name: `allowances-raise-${column}`,
    text: `UPDATE budget_ledgers SET ${column} = ${now}
WHERE endpoint_uuid = $1 AND month = $2 AND ${column} IS NULL RETURNING spent_micros::float8 AS spent`,
  };
}

/** @param now the database's time as an SQL expression; replaced in tests */
export function createBudgetStore(database: Database, replicaId: string, now: string): BudgetStore {
  const renew = renewStatement(now);
  const expired = expiredStatement(now);
  const reclaim = reclaimStatement(now);
  return {
    async renew(asks) {
      const values = [replicaId, ...toColumns(asks)];
      const rows = await inTransaction(
        database,
        async (statements) => await runLocked<AnswerRow>(statements, asks, renew, values),
      );
      const byKey = new Map(rows.map((row) => [`${row.endpoint_uuid} ${row.month}`, row]));
      const answers = asks.map(({ endpointUuid, month }) => toAnswer(byKey.get(`${endpointUuid} ${month}`)));
      return { answers, databaseMs: rows[0]?.database_ms ?? 0 };
    },
    async reclaim() {
      const rows = await poolStatements(database).run<LedgerRow>(expired, []);
      if (rows.length === 0) return;
      const keys = rows.map(({ endpoint_uuid, month, project_uuid }) => {
        return { endpointUuid: endpoint_uuid, month, projectUuid: project_uuid };
      });
      await inTransaction(database, async (statements) => {
        const places = [rows.map((row) => row.endpoint_uuid), rows.map((row) => row.month)];
        await runLocked(statements, keys, reclaim, places);
      });
    },
    async raise(event, onEvent) {
      await inTransaction(database, async (statements) => {
        const values = [event.endpointUuid, event.month];
        const [row] = await statements.run<{ spent: number }>(raiseStatement(event.kind, now), values);
        if (row !== undefined) await onEvent({ ...event, spentMicros: row.spent }, statements);
      });
    },
  };
}

interface LedgerRow {
  readonly endpoint_uuid: string;
  readonly month: string;
  readonly project_uuid: string;
}

function toColumns(asks: readonly BudgetAsk[]): readonly unknown[] {
  return [
    asks.map(({ endpointUuid }) => endpointUuid),
    asks.map(({ month }) => month),
    asks.map(({ budgetMicros }) => budgetMicros),
    asks.map(({ inUseMicros }) => inUseMicros),
    asks.map(({ needMicros }) => needMicros),
    asks.map(({ extraMicros }) => extraMicros),
  ];
}

function toAnswer(row: AnswerRow | undefined): BudgetAnswer {
  if (row === undefined) throw new Error("The database gave no answer for a budget.");
  return { leaseMicros: row.lease, spentMicros: row.spent, availableMicros: row.available, holders: row.holders };
}
