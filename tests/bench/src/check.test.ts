import { describe, expect, it } from "vitest";
import { checkRatios, judge, ratiosOf } from "./check.ts";
import type { ComparableRatio } from "./report.ts";

function ratioAround(median: number, spread: number, better: "less" | "more" = "less"): ComparableRatio {
  const half = (median * spread) / 2;
  return { median, min: median - half, max: median + half, count: 3, unsure: spread > 0.25, better };
}

describe("judge", () => {
  it("counts a change above the noise, in the metric's good direction", () => {
    const committed = ratioAround(2, 0.05);
    expect(judge(ratioAround(2.3, 0.05), committed)).toBe("worse");
    expect(judge(ratioAround(1.7, 0.05), committed)).toBe("better");
    expect(judge(ratioAround(2.1, 0.05), committed)).toBe("same");
    expect(judge(ratioAround(1.7, 0.05, "more"), ratioAround(2, 0.05, "more"))).toBe("worse");
  });

  it("uses the spread of either run's rounds as the noise", () => {
    expect(judge(ratioAround(2.4, 0.22), ratioAround(2, 0.05))).toBe("same");
    expect(judge(ratioAround(2.4, 0.05), ratioAround(2, 0.22))).toBe("same");
    expect(judge(ratioAround(2.4, 0.3), ratioAround(2, 0.05))).toBe("unsure");
    expect(judge(ratioAround(3, 0.3), ratioAround(2, 0.05))).toBe("worse");
  });
});

describe("checkRatios", () => {
  it("names metrics that got worse, and ignores those of one run only", () => {
    const goal = { limit: "", measured: "", reached: true };
    const outcome = {
      tables: [],
      failures: [],
      raw: null,
      goals: [
        { ...goal, name: "cost", ratio: ratioAround(3, 0) },
        { ...goal, name: "new", ratio: ratioAround(1, 0) },
        { ...goal, name: "no ratio" },
      ],
    };
    const committed = { commit: "abc", machine: "m", rounds: 3, ratios: { "chat: cost": ratioAround(2, 0) } };
    const { table, worse } = checkRatios(ratiosOf({ chat: outcome }), committed);
    expect(worse).toEqual(["chat: cost"]);
    expect(table.rows).toEqual([["chat: cost", "2.00 × (2.00–2.00)", "3.00 × (3.00–3.00)", "50.0 %", "worse"]]);
  });
});
