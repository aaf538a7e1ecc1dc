import type { GatewayError } from "@gatehouse/errors";
import {
  type BudgetClaim,
  budgetRefused,
  type ExtendResult,
  ledgerGraceMs,
  type Reservation,
  type ReservationRequest,
  type ReserveResult,
  type UsageRecord,
  type UserBudget,
} from "@gatehouse/limits";
import type { Admitted } from "../call.ts";
import { draftPrompt } from "../../domain/draft-prompt.ts";
import { outgoingParameters } from "../../domain/outgoing-parameters.ts";
import type { Step, Verdict } from "../pipeline.ts";
import type { PriceBook } from "@gatehouse/providers";
import { CallBudget, CallPlan, refuseUnboundedCost } from "@gatehouse/spending";
import { countSentTokens, type SentContent, sentTokensMax } from "@gatehouse/content";
import { userOf } from "@gatehouse/dialects";
import { toBill } from "../to-bill.ts";

export interface BudgetStepOptions {
  readonly reserve: (request: ReservationRequest) => ReserveResult | Promise<ReserveResult>;
  readonly extend: (reservation: Reservation, claim: BudgetClaim) => Promise<ExtendResult>;
  readonly settle: (reservation: Reservation, usage: UsageRecord) => boolean;
  readonly release: (reservation: Reservation) => boolean;
  readonly loadPrices: () => Promise<Pick<PriceBook, "price" | "estimate" | "answerTokensMax" | "contextTokens">>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Largest prompt, by its bytes, that is counted where its bytes would cost more than what is left. */
const countedTokensMax = 256 * 1024;

/**
 * The monthly budgets of the endpoint and of the token's user pay for the call (422, or 429 while calls in progress hold them): the most that the call can
 * cost is reserved here, and what it is billed is settled when it ends, whatever way it ends. Calls of endpoints without a
 * budget are settled all the same, for the usage rows.
 */
export function createBudgetStep(options: BudgetStepOptions): Step<Admitted> {
  return {
    name: "budget",
    enter(call) {
      const { endpoint } = call.compiled;
      const request: ReservationRequest = {
        endpointUuid: endpoint.uuid,
        projectUuid: endpoint.projectUuid,
        tokenId: call.principal.tokenId,
        budgetMicros: endpoint.monthlyBudgetMicros,
        estimateMicros: 0,
        userBudget: userBudgetOf(call),
        ledgerGraceMs: ledgerGraceMs(call.principal),
      };
      if (request.budgetMicros !== null || request.userBudget !== undefined) return reserveMost(call, request, options);
      const result = options.reserve(request);
      return result instanceof Promise ? result.then((late) => judge(call, late)) : judge(call, result);
    },
    async leave(call, outcome) {
      const { reservation } = call;
      if (reservation === undefined) return;
      const isSpent = call.reply !== undefined || call.givenUp.length > 0;
      if (!isSpent) options.release(reservation);
      else
        options.settle(
          reservation,
          await toBill(call, outcome, { prices: await options.loadPrices(), now: options.now }),
        );
    },
  };
}

/** Undefined where the token's users have no budget. */
function userBudgetOf({ principal, user, request }: Admitted): UserBudget | undefined {
  const budgetMicros = principal.userLimits?.monthlyBudgetMicros ?? null;
  return budgetMicros === null ? undefined : { user: userOf(user, request), budgetMicros };
}

/** How the tokens of a prompt are found. */
type PromptTokensOf = (sent: SentContent) => number | Promise<number>;

/**
 * Reserves the most that the call can cost, its prompt taken by its bytes. Where what is left does not pay for that, the prompt
 * is counted, so that the last part of a budget can be used.
 */
async function reserveMost(call: Admitted, request: ReservationRequest, options: BudgetStepOptions): Promise<Verdict> {
  const sent: SentContent = { messages: draftPrompt(call, call.history), parameters: outgoingParameters(call) };
  const unbounded = refuseUnboundedCost(sent.messages, sent.parameters);
  if (unbounded !== undefined) return unbounded;
  const plan = await createPlan(call, { sent, request }, options);
  const reserve = async (promptTokensOf: PromptTokensOf) => {
    const result = await options.reserve({ ...request, ...plan.claim(await promptTokensOf(sent)) });
    if (result.ok) call.budget = toCallBudget(result, { plan, promptTokensOf, options });
    return result;
  };
  const byBytes = await reserve(sentTokensMax);
  const mayCount = !byBytes.ok && byBytes.reason === "spent" && byBytes.spentMicros < byBytes.budgetMicros;
  if (!mayCount || (await sentTokensMax(sent)) > countedTokensMax) return judge(call, byBytes);
  return judge(
    call,
    await reserve(async (content) => await countSentTokens(content, call.tokens, { signal: call.abort.signal })),
  );
}

interface PlannedCall {
  readonly sent: SentContent;
  readonly request: ReservationRequest;
}

async function createPlan(
  call: Admitted,
  { sent, request }: PlannedCall,
  options: BudgetStepOptions,
): Promise<CallPlan> {
  const { targets } = call.compiled;
  const budgets = [request.budgetMicros, request.userBudget?.budgetMicros ?? null].filter((budget) => budget !== null);
  return new CallPlan({
    parameters: sent.parameters,
    targets: targets.filter((target) => target.kind === "ready"),
    isEmbedding: call.request?.operation === "embeddings",
    prices: await options.loadPrices(),
    budgetMicros: Math.min(...budgets),
    atMs: options.now(),
  });
}

interface BudgetParts {
  readonly plan: CallPlan;
  readonly promptTokensOf: PromptTokensOf;
  readonly options: BudgetStepOptions;
}

function toCallBudget(
  { reservation, heldMicros }: Extract<ReserveResult, { ok: true }>,
  { plan, promptTokensOf, options }: BudgetParts,
): CallBudget {
  const extend = async (claim: BudgetClaim) => await options.extend(reservation, claim);
  return new CallBudget({ plan, heldMicros, promptTokensOf, extend });
}

function judge(call: Admitted, result: ReserveResult): GatewayError | undefined {
  if (!result.ok) return budgetRefused(result);
  call.reservation = result.reservation;
  return undefined;
}
