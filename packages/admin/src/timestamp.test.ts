import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createArgumentsCheck, object, timestamp, toDate } from "./index.ts";

const check = createArgumentsCheck(object({ at: timestamp("A moment.") }));
const parse = (at: string) => toDate(check({ at }).at);

test("every timestamp with a year of four digits is read as it was written", () => {
  const min = new Date("0001-01-01T00:00:00Z");
  const max = new Date("9999-12-31T23:59:59Z");
  fc.assert(
    fc.property(fc.date({ min, max, noInvalidDate: true }), (date) => {
      expect(parse(date.toISOString())).toEqual(date);
    }),
  );
});

test.each([
  ["2027-01-31t12:00:00z", "2027-01-31T12:00:00.000Z"],
  ["2027-01-31T12:00:00.123456789+02:30", "2027-01-31T09:30:00.123Z"],
  ["2028-02-29T00:00:00-01:00", "2028-02-29T01:00:00.000Z"],
])("%s is read as %s", (text, moment) => {
  expect(parse(text).toISOString()).toBe(moment);
});

const noMoments = [
  ["", "soon", "2027-01-31", "2027-01-31T12:00:00", "2027-01-31 12:00:00Z", "2027-02-29T00:00:00Z"],
  ["2027-13-01T00:00:00Z", "2027-00-01T00:00:00Z", "2027-01-01T24:00:00Z", "2027-01-01T00:60:00Z"],
  ["0000-01-01T00:00:00Z", "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01"],
  ["2027-01-01T00:00:00+24:00", "+02027-01-01T00:00:00Z", "2027-01-01T00:00:00Z\n"],
].flat();

test.each(noMoments)("%j is not a timestamp", (text) => {
  const message =
    "at must be a timestamp such as 2027-01-31T12:00:00Z; the day must exist, in a year from 1 to 9999 (UTC)";
  expect(() => parse(text)).toThrow(message);
});
