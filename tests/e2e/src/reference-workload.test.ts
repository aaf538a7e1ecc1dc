import { expect, test } from "vitest";
import { slownessOf, timeReferenceWorkload, referenceWorkloadMs } from "./reference-workload.ts";

test.each([
  [0.5, 1],
  [1, 1],
  [1.7, 1.7],
  [3, 3],
  [40, 3],
])("a machine on which the workload takes %d times the reference counts as %d times slower", (factor, slowness) => {
  expect(slownessOf(factor * referenceWorkloadMs)).toBeCloseTo(slowness, 6);
});

test("the workload takes time", () => {
  expect(timeReferenceWorkload()).toBeGreaterThan(referenceWorkloadMs / 20);
});
