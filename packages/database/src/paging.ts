import { type GatewayError, invalidArgument } from "@gatehouse/errors";

/** Items on a page of a list whose caller gives no limit. */
export const pageLimitDefault = 50;
/** Largest limit of a page, in items; larger ones are `invalid_argument`. */
export const pageLimitMax = 200;

/** Page of a list in the form of stores; cursors are opaque to callers. */
export interface PageRequest {
  /** 1 to 200; absent or 0 means the default. */
  readonly limit?: number;
  /** `nextCursor` of the previous page. */
  readonly cursor?: string;
}

/** Items of one page in the list's order, and the cursor of the next page. */
export interface PageResult<T> {
  readonly items: readonly T[];
  /** Absent on the last page. */
  readonly nextCursor?: string;
}

/** Bounds of a statement for a list by rising integer id. */
export function pageBounds({ limit, cursor = "" }: PageRequest): { readonly take: number; readonly afterId: number } {
  return { take: takenOf(limit), afterId: cursor === "" ? 0 : decodeCursor(cursor, integerMax) };
}

/** Bounds of a statement for a list by falling bigint id. The first page begins below the largest bigint. */
export function newestPageBounds({ limit, cursor = "" }: PageRequest): {
  readonly take: number;
  readonly beforeId: bigint | number;
} {
  return { take: takenOf(limit), beforeId: cursor === "" ? bigintMax : decodeCursor(cursor, Number.MAX_SAFE_INTEGER) };
}

function takenOf(limit = 0): number {
  const take = limit === 0 ? pageLimitDefault : limit;
  if (!Number.isInteger(take) || take < 1 || take > pageLimitMax) {
    throw invalidArgument(`limit must be a whole number from 1 to ${pageLimitMax}`);
  }
  return take;
}

/** Makes a page from rows, of which one more than requested was read. */
export function toPage<T extends { readonly id: number }>(rows: readonly T[], take: number): PageResult<T> {
  const items = rows.slice(0, take);
  const last = items.at(-1);
  return rows.length > take && last !== undefined ? { items, nextCursor: encodeCursor(last.id) } : { items };
}

/** Parts of a Prisma query for one page by rising integer id. */
interface PageQuery {
  readonly after: { readonly id: { readonly gt: number } };
  readonly orderBy: { readonly id: "asc" };
  readonly take: number;
}

/** Reads a page, oldest rows first. @param read reads at most `take` rows after `after`, one more than the page has */
export async function readPage<Row extends { readonly id: number }, Item>(
  page: PageRequest,
  toItem: (row: Row) => Item,
  read: (query: PageQuery) => Promise<readonly Row[]>,
): Promise<PageResult<Item>> {
  const { take, afterId } = pageBounds(page);
  const rows = await read({ after: { id: { gt: afterId } }, orderBy: { id: "asc" }, take: take + 1 });
  const { items, ...next } = toPage(rows, take);
  return { items: items.map(toItem), ...next };
}

/** The uuid before all others (RFC 9562, section 5.9), which no row has. */
export const nilUuid = "00000000-0000-0000-0000-000000000000";

/** Largest values of Postgres' integer and bigint. */
const integerMax = 2_147_483_647;
const bigintMax = 9_223_372_036_854_775_807n;

function encodeCursor(id: number): string {
  return Buffer.from(String(id)).toString("base64url");
}

function decodeCursor(cursor: string, idMax: number): number {
  const text = Buffer.from(cursor, "base64url").toString();
  const id = Number(text);
  // Postgres' own error for an out-of-range integer would look like a defect.
  if (!/^[0-9]{1,16}$/.test(text) || id > idMax) {
    throw invalidCursor();
  }
  return id;
}

/** The refusal of a cursor that no page can have given. */
export function invalidCursor(): GatewayError {
  return invalidArgument("cursor must be the next_cursor of an earlier page");
}
