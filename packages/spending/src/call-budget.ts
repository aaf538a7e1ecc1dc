import type { SentContent } from "@gatehouse/content";
import type { GatewayError } from "@gatehouse/errors";
import type { ReadyTarget } from "@gatehouse/failover";
import { type BudgetClaim, budgetRefused, type ExtendResult } from "@gatehouse/limits";
import type { CallPlan } from "./call-plan.ts";

/** Limit of one attempt, set from the money that its call has reserved; the provider is sent `tokensMax`. */
export interface AttemptLimit {
  /** Tokens of each answer, reasoning included; undefined where they are free. */
  readonly tokensMax: number | undefined;
  /** Highest cost of the attempt within that. */
  readonly costMicros: number;
}

/** Money that one call has reserved of its endpoint's budget, and the limits of its attempts. */
export class CallBudget {
  readonly #plan: CallPlan;
  #heldMicros: number;
  /** Tokens of the prompt, counted as for the call's reservation. */
  readonly #promptTokensOf: (sent: SentContent) => number | Promise<number>;
  readonly #extend: (claim: BudgetClaim) => Promise<ExtendResult>;
  #chargedMicros = 0;

  constructor(
    plan: CallPlan,
    heldMicros: number,
    promptTokensOf: (sent: SentContent) => number | Promise<number>,
    extend: (claim: BudgetClaim) => Promise<ExtendResult>,
  ) {
    this.#plan = plan;
    this.#heldMicros = heldMicros;
    this.#promptTokensOf = promptTokensOf;
    this.#extend = extend;
  }

  /**
   * Limit of the next attempt, within what the call has reserved. After abandoned attempts it reserves more if the rest is too
   * little. Returns the refusal where the budget has no more.
   */
  async limitAttempt(target: ReadyTarget, sent: SentContent): Promise<AttemptLimit | GatewayError> {
    const promptTokens = await this.#promptTokensOf(sent);
    const refusal = await this.#holdFor(target, promptTokens);
    if (refusal !== undefined) return refusal;
    const plan = this.#plan;
    const tokensMax = plan.affordable(target, promptTokens, this.#leftMicros);
    if (tokensMax === undefined) throw new Error("A call holds less money than its attempt needs.");
    const costMicros = plan.costMicros(target, { promptTokens, tokensMax });
    return { tokensMax: plan.hasFreeAnswer(target, promptTokens) ? undefined : tokensMax, costMicros };
  }

  /** Counts the highest cost of an attempt that was sent and abandoned as spent. */
  charge({ costMicros }: AttemptLimit): void {
    this.#chargedMicros += costMicros;
  }

  /** Time of pricing, epoch milliseconds. */
  get atMs(): number {
    return this.#plan.atMs;
  }

  get #leftMicros(): number {
    return this.#heldMicros - this.#chargedMicros;
  }

  async #holdFor(target: ReadyTarget, promptTokens: number): Promise<GatewayError | undefined> {
    const plan = this.#plan;
    const left = this.#leftMicros;
    const claim = plan.claim(promptTokens, [target]);
    const isEnough = this.#chargedMicros === 0 ? claim.leastMicros <= left : claim.estimateMicros <= left;
    if (isEnough) return undefined;
    const missing = (micros: number) => Math.max(0, micros - left);
    const result = await this.#extend({
      estimateMicros: missing(claim.estimateMicros),
      leastMicros: missing(claim.leastMicros),
      sharedMicros: missing(claim.sharedMicros),
    });
    if (!result.ok) return budgetRefused(result);
    this.#heldMicros += result.heldMicros;
    return undefined;
  }
}
