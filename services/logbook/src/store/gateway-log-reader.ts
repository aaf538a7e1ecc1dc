import { type Database, reading, untilAborted } from "@gatehouse/database";
import { GatewayError, hasCode, isGatewayError } from "@gatehouse/errors";
import {
  controlRouteIds,
  type LogColumns,
  logColumnList,
  type LogField,
  type OptionalLogField,
} from "@gatehouse/gateway-log";
import type pg from "pg";
import { blockSpanMs } from "../domain/log-block.ts";
import { keyedColumns, keysOfSearch, type SearchedFields } from "../domain/log-keys.ts";
import { type LogPage, type LogRange, toLogPage } from "../domain/log-query.ts";
import { type LogSpan, spansOf } from "../domain/log-spans.ts";
import { Conditions } from "./conditions.ts";
import { readPartitionDays } from "./partitions.ts";
import { sqlTypes } from "./sql-types.ts";

/** Filters of a search; undefined ones let everything pass. */
export interface GatewayLogQuery extends Required<SearchedFields> {
  readonly range: LogRange;
  readonly requestId: string | undefined;
  /** Whether calls of the Control Plane are left out. */
  readonly isClientsOnly: boolean;
}

/** A value of each type of column, as Postgres answers with it. */
interface StoredValues {
  readonly moment: Date;
  readonly text: string;
  readonly requestId: string;
  readonly uuid: string;
  readonly integer: number;
  readonly duration: number;
  /** A bigint is a text. */
  readonly micros: string;
  readonly details: string;
}
type StoredFields = {
  readonly [Field in Exclude<LogField, "atMs">]:
    | StoredValues[LogColumns[Field]["type"]]
    | (Field extends OptionalLogField ? null : never);
};

/** A row of the gateway log. */
export interface LoggedRequest extends StoredFields {
  readonly id: string;
  readonly at: Date;
}

const selected = [
  "id",
  "at",
  ...logColumnList.flatMap(({ field, name, type, byKind, byEntry }) => {
    if (byKind === undefined && byEntry === undefined) return [];
    return [`${name}${type === "details" ? "::text" : ""} AS "${field}"`];
  }),
].join(", ");

/** Blocks read at first, and at most, in one statement. */
const blocksFirst = 4;
const blocksMax = 64;

/** A block's place in the order of reading. */
interface Block {
  readonly id: string;
  readonly last_at: Date;
}

/** Longest that a search may take, milliseconds: one whose blocks hold its keys, and no entry that has them all, reads each of them. */
export const searchTimeoutMs = 20_000;

/**
 * Newest first. Blocks overlap in time, so they are read, latest end first, until every block that is left ends before the last
 * entry of the page.
 * @param signal aborted when the caller no longer waits
 * @throws GatewayError `unavailable` for a search that takes too long, and the signal's reason once that is aborted.
 */
export async function queryGatewayLog(
  database: Database,
  query: GatewayLogQuery,
  signal: AbortSignal,
  timeoutMs: number = searchTimeoutMs,
): Promise<LogPage<LoggedRequest>> {
  const bound = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  try {
    return await reading(async () => await findEntries(database, query, bound));
  } catch (err) {
    signal.throwIfAborted();
    const isEnded = isGatewayError(err) && hasCode(err.cause, cancelledState);
    throw bound.aborted || isEnded ? tookTooLong(err) : err;
  }
}

/** Reads the log span by span, each in a transaction: its end releases the locks of the partitions. */
async function findEntries(
  database: Database,
  query: GatewayLogQuery,
  bound: AbortSignal,
): Promise<LogPage<LoggedRequest>> {
  const { range } = query;
  const days = await untilAborted(database, bound, readPartitionDays);
  let found: readonly LoggedRequest[] = [];
  for (const span of spansOf(days, range)) {
    const known = found;
    found = await untilAborted(database, bound, async (client) => await findInSpan({ client, query, span }, known));
    const oldest = found[range.take];
    if (oldest !== undefined && oldest.at.getTime() >= span.fromMs) break;
  }
  return toLogPage(found, range.take);
}

interface Search {
  readonly client: pg.PoolClient;
  readonly query: GatewayLogQuery;
  readonly span: LogSpan;
}

/** The newest entries among those known, of later spans, and those of this span: one more than a page has. */
async function findInSpan(search: Search, known: readonly LoggedRequest[]): Promise<readonly LoggedRequest[]> {
  const wanted = search.query.range.take + 1;
  let found = known;
  let last: Block | undefined;
  for (let take = blocksFirst; ; take = Math.min(4 * take, blocksMax)) {
    const blocks = await readBlocks(search, take, last);
    if (blocks.length > 0) found = newest([...found, ...(await readEntries(search, blocks))], wanted);
    last = blocks.at(-1);
    const oldest = found[wanted - 1];
    const isComplete = last === undefined || blocks.length < take || (oldest !== undefined && oldest.at > last.last_at);
    if (isComplete) return found;
  }
}

/** SQLSTATE of a statement that has reached the database's bound, or that an operator has ended. */
const cancelledState = "57014";

function tookTooLong(cause?: unknown): GatewayError {
  return new GatewayError(
    "unavailable",
    "The search of the gateway log took too long. Narrow it: name since and until, closer to each other, or more fields.",
    { cause },
  );
}

function newest(entries: readonly LoggedRequest[], count: number): readonly LoggedRequest[] {
  const inOrder = (left: LoggedRequest, right: LoggedRequest) =>
    right.at.getTime() - left.at.getTime() || Number(right.id) - Number(left.id);
  return entries.toSorted(inOrder).slice(0, count);
}

/** Blocks that may hold entries which fit. Not a prepared statement: with its values known, Postgres looks into few partitions. @param last the last block that was read */
async function readBlocks({ client, query, span }: Search, take: number, last: Block | undefined): Promise<Block[]> {
  const { since, until, before } = query.range;
  const where = new Conditions();
  where.inSpan("last_at", span);
  if (since !== undefined) where.add((value) => `last_at >= ${value}::timestamptz`, since.toISOString());
  if (until !== undefined) where.add(beginsBy("<"), until.toISOString());
  if (before !== undefined) where.add(beginsBy("<="), new Date(before.atMs).toISOString());
  const keys = keysOfSearch(query);
  if (keys.length > 0) where.add((value) => `keys @> ${value}::text[]`, keys);
  if (query.requestId !== undefined) where.add((value) => `request_ids @> ARRAY[${value}::text]`, query.requestId);
  if (query.error !== undefined)
    where.add((value) => `EXISTS (SELECT FROM unnest(errors) AS error WHERE ${holds("error", value)})`, query.error);
  if (query.isClientsOnly)
    where.add(
      (value) => `EXISTS (SELECT FROM unnest(routes) AS route WHERE route <> ALL (${value}::text[]))`,
      controlRouteIds,
    );
  if (last !== undefined) where.addPosition(["last_at", "id"], last.last_at, last.id);
  const text = findBlocks(where.text, take, query.requestId !== undefined);
  return (await client.query<Block>(text, [...where.values])).rows;
}

/**
 * For a few rows, latest first, Postgres reads the primary key backward and looks at each row: it takes a text that is in one block for
 * one in 200. A request id is in so few that all are found by its index first. Of a user or a token it knows how frequent they are, and
 * a frequent one's blocks must not all be found.
 */
function findBlocks(where: string, take: number, isRare: boolean): string {
  const [columns, order] = ["id, last_at", `ORDER BY last_at DESC, id DESC LIMIT ${take}`];
  return isRare
    ? `WITH fits AS MATERIALIZED (SELECT ${columns} FROM gateway_log ${where}) SELECT ${columns} FROM fits ${order}`
    : `SELECT ${columns} FROM gateway_log ${where} ${order}`;
}

/** The condition on a block's end follows from that on its beginning, and is there for the index. */
function beginsBy(comparison: "<" | "<=") {
  return (value: string) =>
    `first_at ${comparison} ${value}::timestamptz AND last_at < ${value}::timestamptz + interval '${blockSpanMs} milliseconds'`;
}

/** A position rather than a pattern: what is sought may hold % and _. */
function holds(column: string, value: string): string {
  return `position(lower(${value}) IN lower(${column})) > 0`;
}

/** The newest entries of some blocks that fit, one more than a page has. */
async function readEntries({ client, query, span }: Search, blocks: readonly Block[]): Promise<LoggedRequest[]> {
  const { range, status, requestId } = query;
  const where = new Conditions();
  where.inRange(range);
  // The list of blocks alone would have Postgres look into every partition.
  where.inSpan("block_last_at", span);
  if (requestId !== undefined) where.add((value) => `request_id = ${value}`, requestId);
  for (const { field, name, type } of keyedColumns) {
    const sought = query[field];
    if (sought !== undefined) where.add((value) => `${name} = ${value}::${sqlTypes[type]}`, sought);
  }
  if (query.isClientsOnly) where.add((value) => `route <> ALL (${value}::text[])`, controlRouteIds);
  if (query.error !== undefined) where.add((value) => holds("error", value), query.error);
  if (status !== undefined) {
    where.add((value) => `status >= ${value}::int`, status.first);
    where.add((value) => `status <= ${value}::int`, status.last);
  }
  where.addOneOf(
    ["block_last_at", "block_id"],
    [
      ["timestamptz", blocks.map(({ last_at }) => last_at.toISOString())],
      ["bigint", blocks.map(({ id }) => id)],
    ],
  );
  const text = `SELECT ${selected} FROM gateway_log_entries ${where.text} ORDER BY at DESC, id DESC LIMIT ${range.take + 1}`;
  return (await client.query<LoggedRequest>(text, [...where.values])).rows;
}
