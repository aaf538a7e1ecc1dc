import fc from "fast-check";
import { expect, test } from "vitest";
import { markFindings } from "./mark-findings.ts";

const finding = (start: number, end: number) => ({ detector: "pii", label: "E-Mail", start, end });

test("a text is cut at its findings", () => {
  const parts = markFindings("mail a@b.com now", [finding(5, 12)]);
  expect(parts.map(({ part, finding: found }) => [part, found?.label])).toEqual([
    ["mail ", undefined],
    ["a@b.com", "E-Mail"],
    [" now", undefined],
  ]);
});

test("whatever the findings, the parts are the text", () => {
  const anyFinding = fc.tuple(fc.nat(30), fc.nat(30)).map(([start, end]) => finding(start, end));
  fc.assert(
    fc.property(fc.string(), fc.array(anyFinding), (text, findings) => {
      expect(
        markFindings(text, findings)
          .map(({ part }) => part)
          .join(""),
      ).toBe(text);
    }),
    { seed: 7 },
  );
});
