import fc from "fast-check";
import { expect, test } from "vitest";
import { readText } from "../text/readings.ts";
import { findPii } from "./find-pii.ts";
import { withHyphens } from "./numbers.ts";
import { phoneLength } from "./phones.ts";

const addresses = { entities: new Set(["ip_address"] as const), countries: new Set<never>() };

/** Rules for dotted numbers as patterns, which the numbers of their parts have to agree with. */
function isAddress(before: string, quad: string): boolean {
  if (quad.split(".").some((part) => part.length > 3 || /^0\d/u.test(part) || Number(part) > 255)) return false;
  if (/^(?:127\.|0\.0\.0\.0$|255\.255\.)/u.test(quad)) return false;
  const isNumbered = /^\d\.\d{1,2}\.\d{1,2}\.\d{1,2}$/u.test(quad) && !/^(\d)\.(?:\1|0\.0)\b/u.test(quad);
  return !isNumbered || /server |\/\/|ip: /u.test(before);
}

test("dotted numbers are addresses by their parts, as patterns say", () => {
  const part = fc.oneof(
    fc.constantFrom("0", "1", "8", "9", "10", "88", "99", "100", "127", "255", "256", "01", "00", "1000"),
    fc.nat(300).map(String),
  );
  const quads = fc.tuple(part, part, part, part).map((parts) => parts.join("."));
  const befores = fc.constantFrom("", "at ", "12 ", ". ", "server ", "http://", "ip: ", "§ and\u00a0");
  fc.assert(
    fc.property(befores, quads, (before, quad) => {
      const found = findPii(readText(`${before}${quad}`), addresses).length > 0;
      expect(found).toBe(isAddress(before, quad));
    }),
    { seed: 5, numRuns: 5_000 },
  );
});

test("digits alone are a phone number only by the words around them", () => {
  const digits = fc.stringMatching(/^\d{1,18}$/u);
  fc.assert(
    fc.property(digits, fc.boolean(), fc.constantFrom("", " office", " x12"), (text, hasContext, after) => {
      const length = phoneLength(text, { hasContext: () => hasContext, after });
      const isPossible = text.length >= 6 && text.length <= 15 && !/^(\d)\1*$/u.test(text);
      const isNamed = hasContext || (after === " office" && text.length >= 7);
      expect(length > 0).toBe(isPossible && isNamed);
    }),
    { seed: 6, numRuns: 3_000 },
  );
});

test("dashes become hyphens, and nothing else does", () => {
  expect(withHyphens("1–2—3−4ー5‐6-7 é")).toBe("1-2-3-4-5-6-7 é");
  expect(withHyphens("no dash")).toBe("no dash");
});
