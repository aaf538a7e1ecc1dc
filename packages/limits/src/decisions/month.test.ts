import { expect, test } from "vitest";
import { Calendar, monthEnd, monthOf, monthPattern, monthsBefore } from "./month.ts";

test("months are UTC, and end with their last millisecond", () => {
  expect(monthOf(Date.parse("2026-12-31T23:59:59.999Z"))).toBe("2026-12");
  expect(monthOf(Date.parse("2027-01-01T00:00:00Z"))).toBe("2027-01");
  expect(monthEnd("2026-12")).toBe(Date.parse("2027-01-01T00:00:00Z"));
  expect(monthEnd("2028-02")).toBe(Date.parse("2028-03-01T00:00:00Z"));
});

test("a calendar follows the clock over the end of a month, both ways", () => {
  const calendar = new Calendar();
  const march = Date.parse("2026-03-31T23:59:59.999Z");
  expect([march, march + 1, march, march + 40 * 86_400_000].map((at) => calendar.monthAt(at))).toEqual([
    "2026-03",
    "2026-04",
    "2026-03",
    "2026-05",
  ]);
});

test("months are counted back over the ends of years", () => {
  expect(monthsBefore("2026-03", 24)).toBe("2024-03");
  expect(monthsBefore("2026-01", 1)).toBe("2025-12");
});

test.each([
  ["2026-01", true],
  ["2026-13", false],
  ["2026-1", false],
  ["", false],
  ["2026-00", false],
])("%j is a month: %s", (text, expected) => {
  expect(monthPattern.test(text)).toBe(expected);
});
