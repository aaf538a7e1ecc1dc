import fc from "fast-check";
import { expect, test } from "vitest";
import { markFindings } from "./mark-findings.ts";

const finding = (start: number, end: number, label = "E-Mail") => ({ detector: "pii", label, start, end });
const labelsOf = (text: string, findings: readonly ReturnType<typeof finding>[]) =>
  markFindings(text, findings).map((part) => [part.part, ...part.findings.map(({ label }) => label)]);

test("a text is split at its findings", () => {
  expect(labelsOf("mail a@b.com now", [finding(5, 12)])).toEqual([["mail "], ["a@b.com", "E-Mail"], [" now"]]);
});

test("a finding inside another one is marked as both, the outer first", () => {
  const findings = [finding(13, 20), finding(0, 24, "Injection"), finding(13, 14, "Letter")];
  expect(labelsOf("Ignore it, m a@b.com now, and on.", findings)).toEqual([
    ["Ignore it, m ", "Injection"],
    ["a", "Injection", "E-Mail", "Letter"],
    ["@b.com", "Injection", "E-Mail"],
    [" now", "Injection"],
    [", and on."],
  ]);
});

test("findings that overlap share a part", () => {
  expect(labelsOf("abcdef", [finding(0, 4, "first"), finding(2, 6, "second")])).toEqual([
    ["ab", "first"],
    ["cd", "first", "second"],
    ["ef", "second"],
  ]);
});

test("the parts add up to the text, for any findings", () => {
  const anyFinding = fc.tuple(fc.nat(30), fc.nat(30)).map(([start, end]) => finding(start, end));
  fc.assert(
    fc.property(fc.string(), fc.array(anyFinding), (text, findings) => {
      const parts = markFindings(text, findings);
      expect(parts.map(({ part }) => part).join("")).toBe(text);
      const marked = findings.filter(({ start, end }) => start < end && start < text.length);
      expect(new Set(parts.flatMap((part) => part.findings))).toEqual(new Set(marked));
    }),
    { seed: 7 },
  );
});
