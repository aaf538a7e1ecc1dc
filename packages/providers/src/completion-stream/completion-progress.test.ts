import { describe, expect, it } from "vitest";
import type { CompletionDelta } from "../forms/completion.ts";
import { CompletionProgress } from "./completion-progress.ts";

function progressAfter(...choices: readonly (readonly [index: number, delta: CompletionDelta, finish?: string])[]) {
  const progress = new CompletionProgress();
  for (const [index, delta, finish] of choices) {
    const choice = { index, delta, finish_reason: finish ?? null };
    progress.see({ id: "", model: "", created: 0, choices: [choice] });
  }
  return progress;
}

describe("CompletionProgress", () => {
  it("has no output after a role or empty fields", () => {
    const { begun } = progressAfter([0, { role: "assistant", content: "" }], [0, { content: null, tool_calls: [] }]);
    expect(begun).toBe(false);
  });

  it("has no output after more of a tool call that adds nothing", () => {
    const more = { tool_calls: [{ index: 0, function: { arguments: "" } }] };
    expect(progressAfter([0, more]).begun).toBe(false);
    const begin = { tool_calls: [{ index: 0, id: "c", function: { name: "f", arguments: "" } }] };
    expect(progressAfter([0, begin]).begun).toBe(true);
  });

  it.each([{ content: "x" }, { reasoning_content: "x" }, { refusal: "x" }, { tool_calls: [{}] }, { audio: {} }])(
    "has output after %j",
    (delta) => {
      expect(progressAfter([0, delta]).begun).toBe(true);
    },
  );

  it("has output after a finish", () => {
    expect(progressAfter([0, {}, "stop"]).begun).toBe(true);
  });

  it("has news after each output and finish, once, and none after empty deltas", () => {
    const progress = new CompletionProgress();
    const isNews = (delta: CompletionDelta, finish: string | null = null) => {
      progress.see({ id: "", model: "", created: 0, choices: [{ index: 0, delta, finish_reason: finish }] });
      return progress.takeNews();
    };
    expect([isNews({ role: "assistant" }), isNews({ content: "a" }), isNews({}), isNews({ content: "" })]).toEqual([
      false,
      true,
      false,
      false,
    ]);
    expect([isNews({ reasoning_content: "b" }), isNews({}, "stop"), isNews({ content: "c" })]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it("has finished when every choice seen has finished", () => {
    expect(progressAfter().finished).toBe(false);
    expect(progressAfter([0, { content: "a" }], [1, { content: "b" }], [0, {}, "stop"]).finished).toBe(false);
    expect(progressAfter([0, { content: "a" }], [1, {}, "stop"], [0, {}, "stop"]).finished).toBe(true);
  });

  it("is not reopened by output after a finish", () => {
    expect(progressAfter([0, {}, "stop"], [0, { content: "" }]).finished).toBe(true);
  });

  it("is complete when as many choices have finished as were requested", () => {
    const progress = new CompletionProgress(2);
    const finish = (index: number) => {
      progress.see({ id: "", model: "", created: 0, choices: [{ index, delta: {}, finish_reason: "stop" }] });
    };
    finish(0);
    expect([progress.finished, progress.complete]).toEqual([true, false]);
    finish(1);
    expect(progress.complete).toBe(true);
  });
});
