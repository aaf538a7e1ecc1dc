import { expect, test } from "vitest";
import { parseCompletion, parseCompletionChunk } from "./parse-completion.ts";

const message = { role: "assistant", content: "x" };
const head = { id: "c", object: "o", model: "m", created: 1 };

function choices(count: number): object[] {
  return Array.from({ length: count }, (_, index) => ({ index, message, delta: {}, finish_reason: "stop" }));
}

test.each([
  ["a completion", parseCompletion],
  ["a chunk", parseCompletionChunk],
])("%s of up to 1,024 choices is read, complete or filled in, and one with more is refused", (_name, parse) => {
  for (const frame of [head, {}]) {
    expect(parse({ ...frame, choices: choices(1_024) }, 1)?.choices).toHaveLength(1_024);
    expect(parse({ ...frame, choices: choices(1_025) }, 1)).toBeUndefined();
  }
});

test.each([
  ["a completion", parseCompletion],
  ["a chunk", parseCompletionChunk],
])("%s with an implausible figure has no usage, whether or not it is complete", (_name, parse) => {
  const most = 100_000_000;
  for (const frame of [head, {}]) {
    const usageOf = (prompt: number, completion: number) => {
      const usage = { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
      return parse({ ...frame, choices: choices(1), usage }, 1)?.usage;
    };
    expect(usageOf(most, most)).toEqual({ prompt_tokens: most, completion_tokens: most, total_tokens: 2 * most });
    expect(usageOf(most + 1, 1)).toBeUndefined();
    expect(usageOf(1, 2_147_483_648)).toBeUndefined();
  }
});

test.each([Number.POSITIVE_INFINITY, 0.5, "0", null, undefined])("an index %s is that of the place", (index) => {
  const choice = { message, delta: {}, finish_reason: "stop", index };
  for (const parse of [parseCompletion, parseCompletionChunk]) {
    expect(parse({ ...head, choices: [choice] }, 1)?.choices[0]?.index).toBe(0);
  }
});
