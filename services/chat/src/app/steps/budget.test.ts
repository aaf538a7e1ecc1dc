import { LightAbort } from "@gatehouse/async";
import type { BudgetClaim, ReservationRequest, ReserveResult, UsageRecord } from "@gatehouse/limits";
import { TokenCounter } from "@gatehouse/tokens";
import { expect, test } from "vitest";
import type { Admitted, Outcome } from "../call.ts";
import { createBudgetStep } from "./budget.ts";

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const target = { provider: "p", model: "m" };
const address = { provider: "p", kind: "openai" as const, baseUrl: undefined, apiKey: undefined, model: "m" };

const budget = 100_000;

function callOf(changes: Partial<Admitted> = {}): Admitted {
  return {
    requestId: "r",
    principal: { tokenId: 7, project: {} },
    request: { messages: [{ role: "user", content: "hello" }], variables: {}, asSent: {} },
    compiled: {
      endpoint: {
        uuid: "e",
        projectUuid: "p",
        monthlyBudgetMicros: budget,
        maxResponseTokens: null,
        parameters: null,
        outputSchema: null,
      },
      targets: [{ kind: "ready", target, address }],
    },
    history: [],
    messages: [],
    attempts: 0,
    givenUp: [],
    abort: new LightAbort(),
    tokens: new TokenCounter(
      async (texts) => await Promise.resolve(texts.map(({ length }) => Math.ceil(length / 4))),
      "p",
    ),
    ...changes,
  } as unknown as Admitted;
}

/** A ledger with `left` of the budget that records its questions. A token costs one micro-dollar. */
function ledger(left: number) {
  const log: { requests: ReservationRequest[]; extensions: BudgetClaim[]; settled: UsageRecord[]; released: number } = {
    requests: [],
    extensions: [],
    settled: [],
    released: 0,
  };
  const refused = { ok: false, spentMicros: budget - left, reservedMicros: 0, budgetMicros: budget } as const;
  let held = 0;
  const step = createBudgetStep({
    ledger: {
      reserve(request): ReserveResult {
        log.requests.push(request);
        const { estimateMicros, leastMicros = estimateMicros } = request;
        if (leastMicros > left) return { ...refused, reason: "spent" };
        held = Math.min(left, estimateMicros);
        return { ok: true, heldMicros: held, reservation: { id: "x", request, month: "2026-11" } };
      },
      async extend(_reservation, claim) {
        log.extensions.push(claim);
        const heldMicros = Math.min(left - held, claim.estimateMicros);
        held += heldMicros;
        return heldMicros < (claim.leastMicros ?? 0) ? { ...refused, reason: "spent" } : { ok: true, heldMicros };
      },
      settle: (_reservation, record) => log.settled.push(record) > 0,
      release: () => ++log.released > 0,
    },
    loadPrices: async () => ({
      price: (_target, { promptTokens, completionTokens }) => ({
        costMicros: promptTokens + completionTokens,
        priceUnknown: false,
      }),
      estimate: (_target, { promptTokens, completionTokens }) => ({
        costMicros: promptTokens + completionTokens,
        priceUnknown: false,
      }),
      answerTokensMax: () => undefined,
      contextTokens: () => undefined,
    }),
    wallNow: () => 0,
  });
  return { log, step };
}

/** Tokens of "hello" with its surrounding protocol, and the frame of a message. */
const promptTokens = 26 + 7;
const sent = { messages: [{ role: "user", content: "hello" }], parameters: {} };

test("the most that a call can cost is reserved: its prompt by its bytes, and as long an answer as any model gives", async () => {
  const { log, step } = ledger(budget);
  expect(await step.enter(callOf())).toBeUndefined();
  expect(log.requests).toMatchObject([
    {
      estimateMicros: promptTokens + 4_096,
      sharedMicros: promptTokens + 1_024,
      leastMicros: promptTokens + 1,
    },
  ]);
});

test.each([
  [{ max_tokens: 100 }, 100],
  [{ max_completion_tokens: 50, max_tokens: 100 }, 50],
  [{ max_tokens: 100, n: 3 }, 300],
  [{ max_tokens: 100, n: 2, best_of: 5 }, 500],
  [{ max_tokens: -1 }, 4_096],
])("the caller's limit counts, for every answer that is asked for: %j", async (parameters, tokens) => {
  const { log, step } = ledger(budget);
  const request = { ...callOf().request, parameters } as unknown as Admitted["request"];
  await step.enter(callOf({ request }));
  const reserved = log.requests[0]?.estimateMicros ?? 0;
  expect(reserved - tokens).toBeGreaterThanOrEqual(promptTokens);
  expect(reserved - tokens).toBeLessThan(promptTokens + 60);
});

test("a call that may cost more than the rest of the budget is limited to the rest", async () => {
  const { step } = ledger(300);
  const call = callOf();
  expect(await step.enter(call)).toBeUndefined();
  const limit = await call.budget?.limitAttempt(answeredBy, sent);
  expect(limit).toEqual({ tokensMax: 300 - promptTokens, costMicros: 300 });
});

test("a prompt is counted if its bytes alone would cost too much", async () => {
  const { log, step } = ledger(10);
  const call = callOf();
  expect(await step.enter(call)).toBeUndefined();
  expect(log.requests).toHaveLength(2);
  // Seven tokens of frames, and two of the text.
  expect(await call.budget?.limitAttempt(answeredBy, sent)).toEqual({ tokensMax: 1, costMicros: 10 });
});

test("a spent budget refuses with the specified message", async () => {
  const { step } = ledger(-20);
  expect(await step.enter(callOf())).toMatchObject({
    code: "budget_exhausted",
    message: "Endpoint monthly budget exhausted: ~$0.10002 spent, budget $0.10. Resets at the start of next month.",
  });
});

test.each([
  ["prediction", { prediction: { type: "content", content: "x" } }],
  ["modalities", { modalities: ["text", "audio"] }],
  ["web_search_options", { web_search_options: {} }],
  ["service_tier", { service_tier: "priority" }],
  ["tools", { tools: [{ type: "web_search" }] }],
  ["best_of", { best_of: "20" }],
])("%s has a price that tokens do not bound, and is refused", async (name, parameters) => {
  const { log, step } = ledger(budget);
  const request = { ...callOf().request, parameters } as unknown as Admitted["request"];
  expect(await step.enter(callOf({ request }))).toMatchObject({
    code: "malformed_body",
    message: expect.stringContaining(`'${name}'`) as string,
  });
  expect(log.requests).toEqual([]);
});

const completion = { id: "i", model: "m", created: 1, choices: [], usage };
const answeredBy = { kind: "ready" as const, target, address };
const limit = { tokensMax: 100, costMicros: 132 };

test("an abandoned attempt is charged, and the next one reserves more", async () => {
  const { log, step } = ledger(6_000);
  const call = callOf();
  await step.enter(call);
  const first = await call.budget?.limitAttempt(answeredBy, sent);
  expect(first).toEqual({ tokensMax: 4_096, costMicros: promptTokens + 4_096 });
  call.budget?.charge(first as typeof limit);
  const left = 6_000 - promptTokens - 4_096;
  expect(await call.budget?.limitAttempt(answeredBy, sent)).toEqual({
    tokensMax: left - promptTokens,
    costMicros: left,
  });
  call.budget?.charge({ tokensMax: 0, costMicros: left });
  expect(await call.budget?.limitAttempt(answeredBy, sent)).toMatchObject({ code: "budget_exhausted" });
  expect(log.extensions).toHaveLength(2);
});

test.each<[string, Partial<Admitted>, Outcome, number | "released"]>([
  ["an answered call", { reply: { kind: "complete", completion }, answeredBy }, { kind: "answered" }, 15],
  [
    "a call whose answer was refused",
    { reply: { kind: "complete", completion }, answeredBy },
    { kind: "failed", error: {} as never },
    15,
  ],
  [
    "a call left while the provider worked",
    { askedLast: answeredBy, givenUp: [{ target: answeredBy, limit }] },
    { kind: "abandoned" },
    132,
  ],
  [
    "an answer after an attempt that was given up",
    { reply: { kind: "complete", completion }, answeredBy, givenUp: [{ target: answeredBy, limit }] },
    { kind: "answered" },
    132 + 15,
  ],
  [
    "a stream that was left before its figure came",
    { reply: { kind: "stream", stream: {} as never }, answeredBy, answer: "he", usage, answerLimit: limit },
    { kind: "abandoned" },
    132,
  ],
  [
    "a stream that was left after its figure came",
    {
      reply: { kind: "stream", stream: {} as never },
      answeredBy,
      answer: "he",
      usage,
      answerLimit: limit,
      figure: usage,
    },
    { kind: "abandoned" },
    15,
  ],
  ["a call without a provider's answer", { askedLast: answeredBy }, { kind: "failed", error: {} as never }, "released"],
])("$0 is billed once", async (...[, changes, outcome, bill]) => {
  const { log, step } = ledger(budget);
  const call = callOf();
  await step.enter(call);
  Object.assign(call, changes);
  await step.leave?.(call, outcome);
  expect([log.settled.map(({ costMicros }) => costMicros), log.released]).toEqual(
    bill === "released" ? [[], 1] : [[bill], 0],
  );
});

test("the settled cost is the usage that the provider reported, at its price", async () => {
  const { log, step } = ledger(budget);
  const call = callOf({ reply: { kind: "complete", completion }, answeredBy });
  await step.enter(call);
  await step.leave?.(call, { kind: "answered" });
  expect(log.settled).toEqual([
    {
      requestId: "r",
      user: null,
      provider: "p",
      model: "m",
      outcome: "answered",
      promptTokens: 10,
      cachedTokens: 0,
      completionTokens: 5,
      reasoningTokens: 0,
      costMicros: 15,
      priceUnknown: false,
      estimated: false,
    },
  ]);
});

const said = { index: 0, message: { role: "assistant", content: "word ".repeat(100) }, finish_reason: "stop" };

test.each([
  ["nothing", { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }],
  ["less than the text that it sent", { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 }],
  ["negative numbers", { prompt_tokens: -1, completion_tokens: -1_000_000, total_tokens: -1 }],
  ["no numbers", { prompt_tokens: Number.NaN, completion_tokens: Number.NaN, total_tokens: Number.NaN }],
])("a figure of %s does not lower the bill below what is counted here", async (_name, figure) => {
  const { log, step } = ledger(budget);
  const messages = [{ role: "user", content: "hello" }];
  const reply = { kind: "complete", completion: { ...completion, choices: [said], usage: figure } } as const;
  const call = callOf({ reply, answeredBy, messages });
  await step.enter(call);
  await step.leave?.(call, { kind: "answered" });
  expect(log.settled[0]?.completionTokens).toBe(125);
  expect(log.settled[0]?.promptTokens).toBeGreaterThanOrEqual(8);
});
