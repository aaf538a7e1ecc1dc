import { expect, test } from "vitest";
import { everyCase, spread } from "./choose-cases.ts";

test("a spread list has each case once", () => {
  const cases = everyCase();
  const found = spread(cases);
  expect(found.length).toBe(cases.length);
  expect(new Set(found).size).toBe(cases.length);
});

test("a part of a spread list covers many places and shapes", () => {
  const part = spread(everyCase()).slice(0, 100);
  expect(new Set(part.map(({ place }) => place.name)).size).toBeGreaterThan(20);
  expect(new Set(part.map(({ shape }) => shape.name)).size).toBeGreaterThan(20);
});
