import { expect, test } from "vitest";
import { bytesOf, encodeVocabulary, findToken, noToken, readVocabulary } from "./vocabulary.ts";

test("every token is found by its bytes, and other bytes are not a token", () => {
  const vocabulary = readVocabulary("o200k_base");
  const count = vocabulary.starts.length - 1;
  expect(count).toBe(199_998);
  const wrong: number[] = [];
  for (let token = 0; token < count; token += 1) {
    const bytes = bytesOf(vocabulary, token) ?? new Uint8Array();
    if (findToken(vocabulary, bytes, 0, bytes.length) !== token) wrong.push(token);
  }
  expect(wrong).toEqual([]);
  const none = Buffer.from("no token has these words of a sentence");
  expect(findToken(vocabulary, none, 0, none.length)).toBe(noToken);
});

test("more tokens than a slot can number are refused", () => {
  expect(() => encodeVocabulary(Array.from({ length: 2 ** 18 }, () => new Uint8Array(1)))).toThrow("fewer than 262143");
});
