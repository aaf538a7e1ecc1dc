import { expect, test } from "vitest";
import { plainReading, type Reading, ReadingBuilder, readingText, toSourceSpan, withText } from "./reading.ts";

const source = "0123456789".repeat(40);

/** The units `[start, end)` of a reading as the builder appends them behind others, with their offsets. */
function copied(from: Reading, start: number, end: number): { text: string; spans: unknown[] } {
  const builder = new ReadingBuilder(0);
  builder.pushText("ab", { start: 0, end: 0 });
  builder.copyRange(from, start, end);
  const reading = builder.build();
  const spans = Array.from({ length: end - start }, (_, index) => toSourceSpan(reading, index + 2, index + 3));
  return { text: readingText(reading, 2), spans };
}

test.each([
  [0, 1],
  [5, 132],
  [5, 133],
  [3, 400],
  [400, 400],
])("units %i to %i of a text as it was sent are copied with their offsets", (start, end) => {
  const { text, spans } = copied(plainReading(source), start, end);
  expect(text).toBe(source.slice(start, end));
  expect(spans).toEqual(
    Array.from({ length: end - start }, (_, index) => ({ start: start + index, end: start + index + 1 })),
  );
});

test.each([20, 300])("%i units of a reading with offsets are copied with them", (count) => {
  const builder = new ReadingBuilder(1);
  for (let index = 0; index < 400; index += 1) builder.push(0x61 + (index % 26), index * 2, index * 2 + 2);
  const { text, spans } = copied(builder.build(), 7, 7 + count);
  expect(text).toHaveLength(count);
  expect(spans[0]).toEqual({ start: 14, end: 16 });
  expect(spans.at(-1)).toEqual({ start: (6 + count) * 2, end: (7 + count) * 2 });
});

test("offsets beyond the numbers that are kept are right", () => {
  const long = "x".repeat(2 ** 20 + 300);
  const { spans } = copied(plainReading(long), 2 ** 20 - 10, 2 ** 20 + 290);
  expect(spans[0]).toEqual({ start: 2 ** 20 - 10, end: 2 ** 20 - 9 });
  expect(spans.at(-1)).toEqual({ start: 2 ** 20 + 289, end: 2 ** 20 + 290 });
});

test("a reading's string is made once", () => {
  const builder = new ReadingBuilder(3);
  builder.pushText("abc", { start: 0, end: 1 });
  const reading = builder.build();
  expect(withText(reading).text).toBe("abc");
  reading.codes[0] = 0x78;
  expect(withText(reading).text).toBe("abc");
});
