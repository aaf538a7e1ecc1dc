import type { Database, StatementRunner } from "@gatehouse/database";
import { allowanceBounds } from "../domain/allowances/bounds.ts";
import type { BudgetEvent } from "../domain/allowances/allowance.ts";
import type { BudgetAnswer, BudgetAsk } from "../domain/allowances/budget-lease.ts";
import { lockLedgers } from "./allowances-ledgers.ts";
import { epochMs, inTransaction, poolStatements, type Statement } from "./allowances-statements.ts";

export interface BudgetExchange {
  /** One for each ask, in the asks' order. */
  readonly answers: readonly BudgetAnswer[];
  readonly databaseMs: number;
}

/** Told inside the transaction that decides the event; what it writes there commits with it, or not at all. */
export type OnBudgetEvent = (event: BudgetEvent, transaction: StatementRunner) => void | Promise<void>;

export interface BudgetStore {
  /** Sets this replica's leases as near to what is asked as the budgets allow. No two asks may be for one endpoint's month. */
  exchange(asks: readonly BudgetAsk[]): Promise<BudgetExchange>;
  /** Takes back the leases that have expired, at most a batch of them. */
  reclaim(): Promise<void>;
  /** Runs `onEvent` if nobody has raised this event for the endpoint's month yet. */
  raise(event: BudgetEvent, onEvent: OnBudgetEvent): Promise<void>;
}

interface AnswerRow {
  readonly endpoint_uuid: string;
  readonly month: string;
  readonly lease: number;
  readonly spent: number;
  readonly available: number;
  readonly database_ms: number;
}

/**
 * Runs after the ledgers are locked, so nothing here can change under it. `ceiling` is the most that this replica's lease
 * may be, so `spent + leased <= budget` holds after it; where costs beyond their estimates have broken it, leases shrink.
 */
function exchangeStatement(now: string): Statement {
  return {
    name: "allowances-budgets-exchange",
    text: `
WITH clock AS MATERIALIZED (SELECT ${now} AS at),
asked AS (
  SELECT * FROM unnest($2::uuid[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[])
    AS a(endpoint_uuid, month, budget, need, extra)
),
reclaimed AS (
  DELETE FROM budget_leases l USING asked a, clock
  WHERE l.endpoint_uuid = a.endpoint_uuid AND l.month = a.month AND l.replica_id <> $1 AND l.expires_at <= clock.at
  RETURNING l.endpoint_uuid, l.month, l.micros
),
freed AS (SELECT endpoint_uuid, month, sum(micros)::bigint AS micros FROM reclaimed GROUP BY endpoint_uuid, month),
known AS (
  SELECT a.*, g.spent_micros AS spent, coalesce(l.micros, 0) AS mine,
    g.leased_micros - coalesce(f.micros, 0) - coalesce(l.micros, 0) AS others
  FROM asked a
  JOIN budget_ledgers g USING (endpoint_uuid, month)
  LEFT JOIN budget_leases l ON l.endpoint_uuid = a.endpoint_uuid AND l.month = a.month AND l.replica_id = $1
  LEFT JOIN freed f ON f.endpoint_uuid = a.endpoint_uuid AND f.month = a.month
),
bounded AS (SELECT *, GREATEST(0, budget - spent - others) AS ceiling FROM known),
decided AS (
  SELECT *, LEAST(ceiling, GREATEST(
    need + LEAST(extra, GREATEST(0, ceiling - need) / ${allowanceBounds.leaseShare}),
    LEAST(mine, need + extra)
  )) AS lease
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
UPDATE budget_ledgers g SET leased_micros = d.others + d.lease
FROM decided d WHERE g.endpoint_uuid = d.endpoint_uuid AND g.month = d.month
RETURNING g.endpoint_uuid, g.month, d.lease::float8 AS lease, d.spent::float8 AS spent,
  (d.ceiling - d.lease)::float8 AS available, (SELECT ${epochMs("clock.at")} FROM clock) AS database_ms`,
  };
}

function expiredStatement(now: string): Statement {
  return {
    name: "allowances-budgets-expired",
    text: `SELECT DISTINCT l.endpoint_uuid, l.month, g.project_uuid
FROM budget_leases l JOIN budget_ledgers g USING (endpoint_uuid, month)
WHERE l.expires_at <= ${now} LIMIT ${allowanceBounds.exchangeRowsMax}`,
  };
}

function reclaimStatement(now: string): Statement {
  return {
    name: "allowances-budgets-reclaim",
    text: `
WITH reclaimed AS (
  DELETE FROM budget_leases l USING unnest($1::uuid[], $2::text[]) AS k(endpoint_uuid, month)
  WHERE l.endpoint_uuid = k.endpoint_uuid AND l.month = k.month AND l.expires_at <= ${now}
  RETURNING l.endpoint_uuid, l.month, l.micros
),
freed AS (SELECT endpoint_uuid, month, sum(micros)::bigint AS micros FROM reclaimed GROUP BY endpoint_uuid, month)
UPDATE budget_ledgers g SET leased_micros = g.leased_micros - f.micros
FROM freed f WHERE g.endpoint_uuid = f.endpoint_uuid AND g.month = f.month`,
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

interface BudgetStoreOptions {
  readonly database: Database;
  readonly replicaId: string;
  readonly now: string;
}

export function createBudgetStore({ database, replicaId, now }: BudgetStoreOptions): BudgetStore {
  const exchange = exchangeStatement(now);
  const expired = expiredStatement(now);
  const reclaim = reclaimStatement(now);
  return {
    async exchange(asks) {
      const rows = await inTransaction(database, async (statements) => {
        await lockLedgers(statements, asks);
        return await statements.run<AnswerRow>(exchange, [replicaId, ...toColumns(asks)]);
      });
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
        await lockLedgers(statements, keys);
        await statements.run(reclaim, [rows.map((row) => row.endpoint_uuid), rows.map((row) => row.month)]);
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
    asks.map(({ needMicros }) => needMicros),
    asks.map(({ extraMicros }) => extraMicros),
  ];
}

function toAnswer(row: AnswerRow | undefined): BudgetAnswer {
  if (row === undefined) throw new Error("The database gave no answer for a budget.");
  return { leaseMicros: row.lease, spentMicros: row.spent, availableMicros: row.available };
}
