import fc from "fast-check";
import { expect, test } from "vitest";
import type { ChatRequest } from "../chat-request.ts";
import { type Completion, rememberWireText, wireText } from "../completion.ts";
import { replaceCompletionTexts, replaceRequestTexts, textsOfCompletion, textsOfRequest } from "./message-texts.ts";

const messages = [
  { role: "system", content: "one" },
  { role: "user", content: [{ type: "text", text: "two" }, { type: "image_url", image_url: { url: "u" } }, "stray"] },
  {
    role: "assistant",
    content: null,
    reasoning_content: "three",
    tool_calls: [{ id: "1", type: "function", function: { name: "f", arguments: "four" } }, null],
  },
  { role: "function", name: "f", content: "five", function_call: { name: "g", arguments: "six" } },
  { role: "assistant", content: [{ type: "refusal", refusal: "seven" }] },
];

const request = {
  slug: "s",
  messages: rememberWireText(messages, JSON.stringify(messages)),
  stream: false,
  sessionId: undefined,
  variables: { topic: "eight", count: 3 },
  asSent: { messages },
} as unknown as ChatRequest;

test("every text of a request is found, with its role", () => {
  const texts = textsOfRequest(request);
  expect(texts.map(({ text }) => text)).toEqual(["one", "two", "three", "four", "five", "six", "seven", "eight"]);
  expect(texts.map(({ role }) => role)).toEqual([
    "system",
    "user",
    "assistant",
    "assistant",
    "function",
    "function",
    "assistant",
    "user",
  ]);
});

test("replaced texts stand where the old ones stood, the rest is as it was, and the body as sent is kept", () => {
  const replaced = replaceRequestTexts(request, ["1", "2", "3", "4", "5", "6", "7", "8"]);
  expect(textsOfRequest(replaced).map(({ text }) => text)).toEqual(["1", "2", "3", "4", "5", "6", "7", "8"]);
  expect(replaced.messages[1]).toEqual({
    role: "user",
    content: [{ type: "text", text: "2" }, { type: "image_url", image_url: { url: "u" } }, "stray"],
  });
  expect(replaced.variables).toEqual({ topic: "8", count: 3 });
  expect(replaced.asSent).toBe(request.asSent);
  expect(replaced.messages[wireText]).toBeUndefined();
});

test("texts that stay the same leave the messages the same", () => {
  const texts = textsOfRequest(request).map(({ text }) => text);
  expect(replaceRequestTexts(request, texts).messages).toEqual(messages);
});

test("every choice of a completion is seen and replaced, and the text that it came in does not survive", () => {
  const message = { role: "assistant", content: "a", reasoning: "b" };
  const choices = [0, 1].map((index) => ({ index, message, finish_reason: "stop" }));
  const completion = rememberWireText<Completion>({ id: "i", model: "m", created: 1, choices }, "{}");
  expect(textsOfCompletion(completion).map(({ text }) => text)).toEqual(["a", "b", "a", "b"]);
  const replaced = replaceCompletionTexts(completion, ["1", "2", "3", "4"]);
  expect(replaced.choices.map((choice) => [choice.message.content, choice.message["reasoning"]])).toEqual([
    ["1", "2"],
    ["3", "4"],
  ]);
  expect(replaced[wireText]).toBeUndefined();
});

test("fewer texts than were sent are a failure, never a message with a hole", () => {
  expect(() => replaceRequestTexts(request, ["1"])).toThrow("fewer texts");
});

test("whatever a caller sends as a message, collecting and replacing see the same texts", () => {
  fc.assert(
    fc.property(fc.array(fc.dictionary(fc.constantFrom("content", "refusal", "tool_calls"), fc.jsonValue())), (raw) => {
      const odd = { ...request, messages: raw.map((message) => ({ role: "user", ...message })) } as ChatRequest;
      const marks = textsOfRequest(odd).map((_, index) => `mark ${index}`);
      expect(textsOfRequest(replaceRequestTexts(odd, marks)).map(({ text }) => text)).toEqual(marks);
    }),
  );
});
