import { expect, test } from "vitest";
import { withSecret } from "./shown-secrets.ts";

const first = { id: 1, token: "one" };

test("a new secret is shown beside one that is not confirmed", () => {
  expect(withSecret([first], { id: 2, token: "two" })).toEqual([{ id: 2, token: "two" }, first]);
});

test("a rotated secret replaces the one before, which is no longer valid", () => {
  const other = { id: 2, token: "two" };
  expect(withSecret([first, other], { id: 1, token: "three" })).toEqual([{ id: 1, token: "three" }, other]);
});
