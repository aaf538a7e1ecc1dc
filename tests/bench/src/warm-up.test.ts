import { expect, test } from "vitest";
import { hasSettled } from "./warm-up.ts";

test.each([
  ["no slice yet", [], false],
  ["costs that fall", [200, 140, 90, 85, 82, 79], false],
  ["three slices that are not cheaper", [200, 90, 80, 80, 79, 85], true],
  ["slices beside other work, then a cheaper one", [200, 90, 120, 130, 80], false],
  ["small steps that add up to a fall", [100, 98, 96, 94], false],
])("%s: %j", (_name, cpuUs, settled) => {
  expect(hasSettled(cpuUs)).toBe(settled);
});
