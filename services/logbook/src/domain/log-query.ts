import { GatewayError } from "@gatehouse/errors";
import { decodePosition, encodePosition, type LogPosition } from "./log-cursor.ts";

/** Page sizes of both logs (decisions: "Every list takes limit and cursor"). */
export const limitDefault = 50;
export const limitMax = 200;

export interface LogRange {
  /** Inclusive. */
  readonly since: Date | undefined;
  /** Exclusive. */
  readonly until: Date | undefined;
  readonly take: number;
  /** Only what is older than this. */
  readonly before: LogPosition | undefined;
}

export interface RangeInput {
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
  readonly limit: number;
  readonly cursor: string;
}

/** @throws GatewayError `invalid_argument`. */
export function toLogRange({ since, until, limit, cursor }: RangeInput): LogRange {
  const take = limit === 0 ? limitDefault : limit;
  if (!Number.isInteger(take) || take < 1 || take > limitMax) {
    throw new GatewayError("invalid_argument", `limit must be a whole number from 1 to ${limitMax}`);
  }
  return { since, until, take, before: cursor === "" ? undefined : decodePosition(cursor) };
}

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

/** Reads `404`, or a class such as `4xx`. @throws GatewayError `invalid_argument`. */
export function parseStatus(text: string): StatusRange {
  const exact = /^[1-5]\d\d$/.exec(text);
  if (exact !== null) return { first: Number(text), last: Number(text) };
  const [, hundreds] = /^([1-5])xx$/i.exec(text) ?? [];
  if (hundreds === undefined) {
    throw new GatewayError("invalid_argument", 'status must be a status code such as 404, or a class such as "4xx"');
  }
  const first = Number(hundreds) * 100;
  return { first, last: first + 99 };
}
