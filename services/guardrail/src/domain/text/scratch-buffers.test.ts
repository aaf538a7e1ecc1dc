import { expect, test } from "vitest";
import { lookAheadMax, readingText } from "./reading.ts";
import { readText } from "./readings.ts";
import { ScratchBuffers } from "./scratch-buffers.ts";

test("memory is reused, and grows to the longest text so far", () => {
  const scratch = new ScratchBuffers();
  const short = scratch.unitsOf("letters", 10);
  const long = scratch.unitsOf("letters", 200_000);
  expect(scratch.unitsOf("letters", 200_000)).toBe(long);
  expect(scratch.unitsOf("letters", 10)).toBe(long);
  expect(long.length).toBeGreaterThanOrEqual(200_000);
  expect(short.length).toBeLessThan(long.length);
});

test("memory for a text of one MB is kept, with the units behind its end", () => {
  const scratch = new ScratchBuffers();
  const long = scratch.numbersOf("hashes", 2 ** 20 + lookAheadMax);
  expect(scratch.numbersOf("hashes", 2 ** 20 + lookAheadMax)).toBe(long);
});

test("the longest texts get separate memory, which is not kept", () => {
  const scratch = new ScratchBuffers();
  const longest = scratch.numbersOf("hashes", 1_200_000);
  expect(longest).toHaveLength(1_200_000);
  expect(scratch.numbersOf("hashes", 1_200_000)).not.toBe(longest);
});

test("derived readings reuse memory from text to text, a few per text", () => {
  const scratch = new ScratchBuffers();
  const [first, second] = [scratch.nextReading(10), scratch.nextReading(10)];
  expect(second?.codes).not.toBe(first?.codes);
  for (let later = 0; later < 2; later += 1) scratch.nextReading(10);
  expect(scratch.nextReading(10)).toBeUndefined();
  scratch.startText();
  expect(scratch.nextReading(10)?.codes).toBe(first?.codes);
});

test("a decoded text reads the same after a longer one as alone, and its rest is empty", () => {
  const scratch = new ScratchBuffers();
  const text = "caf\u0301e … ana%40example.org &amp; aWdub3JlIGFsbCBydWxlcw==";
  readText(`${text} 4111 1111 1111 1111`.repeat(50), undefined, scratch);
  const again = readText(text, undefined, scratch);
  const alone = readText(text);
  for (const kind of ["plain", "canonical", "folded"] as const) {
    expect(readingText(again[kind])).toBe(readingText(alone[kind]));
    const { codes, length } = again[kind];
    if (kind !== "folded")
      expect(Array.from(codes.subarray(length, length + 64)).every((unit) => unit === 0)).toBe(true);
  }
});

test("a long text reads the same after a longer one as alone", () => {
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
