import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { median, pairedDifference, pairedRatio, quantile, roundOrder, spread, summarize } from "./statistics.ts";

const someNumbers = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 40 });

describe("median", () => {
  it("is the middle of an odd count and the mean of the middle two of an even one, in any order", () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([])).toBeNaN();
  });

  it("has as many values below it as above it", () => {
    fc.assert(
      fc.property(someNumbers, (values) => {
        const middle = median(values);
        const below = values.filter((value) => value < middle).length;
        const above = values.filter((value) => value > middle).length;
        return below <= values.length / 2 && above <= values.length / 2;
      }),
    );
  });
});

describe("quantile", () => {
  it("is the nearest rank, so always a measured value", () => {
    const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect(quantile(hundred, 0.5)).toBe(50);
    expect(quantile(hundred, 0.99)).toBe(99);
    expect(quantile(hundred, 1)).toBe(100);
    expect(quantile([7], 0)).toBe(7);
    expect(quantile([], 0.5)).toBeNaN();
  });

  it("is not exceeded by at least the requested share of the values", () => {
    fc.assert(
      fc.property(someNumbers, fc.double({ min: 0, max: 1, noNaN: true }), (values, q) => {
        const limit = quantile(values, q);
        return values.filter((value) => value <= limit).length >= q * values.length;
      }),
    );
  });
});

describe("summarize", () => {
  it("has median, minimum, maximum and count, and is undefined without values", () => {
    expect(summarize([3, 1, 2])).toEqual({ median: 2, min: 1, max: 3, count: 3 });
    expect(summarize([])).toBeUndefined();
  });

  it("has a spread that is a share of the median", () => {
    expect(spread({ median: 4, min: 3, max: 5, count: 3 })).toBe(0.5);
  });
});

describe("pairedRatio", () => {
  it("divides within a round, so that a slow round has no effect", () => {
    expect(pairedRatio([100, 220, 60], [50, 110, 30])).toEqual({ median: 2, min: 2, max: 2, count: 3, unsure: false });
  });

  it("is unsure above a quarter of spread, and after a single round", () => {
    expect(pairedRatio([10, 12, 12.4], [10, 10, 10])?.unsure).toBe(false);
    expect(pairedRatio([10, 12, 13.1], [10, 10, 10])?.unsure).toBe(true);
    expect(pairedRatio([10], [10])?.unsure).toBe(true);
  });

  it("leaves out rounds that lack a value, and a baseline of zero", () => {
    expect(pairedRatio([undefined, 4, 6, 8], [1, 2, undefined, 0])).toMatchObject({ median: 2, count: 1 });
    expect(pairedRatio([], [])).toBeUndefined();
  });
});

describe("pairedDifference", () => {
  it("subtracts within a round", () => {
    expect(pairedDifference([5, 9], [4, 6])).toEqual({ median: 2, min: 1, max: 3, count: 2 });
  });
});

describe("roundOrder", () => {
  it("alternates forwards and backwards", () => {
    expect([0, 1, 2].map((round) => roundOrder(["a", "b", "c"], round).join(""))).toEqual(["abc", "cba", "abc"]);
  });
});
