import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { readMoment, toLocalText } from "./read-moment.ts";
import { Unreadable } from "./unreadable.ts";

beforeAll(() => {
  vi.stubEnv("TZ", "Europe/Berlin");
});
afterAll(() => {
  vi.unstubAllEnvs();
});

test("a local time is read as UTC, and shown as it was typed", () => {
  for (const text of ["2027-01-31T12:00", "2027-07-31T12:00:30", "0999-12-31T23:59", "9999-12-31T23:59"]) {
    const iso = readMoment(text);
    expect(iso).toMatch(/Z$/);
    expect(toLocalText(typeof iso === "string" ? iso : "")).toBe(text);
  }
  expect(readMoment("2027-01-31T12:00:00.000")).toBe("2027-01-31T11:00:00.000Z");
  expect(readMoment("")).toBeUndefined();
  expect(toLocalText("never")).toBe("");
});

test("a year beyond 9999, and a time that the clock change skips, are refused", () => {
  for (const text of ["275760-12-25T10:00", "99999-01-01T00:00"]) {
    expect(readMoment(text)).toEqual(new Unreadable(text, "The year must be at most 9999."));
  }
  expect(readMoment("2027-03-28T02:30")).toMatchObject({
    problem: expect.stringMatching(/^This time does not exist here/),
  });
});

test("a time in the past is refused where a future one is needed", () => {
  const afterMs = Date.parse("2027-01-31T11:00:00Z");
  const text = "2027-01-31T12:00";
  expect(readMoment(text, afterMs)).toEqual(new Unreadable(text, "This moment has passed. Choose a later one."));
  expect(readMoment("2027-01-31T12:01", afterMs)).toBe("2027-01-31T11:01:00.000Z");
});
