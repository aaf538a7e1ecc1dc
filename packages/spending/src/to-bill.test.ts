import { GeneratedText } from "@gatehouse/dialects";
import { TokenCounter } from "@gatehouse/tokens";
import { expect, test } from "vitest";
import type { BilledCall } from "./billed-call.ts";
import { toBill } from "./to-bill.ts";

const countTexts = async (texts: readonly string[]) => await Promise.resolve(texts.map(({ length }) => length));

function targetOf(model: string) {
  const address = { provider: "p", kind: "openai" as const, baseUrl: undefined, apiKey: undefined, model };
  return { kind: "ready" as const, target: { provider: "p", model }, address };
}

/** Members of each call with a stream. */
const streamed = {
  request: { messages: [], variables: {}, asSent: {} },
  compiled: { endpoint: { parameters: null, outputSchema: null } },
  messages: [],
  tokens: new TokenCounter(countTexts, "p"),
  reply: { kind: "stream" },
};

/** A token of an answer costs 1 at the first target and 1,000 at the second, and one of a prompt 1,000,000. */
const prices = {
  price: ({ model }: { readonly model: string }, use: { promptTokens: number; completionTokens: number }) => ({
    costMicros: model === "a" ? use.completionTokens : use.completionTokens * 1_000 + use.promptTokens * 1_000_000,
    priceUnknown: false,
  }),
};

test("a call with reported usage is billed synchronously", () => {
  const usage = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 };
  const call = {
    request: { messages: [], variables: {}, asSent: {} },
    messages: [],
    reply: { kind: "complete", completion: { id: "i", model: "a", created: 1, choices: [], usage } },
    givenUp: [],
    answeredBy: targetOf("a"),
  } as unknown as BilledCall;
  expect(toBill(call, "answered", prices, () => 0)).toMatchObject({ costMicros: 5, promptTokens: 7 });
  expect(call.usage).toBe(usage);
});

test("each part of a continued answer is billed to its target, with the first part as input of the second", async () => {
  const call = {
    ...streamed,
    usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 },
    isUsageEstimated: true,
    answer: "abcde",
    answerBeside: "",
    givenUp: [{ target: targetOf("a"), limit: undefined, text: "abc", isContinued: true }],
    answeredBy: targetOf("b"),
  } as unknown as BilledCall;
  const bill = await toBill(call, "answered", prices, () => 0);
  expect(bill).toMatchObject({ costMicros: 3 + 2 * 1_000 + (7 + 3) * 1_000_000, promptTokens: 7, completionTokens: 5 });
});

test("an abandoned attempt without a limit is billed its text, which the answer of the next has not received", async () => {
  const call = {
    ...streamed,
    usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 },
    answer: "abcde",
    answerBeside: "",
    givenUp: [{ target: targetOf("a"), limit: undefined, text: "abc" }],
    answeredBy: targetOf("b"),
  } as unknown as BilledCall;
  const bill = await toBill(call, "answered", prices, () => 0);
  expect(bill).toMatchObject({ costMicros: 3 + 5 * 1_000 + 7 * 1_000_000, promptTokens: 7, completionTokens: 5 });
});

test("a refused stream is billed by the usage that it has brought, or by its text", async () => {
  const received = new GeneratedText();
  received.add({
    id: "c",
    model: "a",
    created: 1,
    choices: [{ index: 0, delta: { content: "abc" }, finish_reason: null }],
  });
  const call = {
    ...streamed,
    received,
    givenUp: [],
    answeredBy: targetOf("a"),
  } as unknown as BilledCall;
  for (const shown of [undefined, "a", "[M]"]) {
    const bill = await toBill({ ...call, answer: shown, answerBeside: "" }, "failed", prices, () => 0);
    expect(bill).toMatchObject({ costMicros: 3, estimated: true });
  }
  const usage = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 };
  received.add({ id: "c", model: "a", created: 1, choices: [], usage });
  expect(toBill(call, "failed", prices, () => 0)).toMatchObject({ costMicros: 5, promptTokens: 7 });
});
