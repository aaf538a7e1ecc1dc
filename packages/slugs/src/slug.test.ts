import { expect, test } from "vitest";
import { endpointNotFound, isSlug } from "./index.ts";

test.each(["a", "0", "a-b", "a".repeat(63), "a-"])("%s is a slug", (name) => expect(isSlug(name)).toBe(true));

test.each(["", "-a", "A", "a".repeat(64), "a_b", "a/b", "ä", "a\n", "a\0", "a".repeat(4_000_000)])(
  "a name that no endpoint can have is not a slug",
  (name) => expect(isSlug(name)).toBe(false),
);

test("a message has names of up to 64 characters, and the first 64 of longer ones", () => {
  expect(endpointNotFound("nowhere").message).toBe("Endpoint 'nowhere' not found or inactive.");
  expect(endpointNotFound("x".repeat(64)).message).toBe(`Endpoint '${"x".repeat(64)}' not found or inactive.`);
  expect(endpointNotFound("x".repeat(4_000_000)).message).toBe(`Endpoint '${"x".repeat(64)}…' not found or inactive.`);
});
