import { decodePosition, encodePosition, type LogPosition } from "./log-cursor.ts";

/** A span of time, open at either end. */
export interface LogRange {
  /** Inclusive. */
  readonly since: Date | undefined;
  /** Exclusive. */
  readonly until: Date | undefined;
  readonly take: number;
  /** Only what is older than this. */
  readonly before: LogPosition | undefined;
}

/** A span of time, as operations take it. */
export interface RangeInput {
  readonly since: Date | undefined;
  readonly until: Date | undefined;
  readonly limit: number;
  readonly cursor: string | undefined;
}

/** @throws GatewayError `invalid_argument` for a cursor that no page had. */
export function toLogRange({ since, until, limit, cursor }: RangeInput): LogRange {
  return { since, until, take: limit, before: cursor === undefined ? undefined : decodePosition(cursor) };
}

/** A page of a log, newest first. */
export interface LogPage<Item> {
  readonly items: readonly Item[];
  /** Empty on the last page. */
  readonly nextCursor: string;
}

/** Makes a page of items that were read with one more than asked. */
export function toLogPage<Item extends { readonly id: string; readonly at: Date }>(
  items: readonly Item[],
  take: number,
): LogPage<Item> {
  const last = items[take - 1];
  if (items.length <= take || last === undefined) return { items, nextCursor: "" };
  return { items: items.slice(0, take), nextCursor: encodePosition({ atMs: last.at.getTime(), id: last.id }) };
}

/** Statuses from `first` to `last`, both included. */
export interface StatusRange {
  readonly first: number;
  readonly last: number;
}

/** Reads `404`, or a class such as `4xx`. */
export function toStatusRange(status: string | number): StatusRange {
  const text = String(status);
  if (/^\d+$/.test(text)) return { first: Number(text), last: Number(text) };
  const first = Number(text.slice(0, 1)) * 100;
  return { first, last: first + 99 };
}
