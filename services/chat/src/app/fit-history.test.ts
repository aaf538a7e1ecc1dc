import type { ChatMessage } from "@gatehouse/providers";
import { TokenCounter } from "@gatehouse/tokens";
import { expect, test } from "vitest";
import type { Admitted } from "./call.ts";
import { createFitHistory } from "./fit-history.ts";

const contextTokens = 10_000;
const fit = createFitHistory(() => ({ contextTokens: () => contextTokens }));

interface Given {
  readonly prompt?: string;
  readonly message?: string;
  readonly parameters?: object;
  readonly maxResponseTokens?: number;
}

/** A call of a model with {@link contextTokens}, under a tokenizer that makes a token of four characters. */
function callOf({ prompt, message = "Hi", parameters = {}, maxResponseTokens }: Given): Admitted {
  const count = async (texts: readonly string[]) =>
    await Promise.resolve(texts.map(({ length }) => Math.ceil(length / 4)));
  return {
    request: { messages: [{ role: "user", content: message }], variables: {} },
    history: [],
    abort: { signal: new AbortController().signal },
    tokens: new TokenCounter(count, "p"),
    compiled: {
      endpoint: {
        systemPrompt: prompt ?? null,
        parameters,
        outputSchema: null,
        maxResponseTokens: maxResponseTokens ?? null,
      },
      renderPrompt: prompt === undefined ? undefined : () => ({ ok: true, text: prompt }),
      targets: [
        { kind: "ready", target: { provider: "a", model: "m" }, address: { provider: "a", kind: "mock", model: "m" } },
      ],
    },
  } as unknown as Admitted;
}

/** Turns of about 500 tokens, 2,000 characters, each; 20 of them have all of the context. */
const history = Array.from({ length: 20 }, (_, index): readonly ChatMessage[] => [
  { role: "user", content: `question ${index} `.padEnd(1_000, "x") },
  { role: "assistant", content: "y".repeat(1_000) },
]).flat();

const turnsKept = async (given: Given) => (await fit(callOf(given), history)).length / 2;

test("the history gets the context that the answer and a short request leave", async () => {
  expect(await turnsKept({})).toBe(11);
});

test("the endpoint's prompt takes its tokens from the history", async () => {
  expect(await turnsKept({ prompt: "p".repeat(16_000) })).toBe(3);
});

test("a long request takes its tokens from the history, not its bytes", async () => {
  expect(await turnsKept({ message: "m".repeat(8_000) })).toBe(7);
});

test.each<[string, Given]>([
  ["that the endpoint's parameters set", { parameters: { max_tokens: 8_000 } }],
  ["of the endpoint's cap, which is sent to the provider", { maxResponseTokens: 8_000 }],
])("a longer answer %s takes its tokens from the history", async (_by, given) => {
  expect(await turnsKept(given)).toBe(3);
});

test("nothing is kept where the request alone has the context", async () => {
  expect(await turnsKept({ prompt: "p".repeat(40_000) })).toBe(0);
});

test("a history that fits by its bytes is not counted", async () => {
  const call = callOf({});
  const never = async () => await Promise.reject(new Error("counted without need"));
  const short = history.slice(-4);
  expect(await fit({ ...call, tokens: new TokenCounter(never, "p") }, short)).toEqual(short);
});
