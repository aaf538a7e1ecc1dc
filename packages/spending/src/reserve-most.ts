import { countSentTokens, type SentContent, sentTokensMax } from "@gatehouse/content";
import type { BudgetClaim, ExtendResult, Reservation, ReserveResult } from "@gatehouse/limits";
import type { TokenCounter } from "@gatehouse/tokens";
import { CallBudget } from "./call-budget.ts";
import type { CallPlan } from "./call-plan.ts";

/** Largest prompt that is tokenized, bytes, where its size in bytes would cost more than what is left. */
const countedTokensMax = 256 * 1024;

interface PlannedCall {
  readonly plan: CallPlan;
  readonly sent: SentContent;
  readonly tokens: TokenCounter;
  readonly signal: AbortSignal;
}

interface CallLedger {
  readonly reserve: (claim: Required<BudgetClaim>) => ReserveResult | Promise<ReserveResult>;
  readonly extend: (reservation: Reservation, claim: BudgetClaim) => Promise<ExtendResult>;
}

/** The ledger's answer, and the call's budget where money was reserved. */
interface ReservedMost {
  readonly result: ReserveResult;
  readonly budget: CallBudget | undefined;
}

type PromptTokensOf = (sent: SentContent) => number | Promise<number>;

/**
 * Reserves the highest cost of the call, with the prompt's bytes as its tokens. Where that exceeds what is left, the prompt is
 * tokenized, so that the last part of a budget can be used.
 */
export async function reserveMost(call: PlannedCall, { reserve, extend }: CallLedger): Promise<ReservedMost> {
  const { plan, sent, tokens, signal } = call;
  const reserveFor = async (promptTokensOf: PromptTokensOf): Promise<ReservedMost> => {
    const result = await reserve(plan.claim(await promptTokensOf(sent)));
    if (!result.ok) return { result, budget: undefined };
    const { reservation, heldMicros } = result;
    const extendIt = async (claim: BudgetClaim) => await extend(reservation, claim);
    return { result, budget: new CallBudget(plan, heldMicros, promptTokensOf, extendIt) };
  };
  const byBytes = await reserveFor(rememberLast(sentTokensMax));
  const { result } = byBytes;
  const mayCount = !result.ok && result.reason === "spent" && result.spentMicros < result.budgetMicros;
  if (!mayCount || (await sentTokensMax(sent)) > countedTokensMax) return byBytes;
  return await reserveFor(rememberLast(async (content) => await countSentTokens(content, tokens, { signal })));
}

/** An attempt mostly sends what its call has reserved for: the same objects, which are never changed. */
function rememberLast(tokensOf: PromptTokensOf): PromptTokensOf {
  let last: { readonly sent: SentContent; readonly tokens: number } | undefined;
  return async (sent) => {
    if (last?.sent.messages === sent.messages && last.sent.parameters === sent.parameters) return last.tokens;
    const tokens = await tokensOf(sent);
    last = { sent, tokens };
    return tokens;
  };
}
