import { expect, test } from "vitest";
import { catalogueToolsMax, fillGap, type Listing } from "./listing.ts";
import { toListedTool } from "./tool-shape.ts";

function listing(names: readonly string[], gap?: string): Listing {
  const tools = names.map((name) => toListedTool({ name, description: "d", inputSchema: { type: "object" } }, {}));
  return { tools, quarantined: [], gap, ttlMs: undefined, fingerprint: undefined, workMs: 0 };
}

const names = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

test("a gap is filled with what was known, each name once", () => {
  const filled = fillGap(listing(["a", "b"], "a page failed"), listing(["b", "c"]));
  expect(filled.tools.map(({ name }) => name)).toEqual(["a", "b", "c"]);
});

test("an upstream that always leaves a gap and always has new names does not grow without bound", () => {
  let known = listing([]);
  for (let round = 0; round < 10; round += 1) known = fillGap(listing(names(`r${round}-`, 3_000), "gap"), known);
  expect(known.tools.length).toBe(catalogueToolsMax);
  expect(known.tools[0]?.name).toBe("r9-0");
});
