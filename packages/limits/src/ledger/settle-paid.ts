import { presumedCallId } from "./budgets.ts";
import type { Statement, Statements } from "./statements.ts";

/**
 * SQL that moves an amount added to `spent` out of the lease that held it, so that their sum stays within the budget; if the
 * lease was lost, out of its presumed cost. `paid` is the cost of new rows, by ledger and paying replica. Presumed rows are
 * looked up one by one: the cached plan of a join, made while the table was empty, would read all of it.
 */
export const settlePaid = `
leased AS (
  SELECT p.*, GREATEST(0, LEAST(p.cost, coalesce(l.micros, 0))) AS micros
  FROM paid p LEFT JOIN budget_leases l
    ON l.endpoint_uuid = p.endpoint_uuid AND l.month = p.month AND l.replica_id = p.paying_replica
),
taken AS MATERIALIZED (
  SELECT p.*, GREATEST(0, LEAST(p.cost - p.micros, coalesce((
    SELECT u.cost_micros FROM usage_records u WHERE u.call_id = ${presumedCallId("p.endpoint_uuid", "p.month", "p.paying_replica")}
  ), 0))) AS presumed, ${presumedCallId("p.endpoint_uuid", "p.month", "p.paying_replica")} AS presumed_id
  FROM leased p
),
shrunk AS (
  UPDATE budget_leases l SET micros = l.micros - t.micros FROM taken t
  WHERE l.endpoint_uuid = t.endpoint_uuid AND l.month = t.month AND l.replica_id = t.paying_replica AND t.micros > 0
),
totals AS (
  SELECT endpoint_uuid, month, sum(cost - presumed)::bigint AS cost, sum(micros)::bigint AS micros, sum(requests)::bigint AS requests,
    sum(prompt_tokens)::bigint AS prompt_tokens, sum(completion_tokens)::bigint AS completion_tokens
  FROM taken GROUP BY endpoint_uuid, month
)
UPDATE budget_ledgers g SET spent_micros = g.spent_micros + t.cost, leased_micros = g.leased_micros - t.micros,
  requests = g.requests + t.requests, prompt_tokens = g.prompt_tokens + t.prompt_tokens,
  completion_tokens = g.completion_tokens + t.completion_tokens
FROM totals t WHERE g.endpoint_uuid = t.endpoint_uuid AND g.month = t.month
RETURNING g.endpoint_uuid, g.month, (
  SELECT json_agg(json_build_array(t.presumed_id, t.presumed::text)) FROM taken t
  WHERE t.endpoint_uuid = g.endpoint_uuid AND t.month = g.month AND t.presumed > 0
) AS explained`;

/** A ledger in the result of a statement that ends with {@link settlePaid}. */
export interface SettledRow {
  /** Presumed rows and the amount taken from each; null for none, which is usual. */
  readonly explained: readonly (readonly [callId: string, micros: string])[] | null;
}

/** Reduces presumed rows, whose cost is now known and counted in other rows. */
const explain: Statement = {
  name: "allowances-usage-explain",
  text: `UPDATE usage_records u SET cost_micros = u.cost_micros - e.micros
FROM unnest($1::uuid[], $2::bigint[]) AS e(call_id, micros) WHERE u.call_id = e.call_id`,
};

/** Ends a transaction that has run {@link settlePaid}. */
export async function explainPresumed(statements: Statements, settled: readonly SettledRow[]): Promise<void> {
  const explained = settled.flatMap(({ explained: some }) => some ?? []);
  if (explained.length === 0) return;
  await statements.run(explain, [explained.map(([callId]) => callId), explained.map(([, micros]) => micros)]);
}
