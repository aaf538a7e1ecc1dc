import type { SentContent } from "@gatehouse/content";
import type { GatewayError } from "@gatehouse/errors";
import type { ReadyTarget } from "@gatehouse/failover";
import { type BudgetClaim, budgetRefused, type ExtendResult } from "@gatehouse/limits";
import type { CallPlan } from "./call-plan.ts";

/** Cost limit of one attempt. */
export interface AttemptLimit {
  /** Tokens of each answer, reasoning included; undefined where they cost nothing. */
  readonly tokensMax: number | undefined;
  /** The most that the attempt costs within that. */
  readonly costMicros: number;
}

/** The money that one call holds of its endpoint's budget, and what its attempts may spend of it. */
export class CallBudget {
  readonly #plan: CallPlan;
  #heldMicros: number;
  /** Tokens of the prompt, in the way in which the call's reservation was made. */
  readonly #promptTokensOf: (sent: SentContent) => number | Promise<number>;
  /** Holds more money for the call. */
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
   * The limit of the next attempt, within what the call holds. After attempts that were sent and given up, it asks for more
   * where what is left does not do. Answers with the refusal where the budget has no more.
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

  /** An attempt was sent and given up: what it may have cost is spent. */
  charge({ costMicros }: AttemptLimit): void {
    this.#chargedMicros += costMicros;
  }

  /** When the call is priced, epoch milliseconds. */
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
