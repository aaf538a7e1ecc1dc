import { expect, test } from "vitest";
import { andThen } from "./and-then.ts";

const double = (value: number) => value * 2;

test("a value that is there is taken at once", () => expect(andThen(2, double)).toBe(4));

test("a promise's value is taken when it comes, and its failure is passed on", async () => {
  expect(await andThen(Promise.resolve(2), double)).toBe(4);
  await expect(andThen(Promise.reject(new Error("late")), double)).rejects.toThrow("late");
});
