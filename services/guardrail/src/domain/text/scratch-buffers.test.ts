import { expect, test } from "vitest";
import { readingText } from "./reading.ts";
import { readText } from "./readings.ts";
import { ScratchBuffers } from "./scratch-buffers.ts";

test("memory is used again, and grows with the longest text so far", () => {
  const scratch = new ScratchBuffers();
  const short = scratch.unitsOf("letters", 10);
  const long = scratch.unitsOf("letters", 200_000);
  expect(scratch.unitsOf("letters", 200_000)).toBe(long);
  expect(scratch.unitsOf("letters", 10)).toBe(long);
  expect(long.length).toBeGreaterThanOrEqual(200_000);
  expect(short.length).toBeLessThan(long.length);
});

test("the longest texts get memory of their own, which nothing keeps", () => {
  const scratch = new ScratchBuffers();
  const longest = scratch.numbersOf("hashes", 600_000);
  expect(longest).toHaveLength(600_000);
  expect(scratch.numbersOf("hashes", 600_000)).not.toBe(longest);
});

test("a long text reads the same behind a longer one as alone", () => {
  const scratch = new ScratchBuffers();
  const text = "Ünder the Bridge, 3 b1rds ſing. ".repeat(3_000);
  readText("Zebra <b>X</b> 9! ".repeat(12_000), undefined, scratch);
  const again = readText(text, undefined, scratch);
  const alone = readText(text);
  expect(readingText(again.folded)).toBe(readingText(alone.folded));
  const { length, wordCount } = alone.letters;
  expect(again.letters).toMatchObject({ length, wordCount });
  expect(again.letters.starts.subarray(0, length + 1)).toEqual(alone.letters.starts.subarray(0, length + 1));
});
