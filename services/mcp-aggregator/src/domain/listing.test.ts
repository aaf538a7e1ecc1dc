import { expect, test } from "vitest";
import { catalogueToolsMax, fillGap, type Listing } from "./listing.ts";
import { toListedTool } from "./tool-shape.ts";

function listing(names: readonly string[], gap?: string): Listing {
  const tools = names.map((name) => toListedTool({ name, description: "d", inputSchema: { type: "object" } }, {}));
  return { tools, quarantined: [], gap, ttlMs: undefined, fingerprint: undefined, workMs: 0 };
}

const names = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

test("a gap is filled with the known tools, each name once", () => {
  const filled = fillGap(listing(["a", "b"], "a page failed"), listing(["b", "c"]));
  expect(filled.tools.map(({ name }) => name)).toEqual(["a", "b", "c"]);
});

test("the list of an upstream with permanent gaps and new names is bounded", () => {
  let known = listing([]);
  for (let round = 0; round < 10; round += 1) known = fillGap(listing(names(`r${round}-`, 3_000), "gap"), known);
  expect(known.tools.length).toBe(catalogueToolsMax);
  expect(known.tools[0]?.name).toBe("r9-0");
});
