import { type Database, inTransaction, reading } from "@gatehouse/database";
import type { StreamMessage } from "@gatehouse/events";
import { rollUpArrived } from "./metric-rollups.ts";
import { isRefusal, lacksPartition } from "./refusals.ts";

/** Types of the columns that come in under their own names. */
const columns = {
  request_id: "text",
  trace_id: "text",
  project_uuid: "uuid",
  endpoint_uuid: "uuid",
  token_id: "int",
  user_name: "text",
  route: "text",
  status: "int",
  error: "text",
  duration_ms: "int",
  provider: "text",
  model: "text",
  attempts: "int",
  prompt_tokens: "int",
  completion_tokens: "int",
  cost_micros: "bigint",
  details: "json",
} as const;

const names = Object.keys(columns).join(", ");
const typedNames = Object.entries(columns)
  .map(([name, type]) => `${name} ${type}`)
  .join(", ");

/** A clock that is ahead must not put entries where no partition is. */
const atExpression = "LEAST(to_timestamp(e.at_ms / 1000.0), now() + interval '1 day')";

/** Entries of days that are not kept any more are left out: they would be deleted at once. */
const arrived = (source: string) => `
arrived AS MATERIALIZED (
  SELECT ${atExpression} AS at, ${names} FROM ${source} AS e(at_ms float8, ${typedNames})
  WHERE to_timestamp(e.at_ms / 1000.0) >= $1::timestamptz
)`;

/** Entries and their counts are one statement: neither is ever without the other. */
const storeArrived = `
logged AS (INSERT INTO gateway_log (at, ${names}) SELECT at, ${names} FROM arrived RETURNING 1),
${rollUpArrived}
SELECT count(*)::int AS entries FROM logged`;

/** For a log whose entries are kept elsewhere. */
const countArrived = `
${rollUpArrived.trimStart()}
SELECT count(*)::int AS entries FROM arrived`;

/** A message that comes again and again, while a collector is away, is known for as long as it comes. */
const stillComing = `
again AS (
  UPDATE gateway_log_batches SET stored_at = now() WHERE id = $2 AND stored_at < now() - interval '1 hour'
)`;

/**
 * Postgres reads a message by itself, so that an entry costs this process hardly anything. A message is a statement: as members
 * of an array their texts would have to be escaped, which took as long as all the rest.
 */
const batchOf = (rest: string) => `
WITH ${stillComing},
fresh AS (INSERT INTO gateway_log_batches (id) VALUES ($2) ON CONFLICT DO NOTHING RETURNING id),
${arrived("fresh, LATERAL json_to_recordset($3::json)")},
${rest}`;

const entryOf = (rest: string) => `WITH ${arrived("json_to_record($2::json)")},\n${rest}`;

/** Statements that store a message, and one entry of it. */
const statements = {
  rows: { name: "gateway-log-store", batch: batchOf(storeArrived), entry: entryOf(storeArrived) },
  counts: { name: "gateway-log-count", batch: batchOf(countArrived), entry: entryOf(countArrived) },
};

const rememberBatch = "INSERT INTO gateway_log_batches (id) VALUES ($1) ON CONFLICT DO NOTHING";

interface Counted {
  readonly entries: number;
}

function countOf([counted]: readonly Counted[]): number {
  return counted?.entries ?? 0;
}

export interface Stored {
  readonly entries: number;
  /** Entries, or whole messages, that no table takes. */
  readonly refused: number;
}

export interface StoreOptions {
  /** The beginning of the oldest day that is kept. */
  readonly since: Date;
  /** Whether entries become rows; else they are counted only. */
  readonly keepsRows: boolean;
}

/**
 * Stores the entries of messages, each message once and as a whole. What Postgres refuses is left out, entry by entry.
 * @throws GatewayError `unavailable` while Postgres is away; an error that {@link lacksPartition} knows where a day has none.
 */
export async function storeBatches(
  database: Database,
  messages: readonly StreamMessage[],
  options: StoreOptions,
): Promise<Stored> {
  let [entries, refused] = [0, 0];
  for (const message of messages) {
    const stored = await storeBatch(database, message, options);
    entries += stored.entries;
    refused += stored.refused;
  }
  return { entries, refused };
}

async function storeBatch(database: Database, message: StreamMessage, options: StoreOptions): Promise<Stored> {
  const { id, body } = message;
  const { name, batch } = statements[options.keepsRows ? "rows" : "counts"];
  try {
    const query = { name, text: batch, values: [options.since, id, body] };
    const { rows } = await reading(async () => await database.pool.query<Counted>(query));
    return { entries: countOf(rows), refused: 0 };
  } catch (err) {
    if (!isRefusal(err) || lacksPartition(err)) throw err;
    return await storeEntries(database, message, options);
  }
}

/** The slow way, for a message that holds what Postgres refuses. */
async function storeEntries(
  database: Database,
  { id, body }: StreamMessage,
  { since, keepsRows }: StoreOptions,
): Promise<Stored> {
  const { entry } = statements[keepsRows ? "rows" : "counts"];
  const texts = parseEntries(body);
  return await inTransaction(database, async (client) => {
    const { rowCount } = await client.query(rememberBatch, [id.replaceAll("\0", "")]);
    if (rowCount === 0) return { entries: 0, refused: 0 };
    let [entries, refused] = [0, texts.length === 0 ? 1 : 0];
    for (const text of texts) {
      await client.query("SAVEPOINT entry");
      try {
        entries += countOf((await client.query<Counted>(entry, [since, text])).rows);
      } catch (err) {
        if (!isRefusal(err) || lacksPartition(err)) throw err;
        await client.query("ROLLBACK TO SAVEPOINT entry");
        refused += 1;
      }
    }
    return { entries, refused };
  });
}

/** None where the text is no list of entries. */
function parseEntries(body: string): readonly string[] {
  try {
    const entries: unknown = JSON.parse(body);
    return Array.isArray(entries) ? entries.map((entry) => JSON.stringify(entry)) : [];
  } catch (err) {
    if (err instanceof SyntaxError) return [];
    throw err;
  }
}
