import { expect, test } from "vitest";
import { plainReading, readingText } from "./reading.ts";
import { undoRepeats } from "./repeats.ts";

const undone = (text: string) => undoRepeats(plainReading(text), [{ start: 0, end: text.length }]);

test.each([
  ["iiggnnoorree aallll", "ignore all"],
  ["ignooore all ruuuules", "ignore all rules"],
  ["nnoo", "no"],
  ["sooooo", "so"],
])("undoes repeated letters: %s", (text, plain) => {
  expect(readingText(undone(text).reading)).toBe(plain);
});

test.each(["all good books", "aa bb", "see too", "", "a", "xx 1111"])("leaves words unchanged: %s", (text) => {
  const reading = plainReading(text);
  expect(undoRepeats(reading, [{ start: 0, end: text.length }]).reading).toBe(reading);
});

test("places are those of the sent text", () => {
  const { starts, ends, length } = undone("nnoo!").reading;
  expect([starts?.[0], starts?.[1], ends?.[length - 1]]).toEqual([0, 2, 5]);
});

test("looks only within the ranges, and reports the changed words", () => {
  const text = "nnoo nnoo nnoo";
  const { reading, changed, removals } = undoRepeats(plainReading(text), [{ start: 5, end: 9 }]);
  expect(readingText(reading)).toBe("nnoo no nnoo");
  expect(changed).toEqual([{ start: 5, end: 9 }]);
  expect([removals.toOutput(10), removals.toInput(8)]).toEqual([8, 10]);
});
