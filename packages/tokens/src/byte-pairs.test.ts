import fc from "fast-check";
import { encode as encodeCl100k } from "gpt-tokenizer/encoding/cl100k_base";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import { loadTokenDecoder } from "./decode-tokens.ts";
import { loadEncoder } from "./token-encoder.ts";

const asText = { disallowedSpecial: new Set<string>() };
const texts = [
  "",
  "The quick brown fox, 12345 times: 'twas I'LL we've DON'T it's.\n\n  \t(x)\r\n",
  "日本語のテキストを分割する。Привет, мир! مرحبا بالعالم हिन्दी ไทยภาษา 한국어",
  "🙂🏽👩\u{200d}👩\u{200d}👧 e\u{301}\u{301} \u{a0}\u{2003}\u{3000}",
  "a lone \ud800 surrogate, and \udc00 another",
  "<|endoftext|><|fim_prefix|> is text here",
  'const x = { "key": [1, 2, 3], https: "//example.org/a/b?c=d" };',
];

test.each(texts)("%j has as many tokens as the library finds", (text) => {
  expect(loadEncoder()(text)).toBe(countTokens(text, asText));
});

test("any text has as many tokens as the library finds", { timeout: 60_000 }, () => {
  const encode = loadEncoder();
  const unit = fc.constantFrom(
    "a",
    "B",
    "'s",
    "ing",
    " ",
    "  ",
    "\n",
    "\r",
    "1",
    "/",
    "!",
    "字",
    "の",
    "ж",
    "\u{301}",
    "🙂",
    "ﬁ",
    "ก",
  );
  const text = fc.array(fc.oneof(unit, fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" })), {
    maxLength: 40,
  });
  fc.assert(
    fc.property(text, (parts) => {
      const whole = parts.join("");
      expect(encode(whole)).toBe(countTokens(whole, asText));
    }),
    { numRuns: 150 },
  );
});

test("the tokens of any text decode to it", () => {
  const decode = loadTokenDecoder();
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "grapheme" }), fc.string({ unit: "binary" })), (text) => {
      expect(decode(encodeCl100k(text, asText))).toBe(text.toWellFormed());
    }),
    { numRuns: 150 },
  );
});

test.each([-1, 1.5, 100_256, 100_261, 2 ** 31, Number.NaN])("%d is not a token", (token) => {
  expect(loadTokenDecoder()([token])).toBeUndefined();
});
