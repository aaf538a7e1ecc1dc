import * as fc from "fast-check";
import { expect, test } from "vitest";
import { numberText } from "./number-text.ts";

test.each([
  ["4111111111111111", "4111111111111111"],
  ["4.111111111111111e15", "4111111111111111"],
  ["4.111111111111111E+15", "4111111111111111"],
  ["41111111111111110e-1", "4111111111111111"],
  ["4111111111111111.0", "4111111111111111"],
  ["4111111111111111.50", "4111111111111111.5"],
  ["-1.50e3", "-1500"],
  ["0.5", "0.5"],
  ["5e-3", "0.005"],
  ["-0", "-0"],
  ["0.0", "0"],
  ["1e9999", "1e9999"],
  ["12.75", "12.75"],
])("%s is written out as %j", (written, text) => {
  expect(numberText(written)).toBe(text);
});

test("a number keeps its value when it is written out", () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      // JSON.stringify writes -0 as 0.
      fc.pre(!Object.is(value, -0));
      expect(Number(numberText(JSON.stringify(value)))).toBe(value);
    }),
    { numRuns: 2_000 },
  );
});
