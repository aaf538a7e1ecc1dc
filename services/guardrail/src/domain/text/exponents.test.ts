import { numberText } from "@gatehouse/json";
import fc from "fast-check";
import { expect, test } from "vitest";
import { writeExponentsOut } from "./exponents.ts";
import { plainReading, readingText } from "./reading.ts";
import { readText } from "./readings.ts";

test.each([
  ['{"card":4.111111111111111e15}', '{"card":4111111111111111}'],
  ['{"card": 4.111111111111111E+15 , "n": [41e2,-1.5e1]}', '{"card": 4111111111111111 , "n": [4100,-15]}'],
  [String.raw`{"x":"{\"card\":1.5e2}"}`, String.raw`{"x":"{\"card\":150}"}`],
  ["card: 4111111111111111e0", "card: 4111111111111111"],
  ["n: 15e-1", "n: 1.5"],
])("values with an exponent are written out: %s", (text, read) => {
  expect(readingText(readText(text).canonical)).toBe(read);
});

test.each(["a mass of 5.972e24 kg", "id 3e5 and x1e5", '{"id":"3e5a","v":"1e5"}', "[1e99]", "sum:1e5.2"])(
  "other texts stay: %s",
  (text) => {
    expect(readingText(readText(text).canonical)).toBe(text);
  },
);

test("each digit is located at the whole number", () => {
  const { canonical } = readText('{"n":1.5e2}');
  expect(readingText(canonical)).toBe('{"n":150}');
  for (const index of [5, 6, 7]) expect([canonical.starts?.[index], canonical.ends?.[index]]).toEqual([5, 10]);
});

test("numbers are found as by a search of the whole text", () => {
  const written = /(?<=[:,[]\s{0,8})-?\d+(?:\.\d+)?[eE][+-]?\d{1,3}(?![\w.])/gu;
  const pieces = ["1", "23", "0", ".", "-", "e", "E", "+", ":", ",", "[", " ", "        ", "x", "1e5", "-4.5E+2", "é"];
  const piece = fc.constantFrom(...pieces, "9".repeat(60));
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 24 }).map((parts) => parts.join("")),
      (text) => {
        const expected = text.replaceAll(written, (number) => {
          const digits = numberText(number);
          return digits.length > 40 ? number : digits;
        });
        expect(readingText(writeExponentsOut(plainReading(text)))).toBe(expected);
      },
    ),
    { seed: 31, numRuns: 3_000 },
  );
});
