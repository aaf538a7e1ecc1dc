import { expect, test } from "vitest";
import { plainReading, readingText } from "./reading.ts";
import { undoRepeats } from "./repeats.ts";

test.each([
  ["iiggnnoorree aallll", "ignore all"],
  ["ignooore all ruuuules", "ignore all rules"],
  ["nnoo", "no"],
  ["sooooo", "so"],
])("undoes repeated letters: %s", (text, plain) => {
  expect(readingText(undoRepeats(plainReading(text)))).toBe(plain);
});

test.each(["all good books", "aa bb", "see too", "", "a", "xx 1111"])("leaves words as they are: %s", (text) => {
  const reading = plainReading(text);
  expect(undoRepeats(reading)).toBe(reading);
});

test("places are those of the text as it was sent", () => {
  const { starts, ends, length } = undoRepeats(plainReading("nnoo!"));
  expect([starts?.[0], starts?.[1], ends?.[length - 1]]).toEqual([0, 2, 5]);
});
