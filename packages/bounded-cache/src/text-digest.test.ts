import { expect, test } from "vitest";
import { digestUnitsMin, textDigest } from "./text-digest.ts";

const long = "a".repeat(digestUnitsMin);

test("long texts have different digests", () => {
  expect(textDigest(long)).toMatch(/^[\w-]{43}$/);
  expect(textDigest(`${long}b`)).not.toBe(textDigest(long));
});

test.each([
  { name: "a short text", text: "a".repeat(digestUnitsMin - 1) },
  { name: "half of a surrogate pair, which has the bytes of a replacement character", text: `${long}\u{d800}` },
])("$name has no digest", ({ text }) => {
  expect(textDigest(text)).toBeUndefined();
});
