import fc from "fast-check";
import { expect, test } from "vitest";
import { growthExponent, median } from "./growth.ts";

const sizes = [1, 2, 4, 8].map((factor) => factor * 1_000);

test.each([0.5, 1, 1.15, 2, 3])("growth by the power of %d is measured", (power) => {
  const points = sizes.map((size) => ({ size, value: 3 * size ** power }));
  expect(growthExponent(points, 0)).toBeCloseTo(power, 6);
});

test("noise of a tenth moves the exponent by less than an eighth", () => {
  const noise = fc.double({ min: 0.9, max: 1.1, noNaN: true });
  fc.assert(
    fc.property(fc.tuple(noise, noise, noise, noise), (factors) => {
      const points = sizes.map((size, at) => ({ size, value: size * (factors[at] ?? 1) }));
      expect(Math.abs((growthExponent(points, 0) ?? 0) - 1)).toBeLessThan(0.125);
    }),
    { seed: 11 },
  );
});

test("values below the floor have no exponent", () => {
  const points = sizes.map((size) => ({ size, value: size / 1_000 }));
  expect(growthExponent(points, 4)).toBeUndefined();
  expect(growthExponent(points, 2)).toBeCloseTo(1, 6);
});

test.each([
  [[3], 3],
  [[5, 1, 3], 3],
  [[4, 1, 3, 2], 2.5],
])("the median of %j is %d", (values, expected) => {
  expect(median(values)).toBe(expected);
});
