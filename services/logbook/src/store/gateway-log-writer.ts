import {
  type ArrayMember,
  type Database,
  inTransaction,
  isRefusedData,
  reading,
  toArrayText,
} from "@gatehouse/database";
import type { StreamMessage } from "@gatehouse/events";
import { type LogColumnName, logColumnList, type LogColumnType } from "@gatehouse/gateway-log";
import { type Day, dayOf } from "../domain/days.ts";
import { type LogBlock, toBlocks } from "../domain/log-block.ts";
import { toCounts } from "../domain/log-counts.ts";
import type { LogEntry, ParsedMessage } from "../domain/log-entry.ts";
import { keysOfEntry } from "../domain/log-keys.ts";
import { rollUp, toCountValues } from "./metric-rollups.ts";
import { readMessage } from "./read-message.ts";
import { describeRefusal, lacksPartition } from "./refusals.ts";
import { sqlTypes } from "./sql-types.ts";

/** A column of a block: its name, its type, and its value. */
type Column = readonly [name: string, type: string, value: (block: LogBlock) => string | null];

const same = (value: number): ArrayMember => value;

/** Arrays with a value for each kind of a block's entries. */
const ofKinds = logColumnList.flatMap(({ name, byKind, type }): Column[] => {
  if (byKind === undefined) return [];
  const valueOf = memberOf(name, type);
  return [[byKind, `${sqlTypes[type]}[]`, ({ kinds }) => toArrayText(kinds, valueOf)]];
});

/** Arrays with a value for each entry of a block; null where no entry has a value. */
const ofEntries = logColumnList.flatMap(({ name, byEntry, type }): Column[] => {
  if (byEntry === undefined) return [];
  const valueOf = memberOf(name, type);
  const value = ({ entries }: LogBlock) =>
    entries.some((entry) => valueOf(entry) !== null) ? toArrayText(entries, valueOf) : null;
  return [[byEntry, `${sqlTypes[type]}[]`, value]];
});

function memberOf(name: LogColumnName, type: LogColumnType): (entry: LogEntry) => ArrayMember {
  if (type !== "details") return (entry) => (entry[name] as ArrayMember | undefined) ?? null;
  return (entry) => {
    const value = entry[name] ?? null;
    return value === null ? null : JSON.stringify(value);
  };
}

const columns: readonly Column[] = [
  ["first_at", "timestamptz", ({ firstAtMs }) => new Date(firstAtMs).toISOString()],
  ["last_at", "timestamptz", ({ lastAtMs }) => new Date(lastAtMs).toISOString()],
  ["keys", "text[]", ({ kinds }) => toArrayText([...new Set(kinds.flatMap(keysOfEntry))], (key) => key)],
  ...ofKinds,
  ["kinds", "smallint[]", ({ kindNumbers }) => toArrayText(kindNumbers, same)],
  ["offsets_ms", "int[]", ({ offsetsMs }) => toArrayText(offsetsMs, same)],
  ...ofEntries,
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

/** The days of partitions that the entries of messages need. */
export function daysOf(messages: readonly StreamMessage[], options: StoreOptions): readonly Day[] {
  const blocks = messages.flatMap((message) => blocksOf(readMessage(message), options));
  return [...new Set(blocks.map(({ lastAtMs }) => dayOf(lastAtMs)))];
}

function blocksOf({ entries }: ParsedMessage, { since, nowMs }: StoreOptions): readonly LogBlock[] {
  return toBlocks(entries, since.getTime(), nowMs + aheadMs);
}

async function storeMessage(database: Database, message: StreamMessage, options: StoreOptions): Promise<Stored> {
  const read = readMessage(message);
  const { entries, refused } = read;
  const blocks = blocksOf(read, options);
  try {
    const isNew = await writeBlocks(database, message.id.replaceAll("\0", ""), blocks, options.keepsRows);
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
