import { userOf } from "@gatehouse/dialects";
import type { ReadyTarget } from "@gatehouse/failover";
import type { UsageRecord } from "@gatehouse/limits";
import { type CompletionUsage, type Price, type PriceBook, type TokenUse, toTokenUse } from "@gatehouse/providers";
import type { BilledCall } from "./billed-call.ts";
import type { AttemptLimit } from "./call-budget.ts";
import { toPricedTarget } from "./call-plan.ts";
import { billableUsage } from "./usage.ts";

/**
 * Bill of a call with all its attempts. An answer costs its usage, reported by the provider or counted here. An abandoned attempt
 * costs the most that its limit permits; where the endpoint has no budget, its prompt and the text that it has sent. Of an answer
 * that another target continued, each target is billed what it wrote, and the second also what it read of the first part. Tokens are
 * those of the answer, or of the prompt where there is none, since tokens of abandoned attempts are unknown. Returns no promise where
 * no token has to be counted.
 * @param wallNow epoch milliseconds
 */
export function toBill(
  call: BilledCall,
  outcome: UsageRecord["outcome"],
  prices: Pick<PriceBook, "price">,
  wallNow: () => number,
): UsageRecord | Promise<UsageRecord> {
  const usage = billableUsage(call);
  if (!(usage instanceof Promise) && call.givenUp.length === 0) {
    return billFor(call, { outcome, usage, written: nothingWritten }, prices, wallNow);
  }
  return countAndBill(call, usage, (counted) => billFor(call, { outcome, ...counted }, prices, wallNow));
}

async function countAndBill(
  call: BilledCall,
  usage: CompletionUsage | Promise<CompletionUsage>,
  bill: (counted: Pick<Counted, "usage" | "written">) => UsageRecord,
): Promise<UsageRecord> {
  return bill({ usage: await usage, written: await countWritten(call) });
}

interface Counted {
  readonly outcome: UsageRecord["outcome"];
  readonly usage: CompletionUsage;
  /** Tokens written by each abandoned attempt. */
  readonly written: readonly number[];
}

function billFor(
  call: BilledCall,
  { outcome, usage, written }: Counted,
  prices: Pick<PriceBook, "price">,
  wallNow: () => number,
): UsageRecord {
  call.usage = usage;
  const atMs = call.budget?.atMs ?? wallNow();
  const use = toTokenUse(usage);
  const priceOf: PriceOf = (target, changes) => prices.price(toPricedTarget(target), { ...use, ...changes }, atMs);
  const goneOn = written.reduce(
    (sum, tokens, index) => sum + (call.givenUp[index]?.isContinued === true ? tokens : 0),
    0,
  );
  const ofAnswer = {
    promptTokens: use.promptTokens + goneOn,
    completionTokens: Math.max(0, use.completionTokens - goneOn),
  };
  const parts = partsOf(call, priceOf, { written, ofAnswer });
  const asked = (call.answeredBy ?? call.askedLast)?.target;
  const { promptTokens, cachedTokens, completionTokens, reasoningTokens } = use;
  const costMicros = parts.reduce((sum, part) => sum + part.costMicros, 0);
  const priceUnknown = parts.some((part) => part.priceUnknown);
  call.cost = { costMicros, priceUnknown, isPresumed: parts.some(({ isPresumed }) => isPresumed) };
  return {
    requestId: call.requestId,
    user: userOf(call.user, call.request) ?? null,
    provider: asked?.provider ?? null,
    model: asked?.model ?? null,
    outcome,
    promptTokens,
    cachedTokens,
    completionTokens,
    reasoningTokens,
    costMicros,
    priceUnknown,
    estimated: call.isUsageEstimated || call.cost.isPresumed,
  };
}

type PriceOf = (target: ReadyTarget, changes?: Partial<TokenUse>) => Price;

interface BillPart extends Price {
  readonly isPresumed: boolean;
}

/** An abandoned attempt has no reported answer, and no cached tokens. */
const withoutAnswer = { cachedTokens: 0, cacheWriteTokens: 0, completionTokens: 0, reasoningTokens: 0 };

const nothingWritten: readonly number[] = [];

/** Tokens that each abandoned attempt wrote. */
async function countWritten({ givenUp, tokens }: BilledCall): Promise<readonly number[]> {
  const count = async (text: string | undefined) =>
    text === undefined || text === "" ? 0 : await tokens.ofTexts([text], { mayEstimate: true });
  return await Promise.all(givenUp.map(async ({ text }) => await count(text)));
}

interface TokenCounts {
  /** Tokens written by each abandoned attempt. */
  readonly written: readonly number[];
  readonly ofAnswer: Pick<TokenUse, "promptTokens" | "completionTokens">;
}

function partsOf(call: BilledCall, priceOf: PriceOf, { written, ofAnswer }: TokenCounts): readonly BillPart[] {
  const parts: BillPart[] = call.givenUp.map(({ target, limit }, index) => {
    return toPresumed(priceOf(target, { ...withoutAnswer, completionTokens: written[index] ?? 0 }), limit);
  });
  const { answeredBy, answerLimit } = call;
  if (answeredBy === undefined) return parts;
  const { costMicros, priceUnknown } = priceOf(answeredBy, ofAnswer);
  const price = { costMicros, priceUnknown, isPresumed: false };
  parts.push(isWhole(call) ? price : toPresumed(price, answerLimit));
  return parts;
}

function toPresumed({ costMicros, priceUnknown }: Price, limit: AttemptLimit | undefined): BillPart {
  return { costMicros: limit?.costMicros ?? costMicros, priceUnknown, isPresumed: true };
}

/** Whether the whole answer is known. A stream that was left or broke off may have cost more than its known part. */
function isWhole({ reply, budget, figure, isStreamWhole }: BilledCall): boolean {
  return reply?.kind !== "stream" || budget === undefined || figure !== undefined || isStreamWhole;
}
