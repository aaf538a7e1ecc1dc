import { expect, test } from "vitest";
import { parseTextCompletionRequest } from "./text-completion-request.ts";
import { toTextChunk, toTextCompletion } from "./text-completion.ts";

const body = { model: "a", prompt: "Say this" };

test.each(["Say this", ["Say this"]])("the prompt %j becomes one user message, and all else parameters", (prompt) => {
  const sent = {
    ...body,
    prompt,
    max_tokens: 7,
    stop: ["x"],
    user: "u",
    stream: true,
    echo: false,
    best_of: 1,
    suffix: null,
  };
  expect(parseTextCompletionRequest(sent)).toEqual({
    slug: "a",
    messages: [{ role: "user", content: "Say this" }],
    stream: true,
    sessionId: undefined,
    variables: {},
    parameters: { max_tokens: 7, stop: ["x"], user: "u" },
    asSent: sent,
  });
});

test.each([
  [[], "Request body must be a JSON object."],
  [{ prompt: "x" }, "'model' is required"],
  [{ model: "a" }, "'prompt' is required"],
  [{ ...body, prompt: 1 }, "'prompt' must be a string"],
  [{ ...body, prompt: [] }, "'prompt' must be one text"],
  [{ ...body, prompt: ["a", "b"] }, "send each of several in a separate call"],
  [{ ...body, prompt: [1, 2] }, "tokens are not accepted"],
  [{ ...body, prompt: [[1, 2]] }, "tokens are not accepted"],
  [{ ...body, echo: true }, "'echo' is not supported"],
  [{ ...body, suffix: "x" }, "'suffix' is not supported"],
  [{ ...body, logprobs: 3 }, "'logprobs' is not supported"],
  [{ ...body, best_of: 3, n: 2 }, "'best_of' is not supported"],
  [{ ...body, stream: "yes" }, "'stream' must be boolean"],
  [{ ...body, max_tokens: 1.5 }, "'max_tokens' must be a whole number of at least 1"],
  [{ ...body, max_tokens: 0 }, "'max_tokens' must be a whole number of at least 1"],
  [{ ...body, n: 0 }, "'n' must be a whole number"],
])("%j is refused", (sent, message) => {
  expect(() => parseTextCompletionRequest(sent)).toThrow(message);
});

test("an answer and its chunks are converted to text completions", () => {
  const head = { id: "c", model: "m", created: 1, provider_field: 1 };
  const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
  const choices = [
    { index: 0, message: { role: "assistant", content: "one" }, finish_reason: "length" },
    { index: 1, message: { role: "assistant", content: null, tool_calls: [] }, finish_reason: "tool_calls" },
  ];
  const form = { id: "c", model: "m", created: 1, object: "text_completion" };
  expect(toTextCompletion({ ...head, choices, usage })).toEqual({
    ...form,
    choices: [
      { text: "one", index: 0, logprobs: null, finish_reason: "length" },
      { text: "", index: 1, logprobs: null, finish_reason: "stop" },
    ],
    usage,
  });
  const chunk = { ...head, choices: [{ index: 0, delta: { role: "assistant", content: "a" }, finish_reason: null }] };
  expect(toTextChunk(chunk)).toEqual({
    ...form,
    choices: [{ text: "a", index: 0, logprobs: null, finish_reason: null }],
  });
  expect(toTextChunk({ ...head, choices: [], usage })).toEqual({ ...form, choices: [], usage });
});
