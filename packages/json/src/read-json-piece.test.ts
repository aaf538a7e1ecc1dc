import fc from "fast-check";
import { expect, test } from "vitest";
import { endOfJson, type JsonToken, notJson, readJsonPiece } from "./read-json-piece.ts";

/** The tokens of a text that comes in pieces, each joined, and the place at its end. */
function read(pieces: readonly string[]): { readonly tokens: readonly string[]; readonly place: string } {
  const tokens: string[] = [];
  let place = "";
  for (const piece of pieces) {
    place = readJsonPiece(piece, place, ({ kind, start, end, depth, isBegun }: JsonToken) => {
      const text = piece.slice(start, end);
      if (isBegun) tokens.push(`${depth} ${kind} ${text}`);
      else tokens.push((tokens.pop() ?? "") + text);
    });
  }
  return { tokens, place };
}

test("tokens have their kinds and depths", () => {
  const text = String.raw`{"a":[1,"b\"",{"c":true}]}`;
  const tokens = [
    "1 name a",
    "2 scalar 1",
    String.raw`2 text b\"`,
    "3 name c",
    "3 scalar true",
    "3 end ",
    "2 end ",
    "1 end ",
  ];
  expect(read([text])).toEqual({ tokens, place: "" });
});

test("JSON is read alike in any pieces", () => {
  const values = fc.object({ withNullPrototype: false, maxDepth: 3 });
  fc.assert(
    fc.property(values, fc.constantFrom(0, 1), (value, indent) => {
      const text = JSON.stringify(value, undefined, indent);
      const whole = read([text]);
      expect(whole.place).toBe("");
      expect(whole.tokens.some((token) => token.includes(" other "))).toBe(false);
      expect(read(text.split(""))).toEqual(whole);
    }),
    { seed: 1 },
  );
});

test.each([
  ["hello", 0],
  ["[1] says so", 1],
  ["[[E-Mail]]", 1],
  ["{name}", 1],
  ['{"a" "b"}', 5],
  ['{"a":1 2}', 7],
  ['["a"} b', 4],
  ['["a", b@c]', 7],
  ['{"a":1} b', 8],
  ["[".repeat(300), 1],
  [`["",${"[".repeat(300)}`, 259],
])("%j is no JSON from its unit %i on", (text, from) => {
  const others: number[] = [];
  const place = readJsonPiece(text, "", ({ kind, start }) => void (kind === "other" && others.push(start)));
  expect([place, others, endOfJson(text, "")]).toEqual([notJson, [from], from]);
});

test("a text that is JSON, or is no JSON before it begins, ends as JSON where it does", () => {
  expect(endOfJson('{"a":[1,true', "")).toBe(12);
  expect(endOfJson('b","c":-1.5e3}', '}"')).toBe(14);
  expect(endOfJson('b"}', '}"')).toBe(3);
  expect(endOfJson("prose", notJson)).toBe(0);
  expect(endOfJson("", "")).toBe(0);
});
