import { type CompletionChunk } from "@gatehouse/providers";
import {
  answerOf,
  basePath,
  readCall,
  readTranscript,
  type Transcript,
  type WireKind,
  wireKinds,
} from "@gatehouse/providers/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startWrapper, type WrapperHarness } from "./wrapper-harness.ts";

let wrapper: WrapperHarness;
beforeAll(async () => {
  wrapper = await startWrapper();
});
afterAll(async () => await wrapper.stop());

/** Plays a transcript behind an alias, and returns the answer to a call. */
async function ask(kind: WireKind, transcript: Transcript, more: object = {}) {
  const provider = await wrapper.provider(kind, `${wrapper.upstreamUrl}${basePath[kind]}`);
  const alias = await wrapper.alias({ provider, model: transcript.model });
  wrapper.play(answerOf(transcript));
  const reply = await wrapper.post("chat/completions", { ...readCall(transcript.call), ...more, model: alias });
  return { ...reply, sent: JSON.parse(wrapper.received[0]?.body ?? "null") as unknown };
}

/** OpenAI's requests and replies with any provider. */
describe.each(wireKinds)("behind the Wrapper, %s", (kind) => {
  it.each(["text", "tools", "schema"] as const)("answers like OpenAI: %s", async (name) => {
    const transcript = readTranscript(kind, name);
    const { status, text, sent } = await ask(kind, transcript);
    expect(status, text).toBe(200);
    expect(sent).toEqual(transcript.request.body);
    const { message, finish_reason, usage, ...identity } = transcript.expected;
    const choices = [{ index: 0, message, finish_reason }];
    expect(JSON.parse(text)).toMatchObject({ object: "chat.completion", ...identity, choices, usage });
  });

  it.each(["stream-text", "stream-tools"] as const)("streams like OpenAI: %s", async (name) => {
    const transcript = readTranscript(kind, name);
    const options = { stream: true, stream_options: { include_usage: true } };
    const { text, sent } = await ask(kind, transcript, options);
    expect(sent).toEqual(transcript.request.body);
    const events = text
      .split("\n\n")
      .filter(Boolean)
      .map((event) => event.slice("data: ".length));
    expect(events.at(-1)).toBe("[DONE]");
    const chunks = events.slice(0, -1).map((event) => JSON.parse(event) as CompletionChunk);
    for (const chunk of chunks) expect(chunk["object"]).toBe("chat.completion.chunk");
    const { message, finish_reason: finishReason, usage } = transcript.expected;
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage });
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe(finishReason);
    const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
    expect(deltas.map(({ content }) => content ?? "").join("")).toBe(message["content"] ?? "");
    const calls = (message["tool_calls"] ?? []) as readonly { readonly function: { readonly arguments: string } }[];
    expect(joinArguments(deltas)).toEqual(calls.map((call) => call.function.arguments));
  });
});

interface ToolCallDelta {
  readonly index: number;
  readonly function: { readonly arguments?: string };
}

function joinArguments(deltas: readonly Readonly<Record<string, unknown>>[]): readonly string[] {
  const joined: string[] = [];
  for (const { index, function: called } of deltas.flatMap((delta) => (delta["tool_calls"] ?? []) as ToolCallDelta[])) {
    joined[index] = (joined[index] ?? "") + (called.arguments ?? "");
  }
  return joined;
}
