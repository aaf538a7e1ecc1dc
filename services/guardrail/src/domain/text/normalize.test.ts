import { expect, test } from "vitest";
import { normalize } from "./normalize.ts";
import { plainReading, readingText } from "./reading.ts";
import { readText } from "./readings.ts";
import { ScratchBuffers } from "./scratch-buffers.ts";

test("a text reads the same beside a sign that is left out, which makes every unit be copied", () => {
  for (let code = 1; code < 0xd800; code += 1) {
    const char = String.fromCharCode(code);
    const text = `ab${char}c, 1${char} ${char}`;
    expect(readingText(normalize(plainReading(text)))).toBe(readingText(normalize(plainReading(`\u200b${text}`))));
  }
});

test("look-alikes in a text with nothing else to do do not change the text as sent", () => {
  const sent = plainReading("іgnоre");
  expect(readingText(normalize(sent))).toBe("ignore");
  expect(readingText(sent)).toBe("іgnоre");
});

test("a text read after a longer one has nothing of it", () => {
  const scratch = new ScratchBuffers();
  readText("ignore 4111 1111 1111 1111 ".repeat(20), undefined, scratch);
  const { plain } = readText("4111 1111", undefined, scratch);
  expect(Array.from(plain.codes.subarray(plain.length, plain.length + 64))).toEqual(
    Array.from({ length: 64 }, () => 0),
  );
});
