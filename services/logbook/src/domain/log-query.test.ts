import { expect, test } from "vitest";
import { decodePosition, encodePosition } from "./log-cursor.ts";
import { toLogPage, toStatusRange } from "./log-query.ts";

test.each([
  ["404", 404, 404],
  [429, 429, 429],
  ["4xx", 400, 499],
  ["5XX", 500, 599],
])("the status %j means %i to %i", (text, first, last) => {
  expect(toStatusRange(text)).toEqual({ first, last });
});

test("a cursor is decoded to its position, and an invalid one is refused", () => {
  const position = { atMs: 1_763_700_000_123, id: "9007199254740993" };
  expect(decodePosition(encodePosition(position))).toEqual(position);
  for (const cursor of [
    "x",
    "",
    Buffer.from("1.2.3").toString("base64url"),
    Buffer.from("1.-2").toString("base64url"),
    // 1 January 10000.
    Buffer.from("253402300800000.1").toString("base64url"),
  ]) {
    expect(() => decodePosition(cursor)).toThrow("cursor must be");
  }
});

test("a page has the requested length, and a cursor only if there is a next one", () => {
  const items = [3, 2, 1].map((id) => ({ id: String(id), at: new Date(id) }));
  expect(toLogPage(items, 3)).toEqual({ items, nextCursor: "" });
  const page = toLogPage(items, 2);
  expect(page.items).toHaveLength(2);
  expect(decodePosition(page.nextCursor)).toEqual({ atMs: 2, id: "2" });
});
