import { expect, test } from "vitest";
import { moveEntry } from "../../parts/move-entry.ts";
import { landingOf } from "./landing.ts";

test("the marked side is where a dragged entry lands", () => {
  const entries = ["a", "b", "c"];
  for (const from of entries.keys()) {
    for (const to of entries.keys()) {
      const moved = moveEntry(entries, from, to);
      const side = moved.indexOf(entries[from] ?? "") < moved.indexOf(entries[to] ?? "") ? "before" : "after";
      expect({ from, to, landing: landingOf(from, to) }).toEqual({ from, to, landing: from === to ? undefined : side });
    }
  }
});

test("no side is marked while nothing is dragged", () => {
  expect(landingOf(undefined, 1)).toBeUndefined();
});
