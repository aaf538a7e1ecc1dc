import fc from "fast-check";
import { expect, test } from "vitest";
import { newestPageBounds, pageBounds, pageLimitDefault, pageLimitMax, type PageRequest, toPage } from "./paging.ts";

/** Rows that a statement would read: those after an id, in order, one more than requested. */
function read(ids: readonly number[], request: PageRequest) {
  const { take, afterId } = pageBounds(request);
  const rows = ids.filter((id) => id > afterId).slice(0, take + 1);
  return toPage(
    rows.map((id) => ({ id })),
    take,
  );
}

const rowIds = fc
  .uniqueArray(fc.integer({ min: 1, max: 2_147_483_647 }), { maxLength: 450 })
  .map((ids) => ids.toSorted((a, b) => a - b));

test("walking all pages returns each row once, in order, and ends", () => {
  fc.assert(
    fc.property(rowIds, fc.integer({ min: 0, max: pageLimitMax }), (ids, limit) => {
      const walked: number[] = [];
      let request: PageRequest | undefined = { limit };
      for (let pages = 0; request !== undefined; pages++) {
        expect(pages).toBeLessThanOrEqual(ids.length);
        const { items, nextCursor } = read(ids, request);
        expect(items.length).toBeLessThanOrEqual(limit === 0 ? pageLimitDefault : limit);
        walked.push(...items.map(({ id }) => id));
        request = nextCursor === undefined ? undefined : { limit, cursor: nextCursor };
      }
      expect(walked).toEqual(ids);
    }),
  );
});

test("a last page that is exactly full names no further page", () => {
  expect(read([1, 2], { limit: 2 })).toEqual({ items: [{ id: 1 }, { id: 2 }] });
});

test("rows that are added or removed meanwhile neither repeat nor hide others", () => {
  const first = read([10, 20, 30, 40], { limit: 2 });
  const second = read([5, 10, 30, 40, 50], { limit: 2, ...(first.nextCursor && { cursor: first.nextCursor }) });
  expect(second.items).toEqual([{ id: 30 }, { id: 40 }]);
});

test.each([-1, 201, 1.5, Number.NaN, Number.POSITIVE_INFINITY])("the limit %d is refused", (limit) => {
  expect(() => pageBounds({ limit })).toThrow(expect.objectContaining({ code: "invalid_argument" }));
});

const encoded = (text: string) => Buffer.from(text).toString("base64url");

test.each([
  "x",
  "%%%",
  encoded("-1"),
  encoded("1.5"),
  encoded("1e3"),
  encoded("2147483648"),
  encoded("99999999999999"),
])("the cursor %j is refused", (cursor) => {
  expect(() => pageBounds({ cursor })).toThrow(expect.objectContaining({ code: "invalid_argument" }));
});

test("any text for a cursor gives an id that Postgres takes, or is refused", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string().map(encoded),
        fc.nat(1e12).map((id) => encoded(String(id))),
      ),
      (cursor) => {
        try {
          const { afterId } = pageBounds({ cursor });
          expect(Number.isInteger(afterId) && afterId >= 0 && afterId <= 2_147_483_647).toBe(true);
        } catch (err) {
          expect(err).toMatchObject({ code: "invalid_argument" });
        }
      },
    ),
  );
});

test("a list with the newest first starts above all ids, and continues below the last id returned", () => {
  const first = newestPageBounds({ limit: 1 });
  expect(first.beforeId > Number.MAX_SAFE_INTEGER).toBe(true);
  const { nextCursor = "" } = toPage([{ id: 3_000_000_000 }, { id: 7 }], first.take);
  expect(newestPageBounds({ cursor: nextCursor })).toEqual({ take: pageLimitDefault, beforeId: 3_000_000_000 });
  expect(() => newestPageBounds({ limit: 201 })).toThrow(expect.objectContaining({ code: "invalid_argument" }));
  expect(() => newestPageBounds({ cursor: encoded("9007199254740992") })).toThrow(/next_cursor/);
});
