import type { ReadyTarget } from "@gatehouse/failover";
import type { JsonObject } from "@gatehouse/json";
import type { BudgetClaim } from "@gatehouse/limits";
import { affordableTokens, askedChoices, askedTokens, type PriceBook, type PricedTarget } from "@gatehouse/providers";

/** The part of the price book that a plan uses. */
type PlanPrices = Pick<PriceBook, "estimate" | "answerTokensMax" | "contextTokens">;

/** Longest answer where neither the caller, the endpoint nor any data sets it, tokens; every chat model supports it. */
const answerTokensDefault = 4_096;
/** Tokens of an answer below which a budget counts as spent. */
const answerTokensMin = 1;
/** Shortest limit of an answer while calls in progress hold a part of the budget, tokens: a retry is better than a shorter answer. */
const answerTokensShared = 1_024;

interface CallPlanOptions {
  readonly targets: readonly ReadyTarget[];
  /** The caller's and the endpoint's. */
  readonly parameters: JsonObject;
  /** Most tokens of one answer by the endpoint's `max_response_tokens`; null without one. */
  readonly responseTokensMax: number | null;
  readonly isEmbedding: boolean;
  readonly prices: PlanPrices;
  readonly budgetMicros: number;
  /** Time of the call, epoch milliseconds; prices may depend on the time of day. */
  readonly atMs: number;
}

interface SizedTarget {
  readonly target: ReadyTarget;
  readonly promptTokens: number;
  readonly priced: PricedTarget;
  /** Tokens of each answer that the call may ask for. */
  readonly wantedTokens: number;
}

/** Cost bounds of a call at each of its targets, for a prompt of any size. */
export class CallPlan {
  readonly #options: CallPlanOptions;
  readonly #choices: number;
  /** Cached for consecutive queries about one target and prompt. */
  #sized: SizedTarget | undefined;

  /** Time of pricing, epoch milliseconds. */
  readonly atMs: number;

  constructor(options: CallPlanOptions) {
    this.atMs = options.atMs;
    this.#options = options;
    this.#choices = askedChoices(options.parameters);
  }

  /** Claim for a call at the most expensive of the targets. */
  claim(promptTokens: number, targets = this.#options.targets): Required<BudgetClaim> {
    let [estimateMicros, leastMicros, sharedMicros] = [0, 0, 0];
    for (const target of targets) {
      const cost = (tokensMax: number) => this.costMicros(target, { promptTokens, tokensMax });
      estimateMicros = Math.max(estimateMicros, cost(Number.POSITIVE_INFINITY));
      leastMicros = Math.max(leastMicros, cost(answerTokensMin));
      sharedMicros = Math.max(sharedMicros, cost(answerTokensShared));
    }
    return { estimateMicros, leastMicros, sharedMicros };
  }

  /**
   * Highest cost of a call whose answers have at most so many tokens, and no more than it asks for. A cost above the whole budget
   * is only known to exceed it.
   */
  costMicros(target: ReadyTarget, { promptTokens, tokensMax }: CallSize): number {
    const { prices, atMs, budgetMicros } = this.#options;
    const { priced, wantedTokens } = this.#size(target, promptTokens);
    const completionTokens = Math.min(tokensMax, wantedTokens) * this.#choices;
    const { costMicros } = prices.estimate(priced, { promptTokens, completionTokens }, atMs);
    return Math.min(costMicros, budgetMicros + 1);
  }

  /** Tokens of each answer that an amount pays for, at most what the call asks for; undefined where it is too little. */
  affordable(target: ReadyTarget, promptTokens: number, micros: number): number | undefined {
    const { prices, atMs } = this.#options;
    const { priced, wantedTokens } = this.#size(target, promptTokens);
    const size = { promptTokens, choices: this.#choices, tokensMax: wantedTokens, atMs };
    const tokens = affordableTokens(prices, priced, { ...size, micros });
    return tokens === undefined || tokens < Math.min(wantedTokens, answerTokensMin) ? undefined : tokens;
  }

  /** Whether the longest answer costs no more than none. */
  hasFreeAnswer(target: ReadyTarget, promptTokens: number): boolean {
    const { prices, atMs } = this.#options;
    const { priced, wantedTokens } = this.#size(target, promptTokens);
    const cost = (completionTokens: number) =>
      prices.estimate(priced, { promptTokens, completionTokens }, atMs).costMicros;
    return cost(wantedTokens) === cost(0);
  }

  #size(target: ReadyTarget, promptTokens: number): SizedTarget {
    const known = this.#sized;
    if (known?.target === target && known.promptTokens === promptTokens) return known;
    const priced = toPricedTarget(target);
    const wantedTokens = this.#wantedTokens(priced, promptTokens);
    this.#sized = { target, promptTokens, priced, wantedTokens };
    return this.#sized;
  }

  #wantedTokens(priced: PricedTarget, promptTokens: number): number {
    const { isEmbedding, responseTokensMax } = this.#options;
    if (isEmbedding) return 0;
    const tokens = this.#uncappedTokens(priced, promptTokens);
    return responseTokensMax === null ? tokens : Math.min(tokens, responseTokensMax);
  }

  /** The caller's limit, else the endpoint's, else the model's longest answer, as far as it fits the model's context. */
  #uncappedTokens(priced: PricedTarget, promptTokens: number): number {
    const { parameters, prices } = this.#options;
    const asked = askedTokens(parameters);
    if (asked !== undefined) return asked;
    const longest = prices.answerTokensMax(priced) ?? answerTokensDefault;
    const context = prices.contextTokens(priced);
    // Providers refuse a limit that does not fit beside the prompt, which has at most half as many tokens as bytes.
    const room = context === undefined ? longest : context - Math.ceil(promptTokens / 2);
    return Math.min(longest, Math.max(room, answerTokensShared));
  }
}

interface CallSize {
  readonly promptTokens: number;
  readonly tokensMax: number;
}

/** A target in the form of the price book. */
export function toPricedTarget({ address, target }: ReadyTarget): PricedTarget {
  const { kind, baseUrl, model } = address;
  const { inputPricePerMillion, outputPricePerMillion } = target;
  return { kind, baseUrl, model, inputPricePerMillion, outputPricePerMillion };
}
