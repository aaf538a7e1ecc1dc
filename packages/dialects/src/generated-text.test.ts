import { expect, test } from "vitest";
import { GeneratedText, generatedText } from "./generated-text.ts";

const calls = [{ function: { name: "f", arguments: '{"a":1}' } }, null, {}];

test("a completion's text is the model's output in every choice", () => {
  const message = { role: "assistant", content: "b", reasoning_content: "r", tool_calls: calls };
  const choices = [
    { index: 0, message: { role: "assistant", content: "a" }, finish_reason: "stop" },
    { index: 1, message, finish_reason: "tool_calls" },
  ];
  expect(generatedText({ id: "", model: "", created: 0, choices })).toBe('abrf{"a":1}');
});

test("a stream's text is collected with the last usage", () => {
  const generated = new GeneratedText();
  const frame = { id: "c", model: "m", created: 1 };
  const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
  generated.add({ ...frame, choices: [{ index: 1, delta: { content: "a", reasoning: "r" }, finish_reason: null }] });
  generated.add({ ...frame, choices: [{ index: 0, delta: { tool_calls: calls }, finish_reason: null }], usage });
  generated.add({ ...frame, choices: [], usage: null });
  expect(generated).toMatchObject({ text: 'arf{"a":1}', usage, head: { id: "c" } });
});
