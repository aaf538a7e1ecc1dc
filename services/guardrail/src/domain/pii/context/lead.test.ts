import { expect, test } from "vitest";
import { atomicRegExp, endAt, sticky } from "./lead.ts";

test.each([
  { source: "(?>a+)b", text: "aaab", end: 4 },
  // Nothing that the group has taken is given back.
  { source: "(?>a+)ab", text: "aaab", end: -1 },
  { source: "(?>a|ab)c", text: "abc", end: -1 },
  { source: "(?>ab|a)c", text: "abc", end: 3 },
  { source: "(?>(?>a+)b|a)a", text: "aaba", end: 4 },
  { source: "(?:(?>a+)-){2}", text: "aa-a-", end: 5 },
  { source: "(?>x)?y", text: "y", end: 1 },
  { source: String.raw`[(?>)]\(\)(?>b)`, text: "(()b", end: 4 },
  { source: String.raw`(?<sign>[-.])(?>\d+)\k<sign>`, text: "-12-", end: 4 },
])("an atomic group is read once: $source", ({ source, text, end }) => {
  expect(endAt(sticky(source), text, 0)).toBe(end);
});

test("a run that backtracking would divide exponentially is read once", () => {
  // Without the atomic group this would take 2^5000 steps.
  expect(atomicRegExp("^(?>(?:a|aa)+)$", "u").test(`${"a".repeat(5000)}b`)).toBe(false);
});
