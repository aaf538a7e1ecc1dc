import { describe, expect, it } from "vitest";
import { functionCosts } from "./profile.ts";

describe("functionCosts", () => {
  it("adds up a function's time over the tree, counts recursion once and excludes idle time", () => {
    const frame = (functionName: string) => ({ functionName, url: "", lineNumber: 0 });
    const costs = functionCosts({
      nodes: [
        { id: 1, callFrame: frame("(root)"), children: [2, 5] },
        { id: 2, callFrame: frame("parse"), children: [3, 4] },
        { id: 3, callFrame: frame("parse") },
        { id: 4, callFrame: frame("send") },
        { id: 5, callFrame: frame("(idle)") },
      ],
      samples: [2, 3, 4, 5],
      timeDeltas: [20, 40, 40, 900],
    });
    expect(costs).toEqual([
      { where: "parse", own: 0.6, total: 1 },
      { where: "send", own: 0.4, total: 0.4 },
      { where: "(root)", own: 0, total: 1 },
      { where: "(idle)", own: 0, total: 0 },
    ]);
  });
});
