import {
  type ChatMessage,
  type Completion,
  type CompletionChunk,
  rememberWireText,
  wireText,
} from "@gatehouse/providers";
import { expect, test } from "vitest";
import { keepJudged, keepJudgedStream } from "./judged-members.ts";

const picture = { type: "image_url", index: 0, image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } };
const usual: ChatMessage = {
  role: "assistant",
  content: [{ type: "text", text: "a" }, { type: "refusal", refusal: "b" }, picture],
  refusal: null,
  reasoning: "c",
  reasoning_content: null,
  audio: null,
  tool_calls: [{ id: "1", index: 0, type: "function", function: { name: "f", arguments: "{}" } }],
  images: [picture],
};

function completionOf(message: ChatMessage, more: object = {}): Completion {
  const choices = [{ index: 0, message, finish_reason: "stop", logprobs: null, ...more }];
  return rememberWireText<Completion>({ id: "i", object: "chat.completion", model: "m", created: 1, choices }, "{}");
}

test("an answer with nothing but judged members is equal, without its wire text, which may have more than was judged", () => {
  const kept = keepJudged(completionOf(usual), "target");
  expect(kept).toEqual(completionOf(usual));
  expect(kept[wireText]).toBeUndefined();
});

test.each<[string, ChatMessage, object?]>([
  ["tokens of the text", usual, { logprobs: { content: [{ token: "ann@" }] } }],
  ["an unknown member of a choice", usual, { text: "x" }],
  ["a part of a stream", usual, { delta: { content: "x" } }],
  ["a finish reason that is a sentence", usual, { finish_reason: "it is x" }],
  [
    "an id that is an object",
    { ...usual, tool_calls: [{ id: { text: "x" }, function: { name: "f", arguments: "{}" } }] },
  ],
  ["a spoken answer", { ...usual, audio: { id: "1", data: "AAAA", transcript: "x" } }],
  ["quotations", { ...usual, annotations: [{ type: "url_citation", url_citation: { title: "x" } }] }],
  ["an unknown member of a message", { ...usual, reasoning_details: [{ text: "x" }] }],
  [
    "an unknown member of a tool call",
    { ...usual, tool_calls: [{ ...(usual["tool_calls"] as object[])[0], extra: "x" }] },
  ],
  ["an unknown part", { ...usual, content: [...(usual.content as unknown[]), { type: "thinking", thinking: "x" }] }],
  ["a part that is a text", { ...usual, content: [...(usual.content as unknown[]), "x"] }],
  ["an unknown member of a part", { ...usual, content: [{ type: "text", text: "a", annotations: ["x"] }] }],
  ["an object in place of a text", { ...usual, reasoning: { text: "x" } }],
  ["a picture at an address", { ...usual, images: [{ type: "image_url", image_url: { url: "https://a.example/x" } }] }],
  ["a picture that is a text", { ...usual, images: [{ type: "image_url", image_url: { url: "data:image/png,x" } }] }],
])("%s is left out", (_kind, message, more) => {
  const given = completionOf(message, more);
  const kept = keepJudged(given, "target");
  expect(kept).not.toBe(given);
  expect(kept[wireText]).toBeUndefined();
  expect(JSON.stringify(kept)).not.toMatch(/"x"|is x|ann@|example|png,x/);
  expect(kept.choices[0]).toMatchObject({ index: 0, message: { role: "assistant" } });
});

test("a member that is undefined stays absent, as it is written in JSON", () => {
  const call = { id: undefined, type: "function", function: { name: "f", arguments: "{}" } };
  const given = completionOf({ ...usual, tool_calls: [call] });
  expect(JSON.stringify(keepJudged(given, "target"))).toBe(JSON.stringify(given));
});

test("an unknown member of the answer is left out", () => {
  const kept = keepJudged({ ...completionOf(usual), citations: ["x"], system_fingerprint: "fp" }, "target");
  expect(kept).toEqual({ ...completionOf(usual), system_fingerprint: "fp" });
});

test("ids of calls that are sentences become ids, equal ones the same in every chunk, for results to name", async () => {
  const call = (id: string) => ({ id, index: 0, type: "function", function: { name: "f", arguments: "{}" } });
  const idIn = (kept: Completion | CompletionChunk | undefined): string =>
    /"tool_calls":\[\{"id":"(.*?)"/.exec(JSON.stringify(kept))?.[1] ?? "";
  const idOf = (id: string): string => idIn(keepJudged(completionOf({ ...usual, tool_calls: [call(id)] }), "target"));
  expect(idOf("call one")).toMatch(/^call_[0-9a-f]{24}$/);
  expect(idOf("call two")).not.toBe(idOf("call one"));
  expect(idOf("call_1")).toBe("call_1");
  const chunk = { id: "i", model: "m", created: 1, choices: [{ index: 0, delta: { tool_calls: [call("call one")] } }] };
  const batches = (async function* () {
    for (let rest = 2; rest > 0; rest -= 1) yield await Promise.resolve([chunk as unknown as CompletionChunk]);
  })();
  for await (const [part] of keepJudgedStream({ batches }, "target").batches) expect(idIn(part)).toBe(idOf("call one"));
});

test("usage keeps numbers only", () => {
  const usage = {
    prompt_tokens: 1,
    completion_tokens: 2,
    total_tokens: 3,
    note: "x",
    details: { cached: 1, note: "x" },
  };
  const kept = keepJudged({ ...completionOf(usual), usage }, "target");
  expect(kept.usage).toEqual({ prompt_tokens: 1, completion_tokens: 2, total_tokens: 3, details: { cached: 1 } });
});

test("a stream is reduced chunk by chunk, and left when its reader leaves", async () => {
  let isLeft = false;
  const choices = [{ index: 0, delta: { content: "a", audio: { data: "x" } }, finish_reason: null, logprobs: {} }];
  async function* batches(): AsyncGenerator<readonly CompletionChunk[]> {
    try {
      for (;;) yield await Promise.resolve([{ id: "i", model: "m", created: 1, choices, usage: null }]);
    } finally {
      isLeft = true;
    }
  }
  for await (const batch of keepJudgedStream({ batches: batches() }, "target").batches) {
    const delta = { index: 0, delta: { content: "a" }, finish_reason: null };
    expect(batch).toEqual([{ id: "i", model: "m", created: 1, choices: [delta], usage: null }]);
    break;
  }
  expect(isLeft).toBe(true);
});

test.each(["two words", "m".repeat(300), 17])("an id and a model that may be a text, %j, are replaced", (mark) => {
  const { id, model } = keepJudged({ ...completionOf(usual), id: mark, model: mark } as Completion, "target");
  expect([id, model]).toEqual([expect.stringMatching(/^chatcmpl-[0-9a-f-]{36}$/), "target"]);
});

test.each([
  [
    ["two words", "i", "two words"],
    ["", "m 1", "m"],
    [expect.stringMatching(/^chatcmpl-/) as string, "target"],
  ],
  [
    ["i", "two words", "i"],
    ["m", "m 1", "m"],
    ["i", "m"],
  ],
])("all chunks of the ids %j have one id and one model", async (ids, models, expected) => {
  const answer = [{ index: 0, delta: { content: "a" }, finish_reason: null }];
  async function* batches(): AsyncGenerator<readonly CompletionChunk[]> {
    for (const [index, id] of ids.entries()) {
      yield await Promise.resolve([{ id, model: models[index] ?? "", created: 1, choices: answer }]);
    }
  }
  const chunks: CompletionChunk[] = [];
  for await (const batch of keepJudgedStream({ batches: batches() }, "target").batches) chunks.push(...batch);
  for (const { id, model } of chunks) expect([id, model]).toEqual(expected);
  expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
});
