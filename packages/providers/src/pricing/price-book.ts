import type * as prices from "@pydantic/genai-prices";
import type { ModelPrice, PriceCalculation, Usage } from "@pydantic/genai-prices";
import { BoundedCache } from "@gatehouse/bounded-cache";
import type { ProviderKind } from "../provider.ts";
import { findAnswerTokensMax, type ModelData } from "./answer-limits.ts";
import { costOf, noRates, type PriceOverrides, type Rates, withOverrides } from "./rates.ts";
import type { TokenUse } from "./token-use.ts";

/** The part of the price data package that is used here. */
type PriceData = Pick<typeof prices, "calcPrice" | "findProvider">;

/** A target as far as its price goes. */
export interface PricedTarget extends PriceOverrides {
  readonly kind: ProviderKind;
  readonly baseUrl?: string | undefined;
  readonly model: string;
}

export interface Price {
  readonly costMicros: number;
  /** No price is known for a part of it, which then costs nothing. */
  readonly priceUnknown: boolean;
}

/** Price data of a model. */
type Pricing =
  | { readonly kind: "unknown" }
  /** One price for each kind of token, whatever the amount and the time. */
  | { readonly kind: "flat"; readonly rates: Rates }
  /** Prices that change with the amount or the time of day; the data set computes them. */
  | { readonly kind: "varying"; readonly providerId: string };

/** The data set's ids of our kinds of provider. */
const providerIds: Readonly<Partial<Record<ProviderKind, string>>> = {
  openai: "openai",
  anthropic: "anthropic",
  google: "google",
  "azure-openai": "azure",
  bedrock: "aws",
  mistral: "mistral",
};

const pricingsMax = 1_000;
/** Part of a micro-dollar that is a rounding error of floating-point numbers and nothing that was charged. */
const noiseMicros = 1e-6;
const oneToken: Usage = { input_tokens: 1, output_tokens: 1 };
const plainPrompt = { cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };

/** Prices of calls, from the price data set and the targets' own overrides. */
export class PriceBook {
  readonly #data: PriceData;
  readonly #pricings = new BoundedCache<string, Pricing>(pricingsMax);

  readonly #models: ModelData;

  constructor(data: PriceData, models: ModelData = {}) {
    this.#data = data;
    this.#models = models;
  }

  /**
   * Cost of a call, rounded up to a micro-dollar, so that no number of small calls is free. `atMs` is when it was made, epoch
   * milliseconds.
   */
  price(target: PricedTarget, use: TokenUse, atMs: number): Price {
    const { costMicros, priceUnknown } = this.#cost(target, use, atMs);
    return { costMicros: roundUp(costMicros), priceUnknown };
  }

  /**
   * The most that a call may cost, rounded up: nothing is cached, or all of the prompt is written to the cache where that
   * costs more; likewise all of the answer is reasoning.
   */
  estimate(target: PricedTarget, tokens: Pick<TokenUse, "promptTokens" | "completionTokens">, atMs: number): Price {
    const { promptTokens, completionTokens } = tokens;
    const uses: readonly TokenUse[] = [
      { ...plainPrompt, promptTokens, completionTokens },
      { ...plainPrompt, promptTokens, completionTokens, cacheWriteTokens: promptTokens },
      { ...plainPrompt, promptTokens, completionTokens, reasoningTokens: completionTokens },
      {
        promptTokens,
        completionTokens,
        cachedTokens: 0,
        cacheWriteTokens: promptTokens,
        reasoningTokens: completionTokens,
      },
    ];
    const prices = uses.map((use) => this.#cost(target, use, atMs));
    const costMicros = roundUp(Math.max(...prices.map((price) => price.costMicros)));
    return { costMicros, priceUnknown: prices.some(({ priceUnknown }) => priceUnknown) };
  }

  /** Tokens that a model takes, prompt and answer together; undefined where the data set does not say. */
  contextTokens({ kind, model }: PricedTarget): number | undefined {
    const providerId = providerIds[kind];
    const found = this.#calculate(model, oneToken, providerId === undefined ? {} : { providerId });
    return found?.model.context_window;
  }

  /** Tokens of the longest answer that a model gives; undefined where no data says. */
  answerTokensMax(target: PricedTarget): number | undefined {
    return findAnswerTokensMax(target, this.#models);
  }

  #cost(target: PricedTarget, use: TokenUse, atMs: number): Price {
    const hasInput = target.inputPricePerMillion !== undefined;
    const hasOutput = target.outputPricePerMillion !== undefined;
    if (hasInput && hasOutput) return { costMicros: costOf(withOverrides(noRates, target), use), priceUnknown: false };
    const pricing = this.#pricingOf(target);
    if (pricing.kind === "unknown") {
      return { costMicros: costOf(withOverrides(noRates, target), use), priceUnknown: true };
    }
    if (pricing.kind === "flat") {
      return { costMicros: costOf(withOverrides(pricing.rates, target), use), priceUnknown: false };
    }
    const found = this.#calculate(target.model, toUsage(use), {
      providerId: pricing.providerId,
      timestamp: new Date(atMs),
    });
    if (found === null) return { costMicros: costOf(withOverrides(noRates, target), use), priceUnknown: true };
    const fee = found.total_price - found.input_price - found.output_price;
    const ofData = fee + (hasInput ? 0 : found.input_price) + (hasOutput ? 0 : found.output_price);
    return { costMicros: ofData * 1_000_000 + costOf(withOverrides(noRates, target), use), priceUnknown: false };
  }

  #pricingOf({ kind, baseUrl, model }: PricedTarget): Pricing {
    const key = `${kind} ${baseUrl ?? ""} ${model}`;
    const known = this.#pricings.get(key);
    if (known !== undefined) return known;
    const pricing = this.#findPricing({ kind, baseUrl, model });
    this.#pricings.set(key, pricing);
    return pricing;
  }

  /** By the provider where its kind or address tells it, else by the model's name alone. */
  #findPricing({ kind, baseUrl, model }: PricedTarget): Pricing {
    const providerId =
      providerIds[kind] ??
      (baseUrl === undefined ? undefined : this.#data.findProvider({ providerApiUrl: baseUrl })?.id);
    const found =
      (providerId === undefined ? null : this.#calculate(model, oneToken, { providerId })) ??
      this.#calculate(model, oneToken, {});
    if (found === null) return { kind: "unknown" };
    const rates = Array.isArray(found.model.prices) ? undefined : toFlatRates(found.model_price);
    return rates === undefined ? { kind: "varying", providerId: found.provider.id } : { kind: "flat", rates };
  }

  #calculate(model: string, usage: Usage, options: Parameters<PriceData["calcPrice"]>[2]): PriceCalculation | null {
    return this.#data.calcPrice(usage, model, options);
  }
}

function roundUp(micros: number): number {
  return Math.max(0, Math.ceil(micros - noiseMicros));
}

function toUsage(use: TokenUse): Usage {
  return {
    input_tokens: use.promptTokens,
    cache_read_tokens: use.cachedTokens,
    cache_write_tokens: use.cacheWriteTokens,
    output_tokens: use.completionTokens,
    output_reasoning_tokens: use.reasoningTokens,
  };
}

/** Undefined where a price depends on the amount. A kind of token without a price has its side's. */
function toFlatRates(prices: ModelPrice): Rates | undefined {
  const read = (key: string, fallback: number) => {
    const price = prices[key];
    if (price === undefined) return fallback;
    return typeof price === "number" ? price : Number.NaN;
  };
  const input = read("input_mtok", 0);
  const output = read("output_mtok", 0);
  const rates: Rates = {
    input,
    output,
    cacheRead: read("cache_read_mtok", input),
    cacheWrite: read("cache_write_mtok", input),
    reasoning: read("output_reasoning_mtok", output),
    request: read("requests_kcount", 0) * 1_000,
  };
  return Object.values(rates).some(Number.isNaN) ? undefined : rates;
}

let book: PriceBook | Promise<PriceBook> | undefined;

/**
 * The price book, loaded when it is first asked for: the data takes 30 ms and a few megabytes. Always the same one, and at once when
 * it is loaded.
 */
export function loadPriceBook(): PriceBook | Promise<PriceBook> {
  book ??= loadData().then((loaded) => (book = loaded));
  return book;
}

async function loadData(): Promise<PriceBook> {
  const [prices, models] = await Promise.all([import("@pydantic/genai-prices"), import("gpt-tokenizer/models")]);
  return new PriceBook(prices, { ...models });
}
