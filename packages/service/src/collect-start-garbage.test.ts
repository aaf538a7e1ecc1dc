import { expect, test } from "vitest";
import { collectStartGarbage } from "./collect-start-garbage.ts";

test("memory that nothing refers to is given back", () => {
  const kept = Array.from({ length: 500_000 }, (_, index) => ({ index }));
  const before = process.memoryUsage().heapUsed;
  kept.length = 0;
  collectStartGarbage();
  expect(before - process.memoryUsage().heapUsed).toBeGreaterThan(8 * 1_048_576);
});
