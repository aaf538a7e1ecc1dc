import { expect, test } from "vitest";
import { andThen } from "./and-then.ts";

const double = (value: number) => value * 2;

test("a value that is not a promise is passed on synchronously", () => expect(andThen(2, double)).toBe(4));

test("a promise's value is passed on when it resolves, and its failure is thrown", async () => {
  expect(await andThen(Promise.resolve(2), double)).toBe(4);
  await expect(andThen(Promise.reject(new Error("late")), double)).rejects.toThrow("late");
});
