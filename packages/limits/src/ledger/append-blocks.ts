import { type ArrayMember, type Database, toArrayText } from "@gatehouse/database";
import type { UsageBlock, UsageKind } from "../decisions/usage-block.ts";
import type { UsageRow } from "../decisions/usage-row.ts";
import { runLocked } from "./ledgers.ts";
import type { Flush, LedgerRow } from "./merge-rows.ts";
import { explainPresumed, type SettledRow, settlePaid } from "./settle-paid.ts";
import { inTransaction, type Statement } from "./statements.ts";

type Column = readonly [name: string, type: string, value: (block: UsageBlock, id: string) => string | boolean | null];

const ofKinds = (valueOf: (kind: UsageKind) => ArrayMember) => (block: UsageBlock) => toArrayText(block.kinds, valueOf);
const ofFirsts = (valueOf: (row: UsageRow) => ArrayMember) => ofKinds(({ first }) => valueOf(first));
const ofRows = (valueOf: (row: UsageRow) => ArrayMember) => (block: UsageBlock) => toArrayText(block.rows, valueOf);

/** Column of an array of counts; null where all are 0. */
const ofCounts = (valueOf: (row: UsageRow) => number) => (block: UsageBlock) =>
  block.rows.some((row) => valueOf(row) > 0) ? toArrayText(block.rows, valueOf) : null;

/** Type and source of each column of a block. */
const columns: readonly Column[] = [
  ["month", "text", ({ month }) => month],
  ["id", "uuid", (_, id) => id],
  ["of_users", "boolean", ({ isOfUsers }) => isOfUsers],
  ["first_at", "timestamptz", ({ firstAtMs }) => new Date(firstAtMs).toISOString()],
  ["user_keys", "text[]", userKeys],
  ["endpoint_uuids", "uuid[]", ofFirsts((row) => row.endpointUuid)],
  ["project_uuids", "uuid[]", ofFirsts((row) => row.projectUuid)],
  ["token_ids", "int[]", ofFirsts((row) => row.tokenId)],
  ["user_names", "text[]", ofFirsts((row) => row.user)],
  ["providers", "text[]", ofFirsts((row) => row.provider)],
  ["models", "text[]", ofFirsts((row) => row.model)],
  ["outcomes", "text[]", ofFirsts((row) => row.outcome)],
  ["prices_unknown", "boolean[]", ofFirsts((row) => row.priceUnknown)],
  ["estimated", "boolean[]", ofFirsts((row) => row.estimated)],
  ["requests_sums", "int[]", ofKinds(({ requests }) => requests)],
  ["prompt_tokens_sums", "bigint[]", ofKinds(({ promptTokens }) => promptTokens)],
  ["completion_tokens_sums", "bigint[]", ofKinds(({ completionTokens }) => completionTokens)],
  ["cost_micros_sums", "bigint[]", ofKinds(({ costMicros }) => costMicros)],
  ["kinds", "smallint[]", ({ kindNumbers }) => toArrayText(kindNumbers, (number) => number)],
  ["call_ids", "uuid[]", ofRows((row) => row.callId)],
  ["offsets_ms", "int[]", (block) => toArrayText(block.rows, (row) => Math.round(row.settledAtMs - block.firstAtMs))],
  ["request_ids", "text[]", ofRows((row) => row.requestId)],
  ["prompt_tokens", "int[]", ofRows((row) => row.promptTokens)],
  ["cached_tokens", "int[]", ofCounts((row) => row.cachedTokens)],
  ["completion_tokens", "int[]", ofRows((row) => row.completionTokens)],
  ["reasoning_tokens", "int[]", ofCounts((row) => row.reasoningTokens)],
  ["costs_micros", "bigint[]", ofRows((row) => row.costMicros)],
];

/** Projects and endpoints whose rows of the month name users, by which the report finds blocks; null where none does. */
function userKeys({ month, kinds }: UsageBlock): string | null {
  const keys = new Set<string>();
  for (const { first } of kinds) {
    if (first.user === null) continue;
    keys.add(userKey(month, first.projectUuid)).add(userKey(month, first.endpointUuid));
  }
  return keys.size === 0 ? null : toArrayText([...keys], (key) => key);
}

function userKey(month: string, uuid: string): string {
  return `${month} ${uuid}`;
}

const insert = `INSERT INTO usage_blocks (${columns.map(([name]) => name).join(", ")})
VALUES (${columns.map(([, type], at) => `$${at + 1}::${type}`).join(", ")})`;

/** Types and names of the values of `paid` that {@link append} takes, after the columns of the block. */
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

/** Writes a block, adds the costs of the whole batch to the ledgers, and returns the updated ledgers. */
const append: Statement = {
  name: "allowances-usage-append-block",
  text: `
WITH written AS (${insert}),
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

const appendMore: Statement = { name: "allowances-usage-append-more-blocks", text: insert };

/**
 * Writes the blocks of a batch and adds its costs to the ledgers, in one transaction.
 * @param batchId id of all its blocks
 * @throws 23505 where they are already stored
 */
export async function appendBlocks(
  database: Database,
  { replicaId, keys }: Flush,
  batchId: string,
  blocks: readonly UsageBlock[],
): Promise<readonly LedgerRow[]> {
  const paid = blocks.flatMap(paidFor);
  const [first = [], ...more] = blocks.map((block) => columns.map(([, , value]) => value(block, batchId)));
  const sums = paidColumns.map(([name]) => toArrayText(paid, (one) => one[name]));
  return await inTransaction(database, async (statements) => {
    const values = [...first, ...sums, replicaId];
    const ledgers = await runLocked<LedgerRow & SettledRow>(statements, keys, append, values);
    for (const others of more) await statements.run(appendMore, others);
    await explainPresumed(statements, ledgers);
    return ledgers;
  });
}

/** Summed cost of one ledger's rows by paying replica. */
type Paid = Record<(typeof paidColumns)[number][0], string | number> & {
  cost: number;
  requests: number;
  prompt_tokens: number;
  completion_tokens: number;
};

/** Sums costs by ledger; no ledger is in two blocks of a batch. Kinds are few, and rows of a ledger and its payer are of the same kinds. */
function paidFor({ month, kinds }: UsageBlock): readonly Paid[] {
  const paid = new Map<string, Paid>();
  for (const { first, requests, promptTokens, completionTokens, costMicros } of kinds) {
    const { endpointUuid, replicaId } = first;
    const key = `${endpointUuid} ${replicaId}`;
    const place = { endpoint_uuid: endpointUuid, month, paying_replica: replicaId };
    const sums = paid.get(key) ?? { ...place, cost: 0, requests: 0, prompt_tokens: 0, completion_tokens: 0 };
    paid.set(key, sums);
    sums.cost += costMicros;
    sums.requests += requests;
    sums.prompt_tokens += promptTokens;
    sums.completion_tokens += completionTokens;
  }
  return [...paid.values()];
}
