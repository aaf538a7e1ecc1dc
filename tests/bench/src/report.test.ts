import { describe, expect, it } from "vitest";
import { formatNumber, formatRatio, formatSummary, renderGoals, renderTable } from "./report.ts";

describe("figures", () => {
  it("have three digits, and thousands are grouped", () => {
    expect([0.1234, 12.345, 123.4, 12_345.6].map(formatNumber)).toEqual(["0.12", "12.3", "123", "12,346"]);
  });

  it("are a dash, never a zero, if they were not measured", () => {
    expect([
      formatNumber(undefined),
      formatNumber(Number.NaN),
      formatSummary(undefined),
      formatRatio(undefined),
    ]).toEqual(Array.from({ length: 4 }, () => "–"));
  });

  it("are printed with their minimum and maximum", () => {
    expect(formatSummary({ median: 2, min: 1, max: 3, count: 3 })).toBe("2.00 (1.00–3.00)");
    expect(formatSummary({ median: 2, min: 2, max: 2, count: 1 })).toBe("2.00");
  });

  it("are marked as unsure when the rounds disagree", () => {
    const ratio = { median: 2, min: 1, max: 3, count: 3 };
    expect(formatRatio({ ...ratio, unsure: true })).toBe("2.00 × (1.00–3.00) unsure");
    expect(formatRatio({ ...ratio, unsure: false })).toBe("2.00 × (1.00–3.00)");
  });
});

describe("renderTable", () => {
  it("aligns the first column to the left and the figures to the right", () => {
    const table = {
      title: "T",
      columns: ["system", "n"],
      rows: [
        ["a", "1,000"],
        ["direct", "2"],
      ],
    };
    expect(renderTable(table)).toBe("T\n\nsystem      n\n------  -----\na       1,000\ndirect      2");
  });
});

describe("renderGoals", () => {
  it("tells a missed goal from one that was not measured", () => {
    const goal = { name: "g", limit: "≤ 2", measured: "3" };
    const text = renderGoals([
      { ...goal, reached: true },
      { ...goal, reached: false, unsure: true },
      { ...goal, reached: undefined },
    ]);
    expect(text.split("\n").map((line) => line.slice(0, 16).trim())).toEqual([
      "reached",
      "MISSED (unsure)",
      "not measured",
    ]);
  });
});
