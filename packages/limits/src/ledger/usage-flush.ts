import { hasCode } from "@gatehouse/errors";
import { type ArrayMember, type Database, toArrayText } from "@gatehouse/database";
import type { Month } from "../decisions/month.ts";
import type { UsageRow } from "../decisions/usage-row.ts";
import { presumedCallId } from "./budgets.ts";
import { type LedgerKey, lockLedgers } from "./ledgers.ts";
import { inTransaction, type Statement, type Statements } from "./statements.ts";

/** One ledger after a flush. */
export interface FlushedLedger {
  readonly endpointUuid: string;
  readonly month: Month;
  readonly spentMicros: number;
  /** Amount left of this replica's lease. */
  readonly leaseMicros: number;
}

/** Type and source of each column of a usage row, in the order of the statements' parameters. */
const columns: readonly (readonly [name: string, type: string, value: (row: UsageRow) => ArrayMember])[] = [
  ["call_id", "uuid", (row) => row.callId],
  ["paying_replica", "text", (row) => row.replicaId],
  ["endpoint_uuid", "uuid", (row) => row.endpointUuid],
  ["project_uuid", "uuid", (row) => row.projectUuid],
  ["token_id", "int", (row) => row.tokenId],
  ["month", "text", (row) => row.month],
  ["settled_at", "timestamptz", (row) => new Date(row.settledAtMs).toISOString()],
  ["request_id", "text", (row) => row.requestId],
  ["provider", "text", (row) => row.provider],
  ["model", "text", (row) => row.model],
  ["outcome", "text", (row) => row.outcome],
  ["prompt_tokens", "int", (row) => row.promptTokens],
  ["cached_tokens", "int", (row) => row.cachedTokens],
  ["completion_tokens", "int", (row) => row.completionTokens],
  ["reasoning_tokens", "int", (row) => row.reasoningTokens],
  ["cost_micros", "bigint", (row) => row.costMicros],
  ["price_unknown", "boolean", (row) => row.priceUnknown],
  ["estimated", "boolean", (row) => row.estimated],
  // Rows that an earlier version has spilled have none.
  ["user_name", "text", (row: Partial<UsageRow>) => row.user ?? null],
  ["revision", "int", (row: Partial<UsageRow>) => row.revision ?? 0],
];

const names = columns.map(([name]) => name);
const storedNames = names.filter((name) => name !== "paying_replica").join(", ");

const updatedNames = names.filter((name) => name !== "paying_replica" && name !== "call_id");

const incoming = `unnest(${columns.map(([, type], at) => `$${at + 1}::${type}[]`).join(", ")}) AS u(${names.join(", ")})`;

/**
 * An amount added to `spent` is taken from the lease that had held it, so that their sum stays within the budget; of a lease that
 * was lost, from what it is presumed to have spent. `paid` is what rows that are new have cost, by ledger and paying replica.
 * Presumed rows are looked up one by one: as a join, the plan that is kept from the table's first day would read all of it.
 */
const settlePaid = `
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

/** The cost that presumed rows stood for is known now, and counted in other rows. */
const explain: Statement = {
  name: "allowances-usage-explain",
  text: `UPDATE usage_records u SET cost_micros = u.cost_micros - e.micros
FROM unnest($1::uuid[], $2::bigint[]) AS e(call_id, micros) WHERE u.call_id = e.call_id`,
};

/** Types and names of what {@link append} is given of `paid`, after the columns of the rows. */
const paidColumns = [
  ["endpoint_uuid", "uuid"],
  ["month", "text"],
  ["paying_replica", "text"],
  ["cost", "bigint"],
  ["requests", "bigint"],
  ["prompt_tokens", "bigint"],
  ["completion_tokens", "bigint"],
] as const;

const ownReplica = `$${columns.length + paidColumns.length + 1}::text`;

/** For rows that the table has not: their sums are made by the caller, and the ledgers are given back as they are after it. */
const append: Statement = {
  name: "allowances-usage-append",
  text: `
WITH written AS (INSERT INTO usage_records (${storedNames}) SELECT ${storedNames} FROM ${incoming}),
paid AS (
  SELECT * FROM unnest(${paidColumns.map(([, type], at) => `$${columns.length + at + 1}::${type}[]`).join(", ")})
    AS p(${paidColumns.map(([name]) => name).join(", ")})
),${settlePaid}
, g.spent_micros::float8 AS spent, (
  coalesce((SELECT l.micros FROM budget_leases l
    WHERE l.endpoint_uuid = g.endpoint_uuid AND l.month = g.month AND l.replica_id = ${ownReplica}), 0)
  - coalesce((SELECT t.micros FROM taken t
    WHERE t.endpoint_uuid = g.endpoint_uuid AND t.month = g.month AND t.paying_replica = ${ownReplica}), 0)
)::float8 AS lease`,
};

/**
 * For rows that may be there already: a row of a later revision takes the place of the one that is there. These are looked up one
 * by one for the same reason.
 */
const merge: Statement = {
  name: "allowances-usage-merge",
  text: `
WITH incoming AS (SELECT DISTINCT ON (call_id) * FROM ${incoming} ORDER BY call_id, revision DESC),
earlier AS MATERIALIZED (
  SELECT e.* FROM incoming i CROSS JOIN LATERAL (
    SELECT u.call_id, u.cost_micros, u.prompt_tokens, u.completion_tokens FROM usage_records u WHERE u.call_id = i.call_id LIMIT 1
  ) AS e
),
written AS (
  INSERT INTO usage_records AS u (${storedNames}) SELECT ${storedNames} FROM incoming
  ON CONFLICT (call_id) DO UPDATE SET ${updatedNames.map((name) => `${name} = excluded.${name}`).join(", ")}
  WHERE u.revision < excluded.revision RETURNING u.call_id
),
paid AS (
  SELECT i.endpoint_uuid, i.month, i.paying_replica, sum(i.cost_micros - coalesce(e.cost_micros, 0))::bigint AS cost,
    count(*) FILTER (WHERE e.call_id IS NULL) AS requests,
    sum(i.prompt_tokens - coalesce(e.prompt_tokens, 0))::bigint AS prompt_tokens,
    sum(i.completion_tokens - coalesce(e.completion_tokens, 0))::bigint AS completion_tokens
  FROM incoming i JOIN written USING (call_id) LEFT JOIN earlier e USING (call_id)
  GROUP BY i.endpoint_uuid, i.month, i.paying_replica
),${settlePaid}`,
};

const afterMerge: Statement = {
  name: "allowances-usage-after-merge",
  text: `SELECT g.endpoint_uuid, g.month, g.spent_micros::float8 AS spent, coalesce(l.micros, 0)::float8 AS lease
FROM unnest($2::uuid[], $3::text[]) AS k(endpoint_uuid, month)
JOIN budget_ledgers g ON g.endpoint_uuid = k.endpoint_uuid AND g.month = k.month
LEFT JOIN budget_leases l ON l.endpoint_uuid = k.endpoint_uuid AND l.month = k.month AND l.replica_id = $1`,
};

interface LedgerRow {
  readonly endpoint_uuid: string;
  readonly month: string;
  readonly spent: number;
  readonly lease: number;
}

interface SettledRow {
  /** Presumed rows and what is taken from each; null for none, which is nearly always. */
  readonly explained: readonly (readonly [callId: string, micros: string])[] | null;
}

/**
 * Writes rows and adds their costs to the ledgers, in one transaction; rows that are there already change nothing. Rows are nearly
 * always new, and are written as such; where one was there after all, the whole batch is looked up.
 */
export async function flushUsage(
  database: Database,
  replicaId: string,
  rows: readonly UsageRow[],
): Promise<readonly FlushedLedger[]> {
  const values = columns.map(([, , value]) => toArrayText(rows, value));
  const batch: UsageBatch = { replicaId, keys: distinctLedgers(rows), values };
  const after = await writeRows(database, batch, paidFor(rows));
  return after.map(({ endpoint_uuid: endpointUuid, month, spent, lease }) => {
    return { endpointUuid, month, spentMicros: spent, leaseMicros: lease };
  });
}

interface UsageBatch {
  readonly replicaId: string;
  readonly keys: readonly LedgerKey[];
  /** The columns of the rows. */
  readonly values: readonly string[];
}

async function writeRows(
  database: Database,
  batch: UsageBatch,
  paid: readonly Paid[] | undefined,
): Promise<readonly LedgerRow[]> {
  if (paid === undefined) return await mergeRows(database, batch);
  try {
    return await appendRows(database, batch, paid);
  } catch (err) {
    if (!isUniqueViolation(err)) throw err;
    return await mergeRows(database, batch);
  }
}

async function appendRows(
  database: Database,
  { replicaId, keys, values }: UsageBatch,
  paid: readonly Paid[],
): Promise<readonly LedgerRow[]> {
  const sums = paidColumns.map(([name]) => toArrayText(paid, (one) => one[name]));
  return await inTransaction(database, async (statements) => {
    await lockLedgers(statements, keys);
    const ledgers = await statements.run<LedgerRow & SettledRow>(append, [...values, ...sums, replicaId]);
    await explainPresumed(statements, ledgers);
    return ledgers;
  });
}

async function mergeRows(database: Database, { replicaId, keys, values }: UsageBatch): Promise<readonly LedgerRow[]> {
  return await inTransaction(database, async (statements) => {
    await lockLedgers(statements, keys);
    await explainPresumed(statements, await statements.run<SettledRow>(merge, values));
    const places = [replicaId, keys.map(({ endpointUuid }) => endpointUuid), keys.map(({ month }) => month)];
    return await statements.run<LedgerRow>(afterMerge, places);
  });
}

async function explainPresumed(statements: Statements, settled: readonly SettledRow[]): Promise<void> {
  const explained = settled.flatMap(({ explained: some }) => some ?? []);
  if (explained.length === 0) return;
  await statements.run(explain, [explained.map(([callId]) => callId), explained.map(([, micros]) => micros)]);
}

/** Cost of the rows of one ledger and paying replica, summed. */
type Paid = Record<(typeof paidColumns)[number][0], string | number> & {
  cost: number;
  requests: number;
  prompt_tokens: number;
  completion_tokens: number;
};

/** Undefined for rows that are no first ones of their calls, and for sums that a number does not hold exactly. */
function paidFor(rows: readonly UsageRow[]): readonly Paid[] | undefined {
  const paid = new Map<string, Paid>();
  let sums: Paid | undefined;
  for (const row of rows) {
    if (row.revision > 0) return undefined;
    const { endpointUuid, month, replicaId } = row;
    // Rows of one ledger often follow each other.
    if (sums?.endpoint_uuid !== endpointUuid || sums.month !== month || sums.paying_replica !== replicaId) {
      const key = `${endpointUuid} ${month} ${replicaId}`;
      const place = { endpoint_uuid: endpointUuid, month, paying_replica: replicaId };
      sums = paid.get(key) ?? { ...place, cost: 0, requests: 0, prompt_tokens: 0, completion_tokens: 0 };
      paid.set(key, sums);
    }
    sums.cost += row.costMicros;
    sums.requests += 1;
    sums.prompt_tokens += row.promptTokens;
    sums.completion_tokens += row.completionTokens;
  }
  const all = [...paid.values()];
  return all.every(({ cost }) => Number.isSafeInteger(cost)) ? all : undefined;
}

function distinctLedgers(rows: readonly UsageRow[]): readonly LedgerKey[] {
  const ledgers = new Map<string, UsageRow>();
  let last: UsageRow | undefined;
  for (const row of rows) {
    if (last?.endpointUuid !== row.endpointUuid || last.month !== row.month) {
      ledgers.set(`${row.endpointUuid} ${row.month}`, row);
    }
    last = row;
  }
  return [...ledgers.values()];
}

/** A call of the batch has a row already (PostgreSQL documentation, appendix A). */
function isUniqueViolation(err: unknown): boolean {
  return hasCode(err, "23505");
}
