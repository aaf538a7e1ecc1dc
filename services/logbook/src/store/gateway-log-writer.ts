import {
  type ArrayMember,
  type Database,
  inTransaction,
  isRefusedData,
  reading,
  toArrayText,
} from "@gatehouse/database";
import type { StreamMessage } from "@gatehouse/events";
import { type LogBlock, toBlocks } from "../domain/log-block.ts";
import { toCounts } from "../domain/log-counts.ts";
import { type LogEntry, parseMessage } from "../domain/log-entry.ts";
import { keysOfEntry } from "../domain/log-keys.ts";
import { rollUp, toCountValues } from "./metric-rollups.ts";
import { describeRefusal, lacksPartition } from "./refusals.ts";

type Column = readonly [name: string, type: string, value: (block: LogBlock) => string | null];

const ofKinds = (valueOf: (kind: LogEntry) => ArrayMember) => (block: LogBlock) => toArrayText(block.kinds, valueOf);

/** One array a block, null where no entry has a value. */
const ofEntries = (valueOf: (entry: LogEntry) => ArrayMember) => (block: LogBlock) =>
  block.entries.some((entry) => valueOf(entry) !== null) ? toArrayText(block.entries, valueOf) : null;

const same = (value: number): ArrayMember => value;
const textOf = (details: unknown) => (details === undefined || details === null ? null : JSON.stringify(details));

/** Type and source of each column of a block. */
const columns: readonly Column[] = [
  ["first_at", "timestamptz", ({ firstAtMs }) => new Date(firstAtMs).toISOString()],
  ["last_at", "timestamptz", ({ lastAtMs }) => new Date(lastAtMs).toISOString()],
  ["keys", "text[]", ({ kinds }) => toArrayText([...new Set(kinds.flatMap(keysOfEntry))], (key) => key)],
  ["project_uuids", "uuid[]", ofKinds((kind) => kind.project_uuid ?? null)],
  ["endpoint_uuids", "uuid[]", ofKinds((kind) => kind.endpoint_uuid ?? null)],
  ["token_ids", "int[]", ofKinds((kind) => kind.token_id ?? null)],
  ["user_names", "text[]", ofKinds((kind) => kind.user_name ?? null)],
  ["routes", "text[]", ofKinds((kind) => kind.route)],
  ["statuses", "int[]", ofKinds((kind) => kind.status)],
  ["errors", "text[]", ofKinds((kind) => kind.error ?? null)],
  ["providers", "text[]", ofKinds((kind) => kind.provider ?? null)],
  ["models", "text[]", ofKinds((kind) => kind.model ?? null)],
  ["attempts", "int[]", ofKinds((kind) => kind.attempts)],
  ["kinds", "smallint[]", ({ kindNumbers }) => toArrayText(kindNumbers, same)],
  ["offsets_ms", "int[]", ({ offsetsMs }) => toArrayText(offsetsMs, same)],
  ["request_ids", "text[]", ofEntries((entry) => entry.request_id)],
  ["trace_ids", "text[]", ofEntries((entry) => entry.trace_id ?? null)],
  ["durations_ms", "int[]", ofEntries((entry) => entry.duration_ms)],
  ["prompt_tokens", "int[]", ofEntries((entry) => entry.prompt_tokens ?? null)],
  ["completion_tokens", "int[]", ofEntries((entry) => entry.completion_tokens ?? null)],
  ["costs_micros", "bigint[]", ofEntries((entry) => entry.cost_micros ?? null)],
  ["details", "text[]", ofEntries((entry) => textOf(entry.details))],
];

const names = columns.map(([name]) => name).join(", ");
const parameters = (first: number) => columns.map(([, type], at) => `$${first + at}::${type}`).join(", ");

/** A message that comes again and again, while a collector is away, is known for as long as it comes. */
const remember = `
WITH again AS (
  UPDATE gateway_log_batches SET stored_at = now() WHERE id = $1 AND stored_at < now() - interval '1 hour'
),
fresh AS (INSERT INTO gateway_log_batches (id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING id)`;

/** The id of a message and its counts are one statement, with the block where there is one: none is ever without the others. */
const statements = {
  count: { name: "gateway-log-count", text: `${remember},${rollUp(2)}\nSELECT id FROM fresh` },
  store: {
    name: "gateway-log-store",
    text: `${remember},
block AS (INSERT INTO gateway_log (${names}) SELECT ${parameters(2)} FROM fresh),${rollUp(2 + columns.length)}
SELECT id FROM fresh`,
  },
  storeMore: {
    name: "gateway-log-store-more",
    text: `INSERT INTO gateway_log (${names}) VALUES (${parameters(1)})`,
  },
} as const;

/** Entries of one batch, stored and refused. */
export interface Stored {
  readonly entries: number;
  /** Entries, or whole messages, that no table takes. */
  readonly refused: number;
  /** The last refusal by Postgres, which drops a whole message; without its texts. */
  readonly refusal?: Error | undefined;
}

/** Retention at the moment of a batch. */
export interface StoreOptions {
  /** The beginning of the oldest day that is kept. */
  readonly since: Date;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** Whether entries become rows; else they are counted only. */
  readonly keepsRows: boolean;
}

/** Greatest lead of a clock. */
const aheadMs = 86_400_000;

/**
 * Stores the entries of messages, each message once and as a whole. What no row can hold is left out, entry by entry.
 * @throws GatewayError `unavailable` while Postgres is away; an error that `lacksPartition` knows where a day has none.
 */
export async function storeBatches(
  database: Database,
  messages: readonly StreamMessage[],
  options: StoreOptions,
): Promise<Stored> {
  let [entries, refused] = [0, 0];
  let refusal: Error | undefined;
  for (const message of messages) {
    const stored = await storeMessage(database, message, options);
    entries += stored.entries;
    refused += stored.refused;
    refusal = stored.refusal ?? refusal;
  }
  return { entries, refused, refusal };
}

async function storeMessage(
  database: Database,
  { id, body }: StreamMessage,
  { since, nowMs, keepsRows }: StoreOptions,
): Promise<Stored> {
  const { entries, refused } = parseMessage(body);
  const blocks = toBlocks(entries, since.getTime(), nowMs + aheadMs);
  try {
    const isNew = await writeBlocks(database, id.replaceAll("\0", ""), blocks, keepsRows);
    return isNew ? { entries: blocks.reduce((sum, block) => sum + block.entries.length, 0), refused } : nothing;
  } catch (err) {
    if (!isRefusedData(err) || lacksPartition(err)) throw err;
    return { entries: 0, refused: entries.length + refused, refusal: describeRefusal(err) };
  }
}

const nothing: Stored = { entries: 0, refused: 0 };

/** @returns false for a message that is stored already. */
async function writeBlocks(
  database: Database,
  id: string,
  blocks: readonly LogBlock[],
  keepsRows: boolean,
): Promise<boolean> {
  const [block, ...more] = keepsRows ? blocks : [];
  const { name, text } = statements[block === undefined ? "count" : "store"];
  const query = { name, text, values: [id, ...toValues(block), ...toCountValues(blocks.flatMap(toCounts))] };
  if (more.length === 0) return (await reading(async () => await database.pool.query(query))).rows.length > 0;
  return await inTransaction(database, async (client) => {
    if ((await client.query(query)).rows.length === 0) return false;
    for (const each of more) await client.query({ ...statements.storeMore, values: [...toValues(each)] });
    return true;
  });
}

function toValues(block: LogBlock | undefined): readonly (string | null)[] {
  return block === undefined ? [] : columns.map(([, , value]) => value(block));
}
