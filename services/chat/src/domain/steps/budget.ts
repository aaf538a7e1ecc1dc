import {
  budgetExhausted,
  type Reservation,
  type ReservationRequest,
  type ReserveResult,
  type UsageRecord,
} from "../allowances/index.ts";
import { type Call, type Outcome, required } from "../call.ts";
import { textOf } from "../chat-reply.ts";
import { draftPrompt } from "../draft-prompt.ts";
import { mergeParameters } from "../model-parameters.ts";
import type { Step, Verdict } from "../pipeline.ts";
import { type PriceBook, toPricedTarget, toTokenUse } from "../pricing/index.ts";
import { resolveUsage } from "../usage.ts";

export interface BudgetStepOptions {
  readonly reserve: (request: ReservationRequest) => ReserveResult | Promise<ReserveResult>;
  readonly settle: (reservation: Reservation, usage: UsageRecord) => boolean;
  readonly release: (reservation: Reservation) => boolean;
  readonly loadPrices: () => Promise<Pick<PriceBook, "price" | "estimate">>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Tokens of an answer that a reservation reckons with, where the endpoint sets no maximum. */
const answerTokensDefault = 1_024;
/** Bytes of text that a reservation takes for one token. */
const bytesPerToken = 3;

/**
 * The endpoint's monthly budget is not spent (422): an estimate is reserved here, and what the call has used is settled
 * when it ends, whatever way it ends. Calls of endpoints without a budget are settled all the same, for the usage rows.
 */
export function createBudgetStep(options: BudgetStepOptions): Step {
  return {
    name: "budget",
    enter(call) {
      const { endpoint } = required(call.compiled, "the endpoint");
      const request: ReservationRequest = {
        endpointUuid: endpoint.uuid,
        projectUuid: endpoint.projectUuid,
        tokenId: call.principal.tokenId,
        budgetMicros: endpoint.monthlyBudgetMicros,
        estimateMicros: 0,
      };
      if (request.budgetMicros !== null) return reserveEstimate(call, request, options);
      const result = options.reserve(request);
      return result instanceof Promise ? result.then((late) => judge(call, late)) : judge(call, result);
    },
    async leave(call, outcome) {
      const { reservation } = call;
      if (reservation === undefined) return;
      if (hasUsedTokens(call, outcome)) options.settle(reservation, await toUsageRecord(call, outcome, options));
      else options.release(reservation);
    },
  };
}

/**
 * Reserves what the call is expected to cost. A budget that is not spent yet admits a call that may cost more than what is
 * left: the call then reserves all of that, so that no other is admitted beside it.
 */
async function reserveEstimate(call: Call, request: ReservationRequest, options: BudgetStepOptions): Promise<Verdict> {
  const estimateMicros = await estimateCost(call, options);
  const result = await options.reserve({ ...request, estimateMicros });
  if (result.ok) return judge(call, result);
  const leftMicros = result.budgetMicros - result.spentMicros;
  if (leftMicros <= 0 || estimateMicros <= leftMicros) return judge(call, result);
  return judge(call, await options.reserve({ ...request, estimateMicros: leftMicros }));
}

function judge(call: Call, result: ReserveResult): Verdict {
  if (!result.ok) return budgetExhausted(result);
  call.reservation = result.reservation;
  return undefined;
}

/** The dearest of the targets, for a prompt and an answer of the expected size. */
async function estimateCost(call: Call, { loadPrices, now }: BudgetStepOptions): Promise<number> {
  const prices = await loadPrices();
  const { targets } = required(call.compiled, "the endpoint");
  const bytes = draftPrompt(call).reduce((sum, { content }) => sum + Buffer.byteLength(textOf(content)), 0);
  const promptTokens = Math.ceil(bytes / bytesPerToken);
  const completionTokens = answerTokens(call);
  const costs = targets.map((target) => {
    if (target.kind !== "ready") return 0;
    return prices.estimate(toPricedTarget(target), { promptTokens, completionTokens }, now()).costMicros;
  });
  return Math.max(0, ...costs);
}

/** Of all the choices that are asked for; embeddings have no answer of tokens. */
function answerTokens({ request, compiled }: Call): number {
  const { operation, parameters: own } = required(request, "the request");
  if (operation === "embeddings") return 0;
  const parameters = mergeParameters(required(compiled, "the endpoint").endpoint.parameters, own);
  const tokensMax = countOf(parameters["max_completion_tokens"]) ?? countOf(parameters["max_tokens"]);
  return (tokensMax ?? answerTokensDefault) * (countOf(parameters["n"]) ?? 1);
}

function countOf(value: unknown): number | undefined {
  return typeof value === "number" && value > 0 ? Math.ceil(value) : undefined;
}

/** A call that no provider has begun to answer has used nothing; one that its caller gave up may have. */
function hasUsedTokens({ reply, attempts }: Call, outcome: Outcome): boolean {
  return reply !== undefined || (outcome.kind === "abandoned" && attempts > 0);
}

async function toUsageRecord(
  call: Call,
  outcome: Outcome,
  { loadPrices, now }: BudgetStepOptions,
): Promise<UsageRecord> {
  const prices = await loadPrices();
  const use = toTokenUse(await resolveUsage(call));
  const { promptTokens, cachedTokens, completionTokens, reasoningTokens } = use;
  const asked = call.answeredBy ?? call.askedLast;
  const cost =
    asked === undefined ? { costMicros: 0, priceUnknown: true } : prices.price(toPricedTarget(asked), use, now());
  call.cost = cost;
  return {
    requestId: call.requestId,
    provider: asked?.target.provider ?? null,
    model: asked?.target.model ?? null,
    outcome: outcome.kind,
    promptTokens,
    cachedTokens,
    completionTokens,
    reasoningTokens,
    ...cost,
    estimated: call.isUsageEstimated,
  };
}
