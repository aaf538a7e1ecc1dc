import { type ArrayMember, type Database, toArrayText } from "@gatehouse/database";
import type { UsageRow } from "../decisions/usage-row.ts";
import { type LedgerKey, lockLedgers } from "./ledgers.ts";
import { explainPresumed, type SettledRow, settlePaid } from "./settle-paid.ts";
import { inTransaction, type Statement, type Statements } from "./statements.ts";

/** Name, type and source of each column of a usage row, in the order of the statements' parameters. */
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
  // Absent in rows spilled by an earlier version.
  ["user_name", "text", (row: Partial<UsageRow>) => row.user ?? null],
  ["revision", "int", (row: Partial<UsageRow>) => row.revision ?? 0],
];

const names = columns.map(([name]) => name);
const storedNames = names.filter((name) => name !== "paying_replica").join(", ");

const updatedNames = names.filter((name) => name !== "paying_replica" && name !== "call_id");

const incoming = `unnest(${columns.map(([, type], at) => `$${at + 1}::${type}[]`).join(", ")}) AS u(${names.join(", ")})`;

/**
 * Inserts rows that may be stored already; a later revision replaces the stored row. Stored rows are looked up one by one, for
 * the reason given at {@link settlePaid}.
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

const storedCalls: Statement = {
  name: "allowances-usage-stored-calls",
  text: "SELECT unnest(call_ids) AS call_id FROM usage_blocks WHERE month = ANY($1::text[]) AND id = $2",
};

const afterMerge: Statement = {
  name: "allowances-usage-after-merge",
  text: `SELECT g.endpoint_uuid, g.month, g.spent_micros::float8 AS spent, coalesce(l.micros, 0)::float8 AS lease
FROM unnest($2::uuid[], $3::text[]) AS k(endpoint_uuid, month)
JOIN budget_ledgers g ON g.endpoint_uuid = k.endpoint_uuid AND g.month = k.month
LEFT JOIN budget_leases l ON l.endpoint_uuid = k.endpoint_uuid AND l.month = k.month AND l.replica_id = $1`,
};

/** Ledger row after usage was added, in Postgres' column names and micro-dollars; `lease` is the flushing replica's. */
export interface LedgerRow {
  readonly endpoint_uuid: string;
  readonly month: string;
  readonly spent: number;
  readonly lease: number;
}

/** Replica that flushes usage, and the ledgers of its rows, each once; both ways to store rows lock them first. */
export interface Flush {
  readonly replicaId: string;
  readonly keys: readonly LedgerKey[];
}

/** Rows, and the id of the block that may contain some of them. */
interface RowsOfBlock {
  readonly block: string | undefined;
  readonly rows: readonly UsageRow[];
}

/** Writes each row separately, in one transaction with its effect on its ledger; stored rows change nothing. */
export async function mergeRows(
  database: Database,
  { replicaId, keys }: Flush,
  { block, rows }: RowsOfBlock,
): Promise<readonly LedgerRow[]> {
  return await inTransaction(database, async (statements) => {
    await lockLedgers(statements, keys);
    // Read under the ledgers' locks, which wait for an attempt that is still running.
    const stored = block === undefined ? new Set<string>() : await readStoredCalls(statements, keys, block);
    const absent = rows.filter(({ callId }) => !stored.has(callId));
    if (absent.length > 0) {
      const values = columns.map(([, , value]) => toArrayText(absent, value));
      await explainPresumed(statements, await statements.run<SettledRow>(merge, values));
    }
    const places = [replicaId, keys.map(({ endpointUuid }) => endpointUuid), keys.map(({ month }) => month)];
    return await statements.run<LedgerRow>(afterMerge, places);
  });
}

async function readStoredCalls(
  statements: Statements,
  keys: readonly LedgerKey[],
  block: string,
): Promise<ReadonlySet<string>> {
  const months = [...new Set(keys.map(({ month }) => month))];
  const rows = await statements.run<{ call_id: string }>(storedCalls, [months, block]);
  return new Set(rows.map(({ call_id: callId }) => callId));
}
