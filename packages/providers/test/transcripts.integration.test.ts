import { afterEach, describe, expect, it } from "vitest";
import type { ChatMessage, CompletionChunk } from "../src/forms/completion.ts";
import { startEmulatedServer } from "../src/testing/emulated-server.ts";
import {
  answerOf,
  basePath,
  readCall,
  readTranscript,
  type Transcript,
  type WireKind,
  wireKinds,
} from "../src/testing/transcript.ts";
import { createCaller, key, readStream } from "./calling.ts";

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

async function play(kind: WireKind, transcript: Transcript) {
  const server = await startEmulatedServer(answerOf(transcript));
  const caller = createCaller({ kind, baseUrl: `${server.url}${basePath[kind]}`, model: transcript.model });
  open.push(caller, server);
  return { server, caller, call: readCall(transcript.call) };
}

function expectRequest(
  request: { path: string; headers: object; body: string } | undefined,
  { request: wanted }: Transcript,
) {
  const headers = Object.entries(wanted.headers).map(([name, value]) => [name, value.replace("{key}", key)]);
  expect(request).toMatchObject({ path: wanted.path, headers: Object.fromEntries(headers) });
  expect(request?.headers).toMatchObject({ "user-agent": "Gatehouse/test" });
  expect(JSON.parse(request?.body ?? "")).toEqual(wanted.body);
}

describe.each(wireKinds)("%s", (kind) => {
  it.each(["text", "tools", "schema"] as const)("translates a complete answer: %s", async (name) => {
    const transcript = readTranscript(kind, name);
    const { server, caller, call } = await play(kind, transcript);
    const completion = await caller.complete(call);
    expectRequest(server.requests[0], transcript);
    const { message, finish_reason, usage, ...identity } = transcript.expected;
    expect(completion).toMatchObject(identity);
    expect(completion.choices).toMatchObject([{ index: 0, message, finish_reason }]);
    expect(completion.choices[0]?.message.tool_calls).toEqual(message.tool_calls);
    expect(completion.usage).toEqual(usage);
  });

  it.each(["stream-text", "stream-tools"] as const)("translates a stream: %s", async (name) => {
    const transcript = readTranscript(kind, name);
    const { server, caller, call } = await play(kind, transcript);
    const read = await readStream(await caller.stream(call));
    expectRequest(server.requests[0], transcript);
    const { message, finish_reason: finishReason, usage, ...identity } = transcript.expected;
    expect(read).toMatchObject({ error: undefined, finishReason, text: message.content ?? "" });
    expect(read.usage).toEqual(usage);
    expect(read.chunks.at(-2)).toMatchObject(identity);
    expect(joinToolCalls(read.chunks)).toEqual(message.tool_calls ?? []);
  });

  it("starts with the role, and has only usage after the finish", async () => {
    const { caller, call } = await play(kind, readTranscript(kind, "stream-text"));
    const { chunks } = await readStream(await caller.stream(call));
    expect(chunks[0]?.choices[0]?.delta.role).toBe("assistant");
    const finish = chunks.findIndex(({ choices }) => choices[0]?.finish_reason);
    expect(chunks.slice(finish + 1)).toMatchObject([{ choices: [] }]);
  });
});

type ToolCall = { id?: string; type?: string; function: { name?: string; arguments: string } };

/** Joins the pieces of tool calls as a client does: by index, arguments appended. */
function joinToolCalls(chunks: readonly CompletionChunk[]): ChatMessage["tool_calls"] {
  const calls: ToolCall[] = [];
  for (const { choices } of chunks) {
    const deltas = (choices[0]?.delta.tool_calls ?? []) as (ToolCall & { index: number })[];
    for (const { index, ...delta } of deltas) {
      const call = calls[index];
      if (call === undefined) calls[index] = structuredClone(delta);
      else call.function.arguments += delta.function.arguments;
    }
  }
  return calls;
}
