import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { StreamTranslator } from "./stream-translator.ts";

/** Arguments that a client joins from the stream of one tool call. */
function argumentsOf(...parts: readonly LanguageModelV4StreamPart[]): string {
  const translator = new StreamTranslator("acme", [], () => ({ id: "c", model: "m", created: 1 }));
  const deltas = parts.flatMap((part) => translator.translate(part)).flatMap(({ choices }) => choices);
  const calls = deltas.flatMap(({ delta }) => (delta["tool_calls"] ?? []) as { function: { arguments: string } }[]);
  return calls.map((call) => call.function.arguments).join("");
}

const start = { type: "tool-input-start", id: "t1", toolName: "f" } as const;
const delta = (text: string) => ({ type: "tool-input-delta", id: "t1", delta: text }) as const;
const end = { type: "tool-input-end", id: "t1" } as const;
const call = (input: string) => ({ type: "tool-call", toolCallId: "t1", toolName: "f", input }) as const;

test.each<[string, LanguageModelV4StreamPart[], string]>([
  ["Anthropic's, in no piece", [start, end, call("{}")], "{}"],
  ["Anthropic's, in an empty piece", [start, delta(""), end, call("{}")], "{}"],
  ["a whole call without a text", [call("")], "{}"],
  ["a call in pieces", [start, delta('{"a"'), delta(":1}"), end, call('{"a":1}')], '{"a":1}'],
  ["a whole call", [call('{"a":1}')], '{"a":1}'],
])("a tool call's arguments are JSON: %s", (_what, parts, joined) => {
  expect(argumentsOf(...parts)).toBe(joined);
});
