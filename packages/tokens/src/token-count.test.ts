import fc from "fast-check";
import { expect, test } from "vitest";
import { countTexts, tokenCountBounds, tokensAtMost } from "./token-count.ts";
import { loadEncoder } from "./token-encoder.ts";

/** The tokenizer's own pieces (gpt-tokenizer, `O200K_TOKEN_SPLIT_PATTERN`). */
const pieces =
  /[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+/gu;

/** Texts passed to the BPE, and the steps that it would take: the square of each piece's length. */
function observer() {
  const seen = { pieceCharsMax: 0, steps: 0, text: "" };
  const encode = (text: string) => {
    seen.text += text;
    for (const [piece] of text.matchAll(pieces)) {
      seen.pieceCharsMax = Math.max(seen.pieceCharsMax, piece.length);
      seen.steps += piece.length ** 2;
    }
    return text.length;
  };
  return { seen, encode };
}

const runs: readonly (readonly [string, string])[] = [
  ["letters", "a"],
  ["capitals", "A"],
  ["ideographs", "字"],
  ["letters of a script without spaces", "ก"],
  ["signs", "!"],
  ["pictures", "🙂"],
  ["accents", "\u{301}"],
  ["letters beyond the first plane", "𝔞"],
  ["spaces", " "],
  ["line ends", "\n"],
  ["spaces of other kinds", " \u{2003}"],
  ["slashes and line ends", "/\n"],
  ["capitals and accents", "A\u{301}"],
  ["signs and accents", "!\u{301}"],
];

test.each(runs)("a run of %s is cut, and its steps grow with its length", (_name, unit) => {
  const steps = [1, 2, 4, 8].map((times) => {
    const text = unit.repeat(times * 10_000);
    const { seen, encode } = observer();
    expect(countTexts([text], encode)).toEqual([text.length]);
    expect(seen.text).toBe(text);
    // A piece may have a sign before its run, and line ends after it.
    expect(seen.pieceCharsMax).toBeLessThanOrEqual(2 * tokenCountBounds.pieceCharsMax);
    return seen.steps;
  });
  const [first = 0, , , last = 0] = steps;
  expect(last / first).toBeLessThan(8.5);
});

test("any text reaches the tokenizer complete and without split surrogate pairs", () => {
  const unit = fc.constantFrom("a", "word ", "🙂", "\u{301}", " ", "\n", "字", "0", "!", "\u{2003}", "x".repeat(150));
  const text = fc.array(fc.tuple(unit, fc.integer({ min: 1, max: 400 })), { maxLength: 30 });
  fc.assert(
    fc.property(text, (parts) => {
      const whole = parts.map(([part, times]) => part.repeat(times)).join("");
      const { seen, encode } = observer();
      countTexts([whole], (window) => {
        expect(window.isWellFormed()).toBe(true);
        return encode(window);
      });
      expect(seen.text).toBe(whole);
      expect(seen.pieceCharsMax).toBeLessThanOrEqual(2 * tokenCountBounds.pieceCharsMax);
    }),
    { numRuns: 200 },
  );
});

test("a count stops soon after its maximum, and extrapolates the rest", () => {
  const { seen, encode } = observer();
  const counts = countTexts(["one ".repeat(50_000), "two ".repeat(1_000)], encode, 10_000);
  expect(seen.text.length).toBeLessThan(10_000 + 2 * tokenCountBounds.windowCharsMax);
  expect(counts).toEqual([200_000, 4_000]);
});

test("a text that is not counted in time counts by its bytes", () => {
  let windows = 0;
  const counts = countTexts(
    ["ä".repeat(10_000), "ö"],
    () => 0,
    Infinity,
    () => (windows += 1) > 1,
  );
  expect(counts).toEqual([tokensAtMost("ä".repeat(10_000 - tokenCountBounds.windowCharsMax)), 2]);
});

test("ordinary text has the count without cuts", () => {
  const encode = loadEncoder();
  const text = 'The quick brown fox jumps over the lazy dog, 1234 times: \'twas "nice".\n\n'.repeat(300);
  expect(countTexts([text, ""], encode)).toEqual([encode(text), 0]);
});

test("a run that is cut has slightly more tokens than without cuts", () => {
  const encode = loadEncoder();
  const text = "abcdefghij".repeat(200);
  const [count = 0] = countTexts([text], encode);
  expect(count).toBeGreaterThanOrEqual(encode(text));
  expect(count / encode(text)).toBeLessThan(1.05);
});
