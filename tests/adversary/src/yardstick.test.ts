import { expect, test } from "vitest";
import { slownessOf, timeYardstick, yardstickReferenceMs } from "./yardstick.ts";

test.each([
  [0.5, 1],
  [1, 1],
  [1.7, 1.7],
  [3, 3],
  [40, 3],
])("a machine on which the workload takes %d times the reference counts as %d times slower", (factor, slowness) => {
  expect(slownessOf(factor * yardstickReferenceMs)).toBeCloseTo(slowness, 6);
});

test("the workload takes time", () => {
  expect(timeYardstick()).toBeGreaterThan(yardstickReferenceMs / 20);
});
