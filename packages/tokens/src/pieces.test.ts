import { expect, test } from "vitest";
import { endByPattern, endOfPiece } from "./pieces.ts";

/** Letters of both cases, digits, signs, white space of all kinds, and characters beyond ASCII that join each of them. */
const alphabet = Array.from("aZsStTmdrRvelLE09''  \t\n\r\f\v/-#.\u{1c}\u{7f}éÉ中\u{301}٣\u{a0}\u{2028}…ʰ😀");
const textsCount = 20_000;
const lengthMax = 12;

test("the scanner finds the same pieces as the pattern", () => {
  const random = randomNumbers(7);
  for (let number = 0; number < textsCount; number += 1) {
    const asciiOnly = number % 2 === 0;
    const text = randomText(random, asciiOnly);
    for (let start = 0; start < text.length;) {
      const end = endByPattern(text, start);
      expect(endOfPiece(text, start), JSON.stringify([text, start])).toBe(end);
      start = end;
    }
  }
});

test("the scanner agrees with the pattern for any two ASCII characters, alone and in a word", () => {
  for (let code = 0; code < 128 * 128; code += 1) {
    const two = String.fromCharCode(code >> 7, code & 127);
    for (const text of [`it'${two}s`, two]) {
      expect(endOfPiece(text, 0), JSON.stringify(text)).toBe(endByPattern(text, 0));
    }
  }
});

function randomText(random: () => number, asciiOnly: boolean): string {
  const letters = asciiOnly ? alphabet.filter((letter) => letter < "\u{80}") : alphabet;
  const length = 1 + Math.floor(random() * lengthMax);
  return Array.from({ length }, () => letters[Math.floor(random() * letters.length)] ?? "").join("");
}

/** Pseudo-random numbers from a seed, the same in every run. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 0) / 2 ** 32;
  };
}
