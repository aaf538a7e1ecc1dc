import fc from "fast-check";
import { expect, test } from "vitest";
import { affordableTokens } from "./affordable-tokens.ts";
import { loadPriceBook, type PricedTarget } from "./price-book.ts";

const book = await loadPriceBook();
const atMs = Date.parse("2026-03-10T10:00:00Z");

test("the longest affordable answer costs at most the budget, and one token more exceeds it", () => {
  const targets: PricedTarget[] = [
    { kind: "openai", model: "gpt-4o" },
    { kind: "anthropic", model: "claude-sonnet-4-5" },
    { kind: "google", model: "gemini-2.5-pro" },
    { kind: "mock", model: "mock", inputPricePerMillion: 0.1, outputPricePerMillion: 0.3 },
  ];
  const sizes = fc.tuple(fc.nat(400_000), fc.integer({ min: 1, max: 8 }), fc.nat(128_000), fc.nat(20_000_000));
  const property = fc.property(
    fc.constantFrom(...targets),
    sizes,
    (target, [promptTokens, choices, tokensMax, micros]) => {
      const cost = (tokens: number) =>
        book.estimate(target, { promptTokens, completionTokens: tokens * choices }, atMs).costMicros;
      const tokens = affordableTokens(book, target, { promptTokens, choices, tokensMax, micros, atMs });
      if (tokens === undefined) {
        expect(cost(0)).toBeGreaterThan(micros);
        return;
      }
      expect(cost(tokens)).toBeLessThanOrEqual(micros);
      if (tokens < tokensMax) expect(cost(tokens + 1)).toBeGreaterThan(micros);
    },
  );
  fc.assert(property, { seed: 20_261_122, numRuns: 300 });
});

test.each([
  ["openai", "gpt-4o", 16_384],
  ["openai-compatible", "openai/gpt-4.1-mini", 32_768],
  ["anthropic", "claude-sonnet-4-5-20250929", 64_000],
  ["bedrock", "anthropic.claude-3-haiku-20240307-v1:0", 4_096],
  ["google", "gemini-2.5-flash", 65_535],
  ["openai-compatible", "nobody-knows-this", undefined],
  ["openai-compatible", "toString", undefined],
] as const)("the longest answer of %s %s has %s tokens", (kind, model, tokens) => {
  expect(book.answerTokensMax({ kind, model })).toBe(tokens);
});
