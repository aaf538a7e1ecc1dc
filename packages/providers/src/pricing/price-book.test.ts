import { calcPrice, findProvider } from "@pydantic/genai-prices";
import fc from "fast-check";
import { expect, test } from "vitest";
import { loadPriceBook, type PricedTarget } from "./price-book.ts";
import { type TokenUse, toTokenUse } from "./token-use.ts";

const book = await loadPriceBook();
const at = Date.parse("2026-03-10T10:00:00Z");

function use(overrides: Partial<TokenUse> = {}): TokenUse {
  return {
    promptTokens: 1_000,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    completionTokens: 1_000,
    reasoningTokens: 0,
    ...overrides,
  };
}

const gpt: PricedTarget = { kind: "openai", model: "gpt-4o" };

test("cached tokens have their own price", () => {
  expect(book.price(gpt, use(), at)).toEqual({ costMicros: 12_500, priceUnknown: false });
  expect(book.price(gpt, use({ cachedTokens: 500 }), at)).toEqual({ costMicros: 11_875, priceUnknown: false });
});

test("tokens written to a cache have their own price", () => {
  const claude: PricedTarget = { kind: "anthropic", model: "claude-3-5-haiku-latest" };
  const plain = book.price(claude, use(), at).costMicros;
  expect(book.price(claude, use({ cacheWriteTokens: 1_000 }), at).costMicros).toBeGreaterThan(plain);
});

test("an unknown model costs nothing, and its price is reported as unknown", () => {
  expect(book.price({ kind: "openai", model: "nobody-made-this" }, use(), at)).toEqual({
    costMicros: 0,
    priceUnknown: true,
  });
  expect(book.price({ kind: "mock", model: "mock" }, use(), at)).toEqual({ costMicros: 0, priceUnknown: true });
});

test("a model of a compatible provider is priced by the provider's address, else by its own name", () => {
  const groq = {
    kind: "openai-compatible",
    baseUrl: "https://api.groq.com/openai/v1",
    model: "llama-3.3-70b-versatile",
  } as const;
  expect(book.price(groq, use(), at)).toMatchObject({ priceUnknown: false });
  const own = { kind: "openai-compatible", baseUrl: "http://127.0.0.1:9/v1", model: "gpt-4o" } as const;
  expect(book.price(own, use(), at)).toEqual(book.price(gpt, use(), at));
});

test("an override applies to every token of its side", () => {
  const inputOnly = { ...gpt, inputPricePerMillion: 1 };
  expect(book.price(inputOnly, use({ cachedTokens: 500 }), at)).toEqual({ costMicros: 11_000, priceUnknown: false });
  const free = { ...gpt, inputPricePerMillion: 0, outputPricePerMillion: 0 };
  expect(book.price(free, use(), at)).toEqual({ costMicros: 0, priceUnknown: false });
  const unknown = { kind: "mock", model: "mock", inputPricePerMillion: 3, outputPricePerMillion: 7 } as const;
  expect(book.price(unknown, use({ reasoningTokens: 10 }), at)).toEqual({ costMicros: 10_000, priceUnknown: false });
});

test("with one side overridden and the other unknown, the price is unknown", () => {
  const half = { kind: "mock", model: "mock", inputPricePerMillion: 3 } as const;
  expect(book.price(half, use(), at)).toEqual({ costMicros: 3_000, priceUnknown: true });
});

test("an override also applies where the data set's prices vary", () => {
  const gemini: PricedTarget = { kind: "google", model: "gemini-2.5-pro" };
  expect(book.price({ ...gemini, inputPricePerMillion: 1 }, use(), at).costMicros).toBe(1_000 + 10_000);
  expect(book.price(gemini, use({ promptTokens: 300_000, completionTokens: 0 }), at).costMicros).toBe(750_000);
});

test("the shortcut for flat prices agrees with the data set on every model", () => {
  const kinds = {
    openai: "openai",
    anthropic: "anthropic",
    google: "google",
    azure: "azure-openai",
    aws: "bedrock",
    mistral: "mistral",
  } as const;
  const targets = Object.entries(kinds).flatMap(([providerId, kind]) =>
    (findProvider({ providerId })?.models ?? []).map(({ id }) => ({ providerId, kind, model: id })),
  );
  expect(targets.length).toBeGreaterThan(200);
  const tokens = fc.tuple(fc.nat(100_000), fc.nat(100_000), fc.double({ min: 0, max: 1, noNaN: true }));
  const property = fc.property(
    fc.constantFrom(...targets),
    tokens,
    ({ providerId, kind, model }, [prompt, completion, part]) => {
      const cached = Math.floor(prompt * part);
      const expected = calcPrice(
        { input_tokens: prompt, cache_read_tokens: cached, output_tokens: completion },
        model,
        { providerId, timestamp: new Date(at) },
      );
      const tokenUse = use({ promptTokens: prompt, cachedTokens: cached, completionTokens: completion });
      const { costMicros } = book.price({ kind, model }, tokenUse, at);
      const over = costMicros - (expected?.total_price ?? 0) * 1_000_000;
      expect(over).toBeGreaterThan(-0.01);
      expect(over).toBeLessThanOrEqual(1);
    },
  );
  fc.assert(property, { seed: 20_261_121, numRuns: 500 });
});

test("an estimate is never below the price of the usage it was made for", () => {
  const targets: PricedTarget[] = [
    gpt,
    { kind: "openai", model: "o3" },
    { kind: "anthropic", model: "claude-sonnet-4-5" },
    { kind: "google", model: "gemini-2.5-pro" },
    { kind: "mock", model: "mock", inputPricePerMillion: 0.1, outputPricePerMillion: 0.3 },
  ];
  const amounts = fc.tuple(fc.nat(300_000), fc.nat(50_000), fc.nat(1_000), fc.nat(1_000), fc.nat(1_000));
  const property = fc.property(
    fc.constantFrom(...targets),
    amounts,
    (target, [prompt, completion, cached, written, reasoning]) => {
      const details = {
        prompt_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
        completion_tokens_details: { reasoning_tokens: reasoning },
      };
      const reported = { prompt_tokens: prompt, completion_tokens: completion, total_tokens: 0, ...details };
      const tokenUse = toTokenUse(reported);
      const estimate = book.estimate(target, tokenUse, at).costMicros;
      expect(book.price(target, tokenUse, at).costMicros).toBeLessThanOrEqual(estimate);
      expect(Number.isSafeInteger(estimate)).toBe(true);
    },
  );
  fc.assert(property, { seed: 20_261_121, numRuns: 300 });
});

test("counts that contradict each other are reduced to fit", () => {
  expect(
    toTokenUse({
      prompt_tokens: 10,
      completion_tokens: Number.NaN,
      total_tokens: 3,
      prompt_tokens_details: { cached_tokens: 8, cache_write_tokens: 5 },
      completion_tokens_details: { reasoning_tokens: 4 },
    }),
  ).toEqual({ promptTokens: 10, cachedTokens: 8, cacheWriteTokens: 2, completionTokens: 0, reasoningTokens: 0 });
});
