import type { Database } from "@gatehouse/database";
import type { UsageQuery, UsageReport, UserUsageReport } from "../decisions/allowance.ts";
import { allowanceBounds } from "../decisions/bounds.ts";
import type { Month } from "../decisions/month.ts";
import type { UsageRow } from "../decisions/usage-row.ts";
import { presumedCallId } from "./budgets.ts";
import { type LedgerKey, lockLedgers } from "./ledgers.ts";
import { inTransaction, poolStatements, type Statement } from "./statements.ts";

/** One ledger after a flush. */
export interface FlushedLedger {
  readonly endpointUuid: string;
  readonly month: Month;
  readonly spentMicros: number;
  /** What is left of this replica's lease. */
  readonly leaseMicros: number;
}

/** A ledger that is not the sum of its usage rows. */
export interface LedgerDifference {
  readonly endpointUuid: string;
  readonly ledgerMicros: number;
  readonly rowsMicros: number;
}

export interface UsageStore {
  /** Writes rows and adds their costs to the ledgers, in one transaction; rows that are there already change nothing. */
  flush(rows: readonly UsageRow[]): Promise<readonly FlushedLedger[]>;
  report(query: UsageQuery & { readonly month: Month }): Promise<UsageReport>;
  reportUsers(query: UsageQuery & { readonly month: Month }): Promise<UserUsageReport>;
  /** Empty when the month's ledgers and usage rows agree to the micro-dollar. */
  findDifferences(month: Month): Promise<readonly LedgerDifference[]>;
  /** Deletes the usage rows of months before this one, in batches. */
  deleteBefore(month: Month): Promise<void>;
}

/** Type and source of each column of a usage row, in the order of the statement's parameters from $2. */
const columns: readonly (readonly [name: string, type: string, value: (row: UsageRow) => unknown])[] = [
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

/**
 * What is added to `spent` is taken from the lease that had held it, so that their sum stays within the budget; of a lease that
 * was lost, from what it is presumed to have spent. A row of a later revision takes the place of the one that is there.
 */
const flush: Statement = {
  name: "allowances-usage-flush",
  text: `
WITH incoming AS (
  SELECT DISTINCT ON (call_id) * FROM unnest(${columns.map(([, type], at) => `$${at + 1}::${type}[]`).join(", ")})
    AS u(${names.join(", ")}) ORDER BY call_id, revision DESC
),
earlier AS (
  SELECT u.call_id, u.cost_micros, u.prompt_tokens, u.completion_tokens FROM incoming i JOIN usage_records u USING (call_id)
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
),
leased AS (
  SELECT p.*, GREATEST(0, LEAST(p.cost, coalesce(l.micros, 0))) AS micros
  FROM paid p LEFT JOIN budget_leases l
    ON l.endpoint_uuid = p.endpoint_uuid AND l.month = p.month AND l.replica_id = p.paying_replica
),
taken AS (
  SELECT p.*, GREATEST(0, LEAST(p.cost - p.micros, coalesce(u.cost_micros, 0))) AS presumed, u.call_id AS presumed_id
  FROM leased p LEFT JOIN usage_records u ON u.call_id = ${presumedCallId("p.endpoint_uuid", "p.month", "p.paying_replica")}
),
shrunk AS (
  UPDATE budget_leases l SET micros = l.micros - t.micros FROM taken t
  WHERE l.endpoint_uuid = t.endpoint_uuid AND l.month = t.month AND l.replica_id = t.paying_replica AND t.micros > 0
),
explained AS (
  UPDATE usage_records u SET cost_micros = u.cost_micros - t.presumed FROM taken t
  WHERE u.call_id = t.presumed_id AND t.presumed > 0
),
totals AS (
  SELECT endpoint_uuid, month, sum(cost - presumed)::bigint AS cost, sum(micros)::bigint AS micros, sum(requests)::bigint AS requests,
    sum(prompt_tokens)::bigint AS prompt_tokens, sum(completion_tokens)::bigint AS completion_tokens
  FROM taken GROUP BY endpoint_uuid, month
)
UPDATE budget_ledgers g SET spent_micros = g.spent_micros + t.cost, leased_micros = g.leased_micros - t.micros,
  requests = g.requests + t.requests, prompt_tokens = g.prompt_tokens + t.prompt_tokens,
  completion_tokens = g.completion_tokens + t.completion_tokens
FROM totals t WHERE g.endpoint_uuid = t.endpoint_uuid AND g.month = t.month`,
};

const afterFlush: Statement = {
  name: "allowances-usage-after-flush",
  text: `SELECT g.endpoint_uuid, g.month, g.spent_micros::float8 AS spent, coalesce(l.micros, 0)::float8 AS lease
FROM unnest($2::uuid[], $3::text[]) AS k(endpoint_uuid, month)
JOIN budget_ledgers g ON g.endpoint_uuid = k.endpoint_uuid AND g.month = k.month
LEFT JOIN budget_leases l ON l.endpoint_uuid = k.endpoint_uuid AND l.month = k.month AND l.replica_id = $1`,
};

const report: Statement = {
  name: "allowances-usage-report",
  text: `SELECT endpoint_uuid, project_uuid, requests::float8 AS requests, prompt_tokens::float8 AS prompt_tokens,
  completion_tokens::float8 AS completion_tokens, spent_micros::float8 AS cost
FROM budget_ledgers
WHERE month = $1 AND requests > 0 AND ($2::uuid IS NULL OR project_uuid = $2) AND ($3::uuid IS NULL OR endpoint_uuid = $3)
ORDER BY endpoint_uuid`,
};

const usersReport: Statement = {
  name: "allowances-usage-users",
  text: `
WITH sums AS (
  SELECT user_name, count(*) AS requests, sum(prompt_tokens) AS prompt_tokens, sum(completion_tokens) AS completion_tokens,
    sum(cost_micros) AS cost
  FROM usage_records
  WHERE month = $1 AND user_name IS NOT NULL AND ($2::uuid IS NULL OR project_uuid = $2) AND ($3::uuid IS NULL OR endpoint_uuid = $3)
  GROUP BY user_name
),
ranked AS (SELECT *, row_number() OVER (ORDER BY cost DESC, requests DESC, user_name) AS place FROM sums),
shown AS (SELECT *, CASE WHEN place <= ${allowanceBounds.reportedUsersMax} THEN user_name END AS shown_name FROM ranked)
SELECT shown_name AS user, sum(requests)::float8 AS requests, sum(prompt_tokens)::float8 AS prompt_tokens,
  sum(completion_tokens)::float8 AS completion_tokens, sum(cost)::float8 AS cost
FROM shown GROUP BY shown_name ORDER BY min(place)`,
};

const differences: Statement = {
  name: "allowances-usage-differences",
  text: `
WITH sums AS (SELECT endpoint_uuid, sum(cost_micros) AS micros FROM usage_records WHERE month = $1 GROUP BY endpoint_uuid),
ledgers AS (SELECT endpoint_uuid, spent_micros AS micros FROM budget_ledgers WHERE month = $1)
SELECT endpoint_uuid, coalesce(g.micros, 0)::float8 AS ledger, coalesce(s.micros, 0)::float8 AS rows
FROM ledgers g FULL JOIN sums s USING (endpoint_uuid)
WHERE coalesce(g.micros, 0) <> coalesce(s.micros, 0)`,
};

const deleteRowsMax = 10_000;

const deleteBefore: Statement = {
  name: "allowances-usage-delete",
  text: `WITH old AS (SELECT call_id FROM usage_records WHERE month < $1 LIMIT ${deleteRowsMax})
DELETE FROM usage_records USING old WHERE usage_records.call_id = old.call_id RETURNING 1`,
};

interface ReportRow extends CountsRow {
  readonly endpoint_uuid: string;
  readonly project_uuid: string;
}

interface CountsRow {
  readonly requests: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly cost: number;
}

export function createUsageStore(database: Database, replicaId: string): UsageStore {
  const statements = poolStatements(database);
  return {
    flush: async (rows) => await flushRows(database, replicaId, rows),
    async report({ month, projectUuid = null, endpointUuid = null }) {
      const rows = await statements.run<ReportRow>(report, [month, projectUuid, endpointUuid]);
      return { month, endpoints: rows.map(toEndpointUsage) };
    },
    async reportUsers({ month, projectUuid = null, endpointUuid = null }) {
      const parameters = [month, projectUuid, endpointUuid];
      const rows = await statements.run<CountsRow & { user: string | null }>(usersReport, parameters);
      return { month, users: rows.map((row) => ({ user: row.user, ...toCounts(row) })) };
    },
    async findDifferences(month) {
      const rows = await statements.run<{ endpoint_uuid: string; ledger: number; rows: number }>(differences, [month]);
      return rows.map((row) => ({ endpointUuid: row.endpoint_uuid, ledgerMicros: row.ledger, rowsMicros: row.rows }));
    },
    async deleteBefore(month) {
      let deleted: number;
      do deleted = (await statements.run(deleteBefore, [month])).length;
      while (deleted === deleteRowsMax);
    },
  };
}

function toEndpointUsage(row: ReportRow): UsageReport["endpoints"][number] {
  return {
    endpointUuid: row.endpoint_uuid,
    projectUuid: row.project_uuid,
    ...toCounts(row),
  };
}

function toCounts(row: CountsRow) {
  return {
    requests: row.requests,
    promptTokens: row.prompt_tokens,
    completionTokens: row.completion_tokens,
    costMicros: row.cost,
  };
}

async function flushRows(
  database: Database,
  replicaId: string,
  rows: readonly UsageRow[],
): Promise<readonly FlushedLedger[]> {
  const keys = distinctLedgers(rows);
  const values = columns.map(([, , value]) => rows.map(value));
  const after = await inTransaction(database, async (statements) => {
    await lockLedgers(statements, keys);
    await statements.run(flush, values);
    const places = [replicaId, keys.map(({ endpointUuid }) => endpointUuid), keys.map(({ month }) => month)];
    return await statements.run<{ endpoint_uuid: string; month: string; spent: number; lease: number }>(
      afterFlush,
      places,
    );
  });
  return after.map(({ endpoint_uuid: endpointUuid, month, spent, lease }) => {
    return { endpointUuid, month, spentMicros: spent, leaseMicros: lease };
  });
}

function distinctLedgers(rows: readonly UsageRow[]): readonly LedgerKey[] {
  return [...new Map(rows.map((row) => [`${row.endpointUuid} ${row.month}`, row])).values()];
}
