import { expect, test } from "vitest";
import type { ReservationRequest, ReserveResult, UsageRecord } from "../allowances/index.ts";
import type { Call, Outcome } from "../call.ts";
import { TokenCounter } from "../token-counter.ts";
import { createBudgetStep } from "./budget.ts";

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const target = { provider: "p", model: "m" };
const address = { provider: "p", kind: "openai" as const, baseUrl: undefined, apiKey: undefined, model: "m" };

function callOf(changes: Partial<Call> = {}): Call {
  return {
    requestId: "r",
    principal: { tokenId: 7 },
    request: { messages: [{ role: "user", content: "hello" }], variables: {} },
    compiled: {
      endpoint: { uuid: "e", projectUuid: "p", monthlyBudgetMicros: 1_000, parameters: null },
      targets: [{ kind: "ready", target, address }],
    },
    history: [],
    messages: [],
    attempts: 0,
    tokens: new TokenCounter(async (texts) => await Promise.resolve(texts.map(({ length }) => length)), "p"),
    ...changes,
  } as unknown as Call;
}

/** A ledger that has `left` of a budget of 1,000, and writes down what is asked of it. */
function ledger(left: number) {
  const log: { requests: ReservationRequest[]; settled: UsageRecord[]; released: number } = {
    requests: [],
    settled: [],
    released: 0,
  };
  const step = createBudgetStep({
    reserve(request): ReserveResult {
      log.requests.push(request);
      if (request.estimateMicros > left) return { ok: false, spentMicros: 1_000 - left, budgetMicros: 1_000 };
      return { ok: true, reservation: { id: "x", request, month: "2026-11" } };
    },
    settle: (_reservation, record) => log.settled.push(record) > 0,
    release: () => ++log.released > 0,
    loadPrices: async () => ({
      price: (_target, { completionTokens }) => ({ costMicros: completionTokens, priceUnknown: false }),
      estimate: (_target, { completionTokens }) => ({ costMicros: completionTokens, priceUnknown: false }),
    }),
    now: () => 0,
  });
  return { log, step };
}

test("a call that may cost more than what is left reserves all of that and is admitted", async () => {
  const { log, step } = ledger(300);
  expect(await step.enter(callOf())).toBeUndefined();
  expect(log.requests.map(({ estimateMicros }) => estimateMicros)).toEqual([1_024, 300]);
});

test("a spent budget refuses with the specified message", async () => {
  const { step } = ledger(-20);
  expect(await step.enter(callOf())).toMatchObject({
    code: "budget_exhausted",
    message: "Endpoint monthly budget exhausted: ~$0.00102 spent, budget $0.001. Resets at the start of next month.",
  });
});

const completion = { id: "i", model: "m", created: 1, choices: [], usage };
const answeredBy = { kind: "ready" as const, target, address };

test.each<[string, Partial<Call>, Outcome, "settled" | "released"]>([
  [
    "an answered call",
    { attempts: 1, reply: { kind: "complete", completion }, answeredBy },
    { kind: "answered" },
    "settled",
  ],
  [
    "a call whose answer was refused",
    { attempts: 1, reply: { kind: "complete", completion }, answeredBy },
    { kind: "failed", error: {} as never },
    "settled",
  ],
  ["a call left while the provider worked", { attempts: 1, askedLast: answeredBy }, { kind: "abandoned" }, "settled"],
  [
    "a call that no provider answered",
    { attempts: 2, askedLast: answeredBy },
    { kind: "failed", error: {} as never },
    "released",
  ],
  ["a call refused by a later step", {}, { kind: "failed", error: {} as never }, "released"],
])("$0 is $3 once", async (...[, changes, outcome, end]) => {
  const { log, step } = ledger(5_000);
  const call = callOf(changes);
  await step.enter(call);
  await step.leave?.(call, outcome);
  expect([log.settled.length, log.released]).toEqual(end === "settled" ? [1, 0] : [0, 1]);
});

test("what is settled is what the provider reported, at its price", async () => {
  const { log, step } = ledger(5_000);
  const call = callOf({ attempts: 1, reply: { kind: "complete", completion }, answeredBy });
  await step.enter(call);
  await step.leave?.(call, { kind: "answered" });
  expect(log.settled).toEqual([
    {
      requestId: "r",
      provider: "p",
      model: "m",
      outcome: "answered",
      promptTokens: 10,
      cachedTokens: 0,
      completionTokens: 5,
      reasoningTokens: 0,
      costMicros: 5,
      priceUnknown: false,
      estimated: false,
    },
  ]);
});
