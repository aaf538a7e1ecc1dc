import { expect, test } from "vitest";
import { inputBytesMax, Mutator, pump } from "./mutate.ts";
import { Random } from "./random.ts";

const corpus = [Buffer.from('{"a":1}'), Buffer.alloc(0)];

test("a seed gives a fixed series of inputs, none longer than the bound", () => {
  const series = (seed: number) => {
    const mutator = new Mutator(new Random(seed), ["word"]);
    return Array.from({ length: 500 }, () => mutator.mutate(corpus).toString("base64"));
  };
  expect(series(1)).toEqual(series(1));
  expect(series(1)).not.toEqual(series(2));
  expect(new Set(series(1)).size).toBeGreaterThan(200);
  for (const input of series(3)) expect(Buffer.from(input, "base64").length).toBeLessThanOrEqual(inputBytesMax);
});

test("a pumped input has about the requested size", () => {
  for (let seed = 0; seed < 50; seed += 1) {
    const pumped = pump(Buffer.from("abcdefgh"), new Random(seed));
    expect(pumped(10_000).length).toBeGreaterThanOrEqual(10_000);
    expect(pumped(10_000).length).toBeLessThan(10_100);
  }
});
