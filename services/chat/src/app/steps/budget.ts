import { andThen } from "@gatehouse/async";
import { userOf } from "@gatehouse/dialects";
import type { GatewayError } from "@gatehouse/errors";
import {
  type Allowances,
  budgetRefused,
  ledgerGraceMs,
  type ReservationRequest,
  type ReserveResult,
  type UserBudget,
} from "@gatehouse/limits";
import type { PriceBook } from "@gatehouse/providers";
import { CallPlan, refuseUnboundedCost, reserveMost, toBill } from "@gatehouse/spending";
import type { Admitted } from "../call.ts";
import { draftContent } from "../draft-content.ts";
import type { Step, Verdict } from "../pipeline.ts";

type Prices = Pick<PriceBook, "price" | "estimate" | "answerTokensMax" | "contextTokens">;

/** Shared by all calls. Amounts in the ledger are millionths of a US dollar (`micros`). */
export interface BudgetStepOptions {
  readonly ledger: Pick<Allowances, "reserve" | "extend" | "settle" | "release">;
  /** Synchronous once the prices are loaded. */
  readonly loadPrices: () => Prices | Promise<Prices>;
  /** Epoch milliseconds. */
  readonly wallNow: () => number;
}

/**
 * Reserves the most that the call can cost of the monthly budgets of the endpoint and of the token's user (422; 429 while calls
 * in progress hold them), and settles the billed cost when the call ends. Calls without a budget are settled as well, for the usage
 * rows.
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
      if (request.budgetMicros !== null || request.userBudget !== undefined) return reserve(call, request, options);
      return andThen(options.ledger.reserve(request), (result) => judge(call, result));
    },
    leave(call, outcome) {
      const { reservation } = call;
      if (reservation === undefined) return undefined;
      const isSpent = call.reply !== undefined || call.givenUp.length > 0;
      if (!isSpent) {
        options.ledger.release(reservation);
        return undefined;
      }
      const bill = andThen(options.loadPrices(), (prices) => toBill(call, outcome.kind, prices, options.wallNow));
      return andThen(bill, (usage) => void options.ledger.settle(reservation, usage));
    },
  };
}

/** Undefined where the token's users have no budget. */
function userBudgetOf({ principal, user, request }: Admitted): UserBudget | undefined {
  const budgetMicros = principal.userLimits?.monthlyBudgetMicros ?? null;
  return budgetMicros === null ? undefined : { user: userOf(user, request), budgetMicros };
}

/** Reserves the most that the call can cost at each of its targets (400 where no budget can bound it). */
async function reserve(call: Admitted, request: ReservationRequest, options: BudgetStepOptions): Promise<Verdict> {
  const sent = draftContent(call);
  const unbounded = refuseUnboundedCost(sent.messages, sent.parameters);
  if (unbounded !== undefined) return unbounded;
  const budgets = [request.budgetMicros, request.userBudget?.budgetMicros ?? null].filter((budget) => budget !== null);
  const plan = new CallPlan({
    parameters: sent.parameters,
    targets: call.compiled.targets.filter((target) => target.kind === "ready"),
    responseTokensMax: call.compiled.endpoint.maxResponseTokens,
    isEmbedding: call.request.operation === "embeddings",
    prices: await options.loadPrices(),
    budgetMicros: Math.min(...budgets),
    atMs: options.wallNow(),
  });
  const planned = { plan, sent, tokens: call.tokens, signal: call.abort.signal };
  const { result, budget } = await reserveMost(planned, {
    reserve: (claim) => options.ledger.reserve({ ...request, ...claim }),
    extend: async (reservation, claim) => await options.ledger.extend(reservation, claim),
  });
  call.budget = budget;
  return judge(call, result);
}

function judge(call: Admitted, result: ReserveResult): GatewayError | undefined {
  if (!result.ok) return budgetRefused(result);
  call.reservation = result.reservation;
  return undefined;
}
