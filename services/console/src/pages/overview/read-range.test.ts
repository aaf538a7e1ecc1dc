import { expect, test } from "vitest";
import { readRange } from "./read-range.ts";

const at = (text: string) => new Date(text).toISOString();

test("two times in the viewer's zone are a range in UTC", () => {
  const range = { since: at("2026-11-01T08:00"), until: at("2026-11-02T09:30") };
  expect(readRange("2026-11-01T08:00", "2026-11-02T09:30")).toEqual(range);
});

test.each([
  ["2026-11-02T08:00", "2026-11-01T08:00", "The range must end after it begins."],
  ["2026-11-01T08:00", "2026-11-01T08:00", "The range must end after it begins."],
  ["", "2026-11-01T08:00", "Complete the date and the time of both."],
  ["2026-11-01T08:00", "", "Complete the date and the time of both."],
  ["2026-11-01T08:00", "99999-01-01T00:00", "The year must be at most 9999."],
])("no range from %j to %j: %s", (since, until, problem) => {
  expect(readRange(since, until)).toBe(problem);
});
