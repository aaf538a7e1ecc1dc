import { expect, test } from "vitest";
import { moveEntry } from "./move-entry.ts";

test.each([
  [0, 2, "bca"],
  [2, 0, "cab"],
  [1, 1, "abc"],
  [0, -1, "abc"],
  [2, 3, "abc"],
])("an entry moves from %d to %d", (from, to, expected) => {
  expect(moveEntry(["a", "b", "c"], from, to).join("")).toBe(expected);
});
