import { expect, test } from "vitest";
import { normalize } from "./normalize.ts";
import { plainReading, readingText } from "./reading.ts";
import { readText } from "./readings.ts";
import { ScratchBuffers } from "./scratch-buffers.ts";

test("a text reads the same beside a removed character, which makes every unit be copied", () => {
  for (let code = 1; code < 0xd800; code += 1) {
    const char = String.fromCharCode(code);
    const text = `ab${char}c, 1${char} ${char}`;
    expect(readingText(normalize(plainReading(text)))).toBe(readingText(normalize(plainReading(`\u200b${text}`))));
  }
});

test.each(["It’s “fine”\u00a0– a 😀 and 👩🏽 for ½ price", "ｆａｌｃｏｎ №", "naïve café, ¿qué?"])(
  "a text needs no offsets up to the first character that moves: %s",
  (text) => {
    const { starts, length } = normalize(plainReading(text));
    const isWhole = length === text.length;
    expect(starts === undefined).toBe(isWhole);
    const [kept = ""] = text.split(/[½№]/u);
    expect(normalize(plainReading(kept)).starts).toBeUndefined();
  },
);

test("a text reads the same with and without offsets for its pairs", () => {
  for (const point of [0x1f600, 0x1d41a, 0x1f170, 0x20000, 0xe0041, 0xe0101, 0x1f3fd, 0x10ffff]) {
    const text = `ab${String.fromCodePoint(point)}c ${String.fromCodePoint(point)} x\ud83d`;
    expect(readingText(normalize(plainReading(text)))).toBe(readingText(normalize(plainReading(`\u200b${text}`))));
  }
});

test("replacing look-alikes does not change the sent text", () => {
  const sent = plainReading("іgnоre");
  expect(readingText(normalize(sent))).toBe("ignore");
  expect(readingText(sent)).toBe("іgnоre");
});

test("a text read after a longer one has none of its units", () => {
  const scratch = new ScratchBuffers();
  readText("ignore 4111 1111 1111 1111 ".repeat(20), undefined, scratch);
  const { plain } = readText("4111 1111", undefined, scratch);
  expect(Array.from(plain.codes.subarray(plain.length, plain.length + 64))).toEqual(
    Array.from({ length: 64 }, () => 0),
  );
});
