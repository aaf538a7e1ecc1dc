import { expect, test } from "vitest";
import { digestUnitsMin, textDigest } from "./text-digest.ts";

const long = "a".repeat(digestUnitsMin);

test("long texts have different digests", () => {
  expect(textDigest(long)).toMatch(/^[\w-]{43}$/);
  expect(textDigest(`${long}b`)).not.toBe(textDigest(long));
});

test("a short text has no digest", () => {
  expect(textDigest("a".repeat(digestUnitsMin - 1))).toBeUndefined();
});

test.each([
  { name: "a lone surrogate, which has the bytes of a replacement character", one: "\ud800", other: "\ufffd" },
  { name: "units whose bytes are two characters of Latin-1", one: "\u6161", other: "aa" },
])("texts of $name differ", ({ one, other }) => {
  expect(textDigest(one.repeat(digestUnitsMin))).not.toBe(textDigest(other.repeat(digestUnitsMin)));
});
