import fc from "fast-check";
import { expect, test } from "vitest";
import { matchesPattern } from "./name-pattern.ts";

test.each([
  ["up__echo", "up__echo", true],
  ["up__echo", "up__echo2", false],
  ["up__*", "up__", true],
  ["up__*", "upx__echo", false],
  ["*", "", true],
  ["*_read", "up__file_read", true],
  ["up__*_read", "up___read", true],
  ["a*a", "a", false],
  ["a*b*c", "a-c-b", false],
  ["a**c", "abc", true],
  ["", "", true],
  ["", "a", false],
  ["up__.cho", "up__echo", false],
])("%j and %j: %j", (pattern, name, expected) => expect(matchesPattern(pattern, name)).toBe(expected));

test("a pattern matches what a regular expression of it does", () => {
  const letters = (extra: string) => fc.string({ unit: fc.constantFrom("a", "b", "_", extra), maxLength: 12 });
  fc.assert(
    fc.property(letters("*"), letters("."), (pattern, name) => {
      const model = new RegExp(`^${pattern.split("*").join(".*")}$`);
      expect(matchesPattern(pattern, name)).toBe(model.test(name));
    }),
    { seed: 15, numRuns: 5_000 },
  );
});

test("a name of megabytes matches nothing", () => {
  expect(matchesPattern("*", "a".repeat(4_000_000))).toBe(false);
});
