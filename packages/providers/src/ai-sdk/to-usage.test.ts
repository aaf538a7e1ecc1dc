import { expect, test } from "vitest";
import { toUsage } from "./to-usage.ts";

function usageOf(prompt: number | undefined, completion: number | undefined) {
  return toUsage({
    inputTokens: { total: prompt, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: completion, text: undefined, reasoning: undefined },
  });
}

test("figures that are missing or implausible are no usage", () => {
  expect(usageOf(7, 5)).toEqual({ prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 });
  for (const figure of [undefined, Number.NaN, -1, 1e15]) {
    expect(usageOf(figure, 5)).toBeUndefined();
    expect(usageOf(7, figure)).toBeUndefined();
  }
});
