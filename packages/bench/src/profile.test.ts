import { describe, expect, it } from "vitest";
import { topCosts } from "./profile.ts";

describe("topCosts", () => {
  it("adds up a function's own time over all its places in the tree, leaving out idleness", () => {
    const frame = (functionName: string) => ({ functionName, url: "", lineNumber: 0 });
    const costs = topCosts({
      nodes: [
        { id: 1, callFrame: frame("parse") },
        { id: 2, callFrame: frame("send") },
        { id: 3, callFrame: frame("parse") },
        { id: 4, callFrame: frame("(idle)") },
      ],
      samples: [1, 2, 3, 4],
      timeDeltas: [20, 40, 40, 900],
    });
    expect(costs).toEqual([
      { where: "parse", share: 0.6 },
      { where: "send", share: 0.4 },
    ]);
  });
});
