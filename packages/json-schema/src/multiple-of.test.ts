import { expect, test } from "vitest";
import { isMultipleOf } from "./multiple-of.ts";

test.each([
  [19.99, 0.01],
  [0.07, 0.01],
  [4.35, 0.01],
  [-0.29, 0.01],
  [12_345_678_901.11, 0.01],
  [0, 0.3],
  [-0, 7],
  [21, 7],
  [1e300, 10],
  [1e-300, 5e-324],
  [1.5e308, 1e-7],
  [4.5, 1.5],
])("%d is a multiple of %d", (value, divisor) => {
  expect(isMultipleOf(value, divisor)).toBe(true);
});

test.each([
  [19.999, 0.01],
  [0.010_000_001, 0.01],
  [12_345_678_901.115, 0.01],
  [5, 7],
  [4.6, 1.5],
  [1e-300, 1],
  [Number.POSITIVE_INFINITY, 1],
])("%d is no multiple of %d", (value, divisor) => {
  expect(isMultipleOf(value, divisor)).toBe(false);
});
