import { describe, expect, it } from "vitest";
import { parseStat, spentNs } from "./process-usage.ts";

describe("parseStat", () => {
  it("reads past a name that holds spaces and parentheses", () => {
    const line = "42 (node (worker) 1) S 7 42 42 0 -1 4194304 10 0 0 0 150 25 3 4 20 0 11 0 100 1000 200";
    expect(parseStat(line)).toEqual({ name: "node (worker) 1", parent: 7, ticks: 175 });
  });
});

describe("spentNs", () => {
  it("sums what each process spent, counts a new one whole and forgets one that has ended", () => {
    const before = new Map([
      [1, 100],
      [2, 50],
    ]);
    const after = new Map([
      [1, 130],
      [3, 7],
    ]);
    expect(spentNs(before, after)).toBe(37);
  });
});
