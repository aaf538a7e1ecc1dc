import { BoundedCache } from "@gatehouse/bounded-cache";
import { microsPerDollar } from "@gatehouse/money";
import type * as prices from "@pydantic/genai-prices";
import type { ModelPrice, PriceCalculation, Provider, Usage } from "@pydantic/genai-prices";
import type { ProviderKind } from "../provider.ts";
import { findAnswerTokensMax, type ModelData } from "./answer-limits.ts";
import { costOf, mostOf, noRates, type PriceOverrides, type Rates, withOverrides } from "./rates.ts";
import type { TokenUse } from "./token-use.ts";

/** The part of the price data package that is used here. */
type PriceData = Pick<typeof prices, "calcPrice" | "findProvider">;

/** The fields of a target that its price depends on. */
export interface PricedTarget extends PriceOverrides {
  readonly kind: ProviderKind;
  readonly baseUrl?: string | undefined;
  readonly model: string;
}

/** Price of one reply in whole micro-dollars, from the {@link PriceBook}. */
export interface Price {
  readonly costMicros: number;
  /** Whether no price is known for a part of it; that part is counted as free. */
  readonly priceUnknown: boolean;
}

type Pricing =
  | { readonly kind: "unknown" }
  /** Prices by kind of token that depend on neither amount nor time. */
  | { readonly kind: "flat"; readonly rates: Rates }
  /** Prices that depend on the amount or the time of day; the data set computes them. The provider has this one model. */
  | { readonly kind: "varying"; readonly provider: Provider };

/** All facts of a model that do not depend on a call. A lookup in the data set takes ten microseconds. */
interface ModelFacts {
  readonly pricing: Pricing;
  readonly contextTokens: number | undefined;
  readonly answerTokensMax: number | undefined;
}

const providerIds: Readonly<Partial<Record<ProviderKind, string>>> = {
  openai: "openai",
  anthropic: "anthropic",
  google: "google",
  "azure-openai": "azure",
  bedrock: "aws",
  mistral: "mistral",
};

const factsMax = 1_000;
/** Largest fraction of a micro-dollar that counts as a floating-point rounding error. */
const noiseMicros = 1e-6;
const oneToken: Usage = { input_tokens: 1, output_tokens: 1 };
const plainPrompt = { cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };

/** Prices of calls, from the price data set and the targets' overrides. */
export class PriceBook {
  readonly #data: PriceData;
  readonly #models: ModelData;
  readonly #facts = new BoundedCache<string, ModelFacts>(factsMax);

  constructor(data: PriceData, models: ModelData = {}) {
    this.#data = data;
    this.#models = models;
  }

  /**
   * Cost of a call, rounded up to a micro-dollar, so that many small calls are not free.
   * @param atMs time of the call, epoch milliseconds
   */
  price(target: PricedTarget, use: TokenUse, atMs: number): Price {
    const { costMicros, priceUnknown } = this.#cost(target, use, atMs);
    return { costMicros: roundUp(costMicros), priceUnknown };
  }

  /**
   * Most that a call may cost, rounded up: no prompt token is cached, or all are written to the cache where that costs more; all
   * answer tokens are reasoning where that costs more.
   */
  estimate(target: PricedTarget, tokens: Pick<TokenUse, "promptTokens" | "completionTokens">, atMs: number): Price {
    const { promptTokens, completionTokens } = tokens;
    const flat = this.#flatRates(target);
    if (flat !== undefined) {
      return { costMicros: roundUp(mostOf(flat.rates, tokens)), priceUnknown: flat.priceUnknown };
    }
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

  /** Context length of a model, prompt and answer together, in tokens; undefined where the data set does not say. */
  contextTokens(target: PricedTarget): number | undefined {
    return this.#factsOf(target).contextTokens;
  }

  /** Tokens of the longest answer that a model gives; undefined where unknown. */
  answerTokensMax(target: PricedTarget): number | undefined {
    return this.#factsOf(target).answerTokensMax;
  }

  #cost(target: PricedTarget, use: TokenUse, atMs: number): Price {
    const flat = this.#flatRates(target);
    if (flat !== undefined) return { costMicros: costOf(flat.rates, use), priceUnknown: flat.priceUnknown };
    const { pricing } = this.#factsOf(target);
    const found =
      pricing.kind === "varying"
        ? this.#calculate(target.model, toUsage(use), { provider: pricing.provider, timestamp: new Date(atMs) })
        : null;
    const overridden = costOf(withOverrides(noRates, target), use);
    if (found === null) return { costMicros: overridden, priceUnknown: true };
    const fee = found.total_price - found.input_price - found.output_price;
    const input = target.inputPricePerMillion === undefined ? found.input_price : 0;
    const output = target.outputPricePerMillion === undefined ? found.output_price : 0;
    return { costMicros: (fee + input + output) * microsPerDollar + overridden, priceUnknown: false };
  }

  /** Undefined where the price depends on the amount or the time of day. */
  #flatRates(target: PricedTarget): { readonly rates: Rates; readonly priceUnknown: boolean } | undefined {
    const isOverridden = target.inputPricePerMillion !== undefined && target.outputPricePerMillion !== undefined;
    if (isOverridden) return { rates: withOverrides(noRates, target), priceUnknown: false };
    const { pricing } = this.#factsOf(target);
    if (pricing.kind === "varying") return undefined;
    const rates = pricing.kind === "flat" ? pricing.rates : noRates;
    return { rates: withOverrides(rates, target), priceUnknown: pricing.kind === "unknown" };
  }

  #factsOf(target: PricedTarget): ModelFacts {
    const key = `${target.kind} ${target.baseUrl ?? ""} ${target.model}`;
    const known = this.#facts.get(key);
    if (known !== undefined) return known;
    const found = this.#find(target);
    const facts: ModelFacts = {
      pricing: found === null ? { kind: "unknown" } : toPricing(found),
      contextTokens: found?.model.context_window,
      answerTokensMax: findAnswerTokensMax(target, this.#models),
    };
    this.#facts.set(key, facts);
    return facts;
  }

  /** Looks up by provider where its kind or address identifies it, else by the model's name alone. */
  #find({ kind, baseUrl, model }: PricedTarget): PriceCalculation | null {
    const providerId =
      providerIds[kind] ??
      (baseUrl === undefined ? undefined : this.#data.findProvider({ providerApiUrl: baseUrl })?.id);
    return (
      (providerId === undefined ? null : this.#calculate(model, oneToken, { providerId })) ??
      this.#calculate(model, oneToken, {})
    );
  }

  #calculate(model: string, usage: Usage, options: Parameters<PriceData["calcPrice"]>[2]): PriceCalculation | null {
    return this.#data.calcPrice(usage, model, options);
  }
}

function toPricing({ provider, model, model_price: price }: PriceCalculation): Pricing {
  const rates = Array.isArray(model.prices) ? undefined : toFlatRates(price);
  return rates === undefined
    ? { kind: "varying", provider: { ...provider, models: [model] } }
    : { kind: "flat", rates };
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

/** Undefined where a price depends on the amount. A kind of token without a price has the price of its side (input or output). */
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

/** The shared price book, loaded on first use: the data takes 30 ms and a few megabytes. Returned without a promise once loaded. */
export function loadPriceBook(): PriceBook | Promise<PriceBook> {
  book ??= loadData().then((loaded) => (book = loaded));
  return book;
}

async function loadData(): Promise<PriceBook> {
  const [prices, models] = await Promise.all([import("@pydantic/genai-prices"), import("gpt-tokenizer/models")]);
  return new PriceBook(prices, { ...models });
}
