import { describe, expect, test } from "vitest";
import { costInColumn, costText, presumedNote, tokensText } from "./call-sums.ts";

const call = { prompt_tokens: 27, completion_tokens: 16, cost_usd: 0.061_785, details: {} };
const stopped = { ...call, details: { usage_estimated: true, cost_presumed: true } };

describe("sums of a call", () => {
  test("a reported cost is shown as it is", () => {
    expect(costText(call)).toBe("$0.06");
    expect(presumedNote(call)).toBeUndefined();
    expect(tokensText(call)).toBe("27 prompt, 16 completion");
  });

  test("a presumed cost is shown as such with the reason, and counted tokens as estimated", () => {
    expect(costText(stopped)).toBe("$0.06 presumed");
    expect([costInColumn(call), costInColumn(stopped)]).toEqual(["$0.06", "≈ $0.06"]);
    expect(presumedNote(stopped)).toContain("not reported");
    expect(tokensText(stopped)).toBe("27 prompt, 16 completion, estimated");
  });

  test("tokens from a provider's cache are named", () => {
    expect(tokensText({ ...call, details: { cached_tokens: 500 } })).toBe(
      "27 prompt (500 from the provider's cache), 16 completion",
    );
  });

  test("a call without usage has neither", () => {
    const refused = { prompt_tokens: null, completion_tokens: null, cost_usd: null, details: {} };
    expect([costText(refused), tokensText(refused)]).toEqual(["", ""]);
  });
});
