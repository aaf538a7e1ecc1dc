import { type ChatMessage, type Completion, rememberWireText, wireText } from "@gatehouse/providers";
import fc from "fast-check";
import { expect, test } from "vitest";
import { replaceCompletionTexts, textsOfCompletion } from "./message-texts.ts";

const message: ChatMessage = {
  role: "assistant",
  content: [{ type: "text", text: "one" }, { type: "refusal", refusal: "two" }, "stray"],
  reasoning_content: "three",
  tool_calls: [{ id: "1", type: "function", function: { name: "f", arguments: "four" } }, null],
  function_call: { name: "g", arguments: "five" },
};

function completionOf(...messages: readonly ChatMessage[]): Completion {
  const choices = messages.map((said, index) => ({ index, message: said, finish_reason: "stop" }));
  return rememberWireText<Completion>({ id: "i", model: "m", created: 1, choices }, "{}");
}

test("every text of every choice is found and replaced, and the rest is unchanged", () => {
  const completion = completionOf(message, { role: "assistant", content: "six", reasoning: "seven" });
  const texts = textsOfCompletion(completion).map(({ text }) => text);
  expect(texts).toEqual(["one", "two", "three", "f", "four", "g", "five", "six", "seven"]);
  const marks = ["1", "2", "3", "h", "4", "i", "5", "6", "7"];
  expect(textsOfCompletion(replaceCompletionTexts(completion, marks)).map(({ text }) => text)).toEqual(marks);
  const replaced = replaceCompletionTexts(completion, marks);
  expect(replaced.choices[0]?.message.content).toEqual([
    { type: "text", text: "1" },
    { type: "refusal", refusal: "2" },
    "stray",
  ]);
});

test("tool calls are judged with their names, also without arguments, with an object as arguments, and with free input", () => {
  const call = (called: Readonly<Record<string, unknown>>) => ({ id: "1", type: "function", function: called });
  const custom = { id: "2", type: "custom", custom: { name: "h", input: "six" } };
  const calls = [
    call({ name: "f" }),
    call({ name: "f", arguments: null }),
    call({ name: "g", arguments: { a: 5 } }),
    custom,
  ];
  const completion = completionOf({ role: "assistant", content: null, tool_calls: calls });
  const texts = textsOfCompletion(completion);
  expect(texts.map(({ tool, text }) => [tool, text])).toEqual([
    [undefined, "f"],
    ["f", ""],
    [undefined, "f"],
    ["f", ""],
    [undefined, "g"],
    ["g", '{"a":5}'],
    [undefined, "h"],
    ["h", "six"],
  ]);
  const same = texts.map(({ text }) => text);
  expect(replaceCompletionTexts(completion, same).choices[0]?.message.tool_calls).toEqual(calls);
  const masked = replaceCompletionTexts(completion, ["f", "", "f", "", "g", '{"a":"[X]"}', "h", "[Y]"]).choices[0]
    ?.message.tool_calls;
  expect(masked).toMatchObject([{}, {}, { function: { arguments: { a: "[X]" } } }, { custom: { input: "[Y]" } }]);
  const unfit = replaceCompletionTexts(completion, ["f", "", "f", "", "g", '{"a":[X]}', "h", "six"]).choices[0]?.message
    .tool_calls;
  expect(unfit).toMatchObject([{}, {}, { function: { arguments: '{"a":[X]}' } }, custom]);
});

test("a call with a function and free input is judged by both", () => {
  const call = { function: { name: "f", arguments: "{}" }, custom: { name: "g", input: "a" } };
  const completion = completionOf({ role: "assistant", content: null, tool_calls: [call] });
  expect(textsOfCompletion(completion).map(({ text }) => text)).toEqual(["f", "{}", "g", "a"]);
});

test("a content part that calls a tool is judged by its whole input", () => {
  const part = { type: "tool_use", id: "1", name: "f", input: { to: ["a"] } };
  const completion = completionOf({ role: "assistant", content: [part] });
  expect(textsOfCompletion(completion)).toEqual([
    { role: "assistant", text: "f" },
    { role: "assistant", text: '{"to":["a"]}', tool: "f" },
  ]);
  const [choice] = replaceCompletionTexts(completion, ["f", '{"to":["[X]"]}']).choices;
  expect(choice?.message.content).toEqual([{ ...part, input: { to: ["[X]"] } }]);
});

test("masking removes the original wire text of a completion", () => {
  expect(replaceCompletionTexts(completionOf({ role: "assistant", content: "a" }), ["b"])[wireText]).toBeUndefined();
});

test("fewer replaced texts than were sent are an error", () => {
  expect(() => replaceCompletionTexts(completionOf(message), ["1"])).toThrow("fewer texts");
});

test("collecting and replacing find the same texts in any answer", () => {
  fc.assert(
    fc.property(fc.array(fc.dictionary(fc.constantFrom("content", "refusal", "tool_calls"), fc.jsonValue())), (raw) => {
      const odd = completionOf(...raw.map((fields) => ({ role: "assistant", ...fields })));
      const marks = textsOfCompletion(odd).map((_, index) => `mark ${index}`);
      expect(textsOfCompletion(replaceCompletionTexts(odd, marks)).map(({ text }) => text)).toEqual(marks);
    }),
  );
});
