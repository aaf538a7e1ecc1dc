import type { Database } from "@gatehouse/database";
import type { UsageQuery, UsageReport, UserUsageReport } from "../decisions/allowance.ts";
import { allowanceBounds } from "../decisions/bounds.ts";
import { isUserLedgerSql } from "../decisions/known-users.ts";
import type { Month } from "../decisions/month.ts";
import { poolStatements, type Statement } from "./statements.ts";
import { type FlushedLedger, flushUsage, type UsageBatch } from "./usage-flush.ts";

/** A ledger that differs from the sum of its usage rows. */
export interface LedgerDifference {
  readonly endpointUuid: string;
  readonly ledgerMicros: number;
  readonly rowsMicros: number;
}

/** Usage rows in Postgres, with the ledgers that they are charged to. */
export interface UsageStore {
  /** Writes rows and adds their costs to the ledgers, in one transaction; stored rows change nothing. */
  flush(batch: UsageBatch): Promise<readonly FlushedLedger[]>;
  report(query: UsageQuery & { readonly month: Month }): Promise<UsageReport>;
  reportUsers(query: UsageQuery & { readonly month: Month }): Promise<UserUsageReport>;
  /** Empty when the month's ledgers and usage rows agree to the micro-dollar. */
  findDifferences(month: Month): Promise<readonly LedgerDifference[]>;
  /** Deletes the usage rows of months before this one, in batches. */
  deleteBefore(month: Month): Promise<void>;
  /** Deletes the ledgers of users, and their rows, of months before this one. */
  deleteUsersBefore(month: Month): Promise<void>;
  /** Deletes the ledgers of users whose calls have cost nothing, so that a refused name leaves no row. */
  deleteEmptyUsers(): Promise<void>;
}

const report: Statement = {
  name: "allowances-usage-report",
  text: `SELECT endpoint_uuid, project_uuid, requests::float8 AS requests, prompt_tokens::float8 AS prompt_tokens,
  completion_tokens::float8 AS completion_tokens, spent_micros::float8 AS cost
FROM budget_ledgers
WHERE month = $1 AND requests > 0 AND NOT ${isUserLedgerSql("endpoint_uuid")} AND ($2::uuid IS NULL OR project_uuid = $2) AND ($3::uuid IS NULL OR endpoint_uuid = $3)
ORDER BY endpoint_uuid`,
};

const usersReport: Statement = {
  name: "allowances-usage-users",
  text: `
WITH named AS (
  SELECT user_name, project_uuid, endpoint_uuid, 1 AS requests, prompt_tokens, completion_tokens, cost_micros
  FROM usage_records WHERE month = $1 AND user_name IS NOT NULL
  UNION ALL
  SELECT k.* FROM usage_blocks b CROSS JOIN LATERAL unnest(b.user_names, b.project_uuids, b.endpoint_uuids, b.requests_sums,
    b.prompt_tokens_sums, b.completion_tokens_sums, b.cost_micros_sums) AS k(user_name)
  WHERE b.month = $1 AND b.user_keys IS NOT NULL AND k.user_name IS NOT NULL
    AND (coalesce($3::uuid, $2::uuid) IS NULL OR b.user_keys @> ARRAY[$1 || ' ' || coalesce($3::uuid, $2::uuid)])
),
sums AS (
  SELECT user_name, sum(requests) AS requests, sum(prompt_tokens) AS prompt_tokens, sum(completion_tokens) AS completion_tokens,
    sum(cost_micros) AS cost
  FROM named WHERE ($2::uuid IS NULL OR project_uuid = $2) AND ($3::uuid IS NULL OR endpoint_uuid = $3)
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
WITH sums AS (SELECT endpoint_uuid, sum(cost_micros) AS micros FROM usage_rows WHERE month = $1 GROUP BY endpoint_uuid),
ledgers AS (SELECT endpoint_uuid, spent_micros AS micros FROM budget_ledgers WHERE month = $1)
SELECT endpoint_uuid, coalesce(g.micros, 0)::float8 AS ledger, coalesce(s.micros, 0)::float8 AS rows
FROM ledgers g FULL JOIN sums s USING (endpoint_uuid)
WHERE coalesce(g.micros, 0) <> coalesce(s.micros, 0)`,
};

const deleteRowsMax = 10_000;
/** Blocks in one deletion; each has up to 500 rows. */
const deleteBlocksMax = 200;

const deleteBefore: Statement = {
  name: "allowances-usage-delete",
  text: `WITH old AS (SELECT call_id FROM usage_records WHERE month < $1 LIMIT ${deleteRowsMax})
DELETE FROM usage_records USING old WHERE usage_records.call_id = old.call_id RETURNING 1`,
};

function deleteBlocks(condition: string): string {
  return `WITH old AS (SELECT month, id, of_users FROM usage_blocks WHERE month < $1${condition} LIMIT ${deleteBlocksMax})
DELETE FROM usage_blocks b USING old WHERE b.month = old.month AND b.id = old.id AND b.of_users = old.of_users RETURNING 1`;
}

const deleteBlocksBefore: Statement = { name: "allowances-usage-delete-blocks", text: deleteBlocks("") };

const deleteUserBlocksBefore: Statement = {
  name: "allowances-users-delete-blocks",
  text: deleteBlocks(" AND of_users"),
};

/** Finds rows by their ledgers: users' rows are a small part, and a scan would read all. */
const deleteUserRowsBefore: Statement = {
  name: "allowances-users-delete-rows",
  text: `WITH old AS (
  SELECT u.call_id FROM budget_ledgers g CROSS JOIN LATERAL (
    SELECT call_id FROM usage_records WHERE month = g.month AND endpoint_uuid = g.endpoint_uuid LIMIT ${deleteRowsMax}
  ) AS u
  WHERE g.month < $1 AND ${isUserLedgerSql("g.endpoint_uuid")} LIMIT ${deleteRowsMax}
)
DELETE FROM usage_records USING old WHERE usage_records.call_id = old.call_id RETURNING 1`,
};

/**
 * Deletes users' ledgers by a condition, which is checked again under the lock. A locked ledger is skipped until the next run:
 * waiting for it would lock out of the order of the keys (`ledgers.ts`).
 */
function deleteUserLedgers(condition: string): string {
  return `WITH old AS MATERIALIZED (
  SELECT endpoint_uuid, month FROM budget_ledgers
  WHERE ${condition} AND leased_micros = 0 AND ${isUserLedgerSql("endpoint_uuid")}
  LIMIT ${deleteRowsMax} FOR UPDATE SKIP LOCKED
)
DELETE FROM budget_ledgers g USING old WHERE g.endpoint_uuid = old.endpoint_uuid AND g.month = old.month RETURNING 1`;
}

const deleteUserLedgersBefore: Statement = {
  name: "allowances-users-delete-ledgers",
  text: deleteUserLedgers("month < $1"),
};

const deleteEmptyUserLedgers: Statement = {
  name: "allowances-users-delete-empty",
  text: deleteUserLedgers("spent_micros = 0 AND requests = 0"),
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

/** Usage rows of one replica in Postgres. Deletions run in batches, one statement each. */
export function createUsageStore(database: Database, replicaId: string): UsageStore {
  const statements = poolStatements(database);
  const deleteInBatches = async (statement: Statement, values: readonly unknown[], max = deleteRowsMax) => {
    let deleted: number;
    do deleted = (await statements.run(statement, values)).length;
    while (deleted === max);
  };
  return {
    flush: async (batch) => await flushUsage(database, replicaId, batch),
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
      await deleteInBatches(deleteBefore, [month]);
      await deleteInBatches(deleteBlocksBefore, [month], deleteBlocksMax);
    },
    async deleteUsersBefore(month) {
      await deleteInBatches(deleteUserRowsBefore, [month]);
      await deleteInBatches(deleteUserBlocksBefore, [month], deleteBlocksMax);
      await deleteInBatches(deleteUserLedgersBefore, [month]);
    },
    deleteEmptyUsers: async () => await deleteInBatches(deleteEmptyUserLedgers, []),
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
