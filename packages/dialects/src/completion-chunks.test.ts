import type { Completion } from "@gatehouse/providers";
import { expect, test } from "vitest";
import { toChunks } from "./completion-chunks.ts";

const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
const head = { id: "c", model: "m", created: 7, system_fingerprint: "f" };

function completionOf(...choices: Completion["choices"]): Completion {
  return { ...head, object: "chat.completion", prompt_filter_results: [1], choices, usage };
}

const text = (index: number, content: string) => ({
  index,
  message: { role: "assistant", content, refusal: null },
  finish_reason: "stop",
});

test("an answer becomes chunks of role, text, finish and usage", () => {
  const [opening, content, finish, last, ...rest] = toChunks(completionOf(text(0, "Hello.")));
  expect(opening).toEqual({
    ...head,
    prompt_filter_results: [1],
    choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }],
  });
  expect(content).toEqual({
    ...head,
    choices: [{ index: 0, delta: { content: "Hello.", refusal: null }, finish_reason: null }],
  });
  expect(finish).toEqual({ ...head, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
  expect(last).toEqual({ ...head, choices: [], usage });
  expect(rest).toEqual([]);
});

test("every choice has its chunks, and there is no usage chunk where none was reported", () => {
  const { usage: _usage, ...completion } = completionOf(text(0, "A"), text(1, "B"));
  const choices = toChunks(completion).flatMap((chunk) => chunk.choices);
  expect(choices.map(({ index, delta, finish_reason }) => [index, delta.content, finish_reason])).toEqual([
    [0, "", null],
    [0, "A", null],
    [0, undefined, "stop"],
    [1, "", null],
    [1, "B", null],
    [1, undefined, "stop"],
  ]);
});

test("tool calls get an index; reasoning, refusal and logprobs are kept", () => {
  const call = { id: "t", type: "function", function: { name: "f", arguments: "{}" } };
  const logprobs = { content: [{ token: "a", logprob: -1 }] };
  const message = {
    role: "assistant",
    content: null,
    tool_calls: [call, call],
    reasoning_content: "Hm.",
    refusal: "No.",
  };
  const [, chunk] = toChunks(completionOf({ index: 0, message, finish_reason: "tool_calls", logprobs }));
  expect(chunk?.choices).toEqual([
    {
      index: 0,
      delta: {
        tool_calls: [
          { index: 0, ...call },
          { index: 1, ...call },
        ],
        reasoning_content: "Hm.",
        refusal: "No.",
      },
      finish_reason: null,
      logprobs,
    },
  ]);
});

test("an answer of parts becomes their text, since a delta has no list of parts", () => {
  const content = [
    { type: "text", text: "Hello, " },
    { type: "text", text: "you." },
  ];
  const [, chunk] = toChunks(
    completionOf({ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }),
  );
  expect(chunk?.choices).toEqual([{ index: 0, delta: { content: "Hello, you." }, finish_reason: null }]);
});
