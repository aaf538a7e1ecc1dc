import { type CompletionChunk, type CompletionDelta, rememberTextRun } from "@gatehouse/providers";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toChunks } from "../completion-chunks.ts";
import { EventRun, type ReplyEvent } from "../reply-dialect.ts";
import { chatDialect, ChatChunkSequence } from "./chat-reply.ts";

const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };

function chunkOf(delta: CompletionDelta, finish_reason: string | null = null): CompletionChunk {
  return { id: "c", model: "m", created: 5, choices: [{ index: 0, delta, finish_reason }] };
}

/** The events as their readers see them. */
function read(events: readonly ReplyEvent[]): CompletionChunk[] {
  return events.map(
    (event) => JSON.parse(typeof event === "string" ? event : JSON.stringify(event)) as CompletionChunk,
  );
}

test("the role comes first and once, also when the provider's first chunk lacks it", () => {
  const sequence = new ChatChunkSequence({ request_id: "r" });
  const events = [chunkOf({ content: "a" }), chunkOf({ role: "assistant", content: "b" }), chunkOf({}, "stop")].flatMap(
    (chunk) => sequence.push(chunk),
  );
  expect(read(events)).toMatchObject([
    { id: "c", choices: [{ delta: { role: "assistant" } }], meta: { request_id: "r" } },
    { id: "c", model: "m", created: 5, choices: [{ index: 0, delta: { content: "a" }, finish_reason: null }] },
    { id: "c", model: "m", created: 5, choices: [{ index: 0, delta: { content: "b" }, finish_reason: null }] },
  ]);
});

test("the finish reason and the usage are the last two events", () => {
  const sequence = new ChatChunkSequence({ request_id: "r" });
  sequence.push(chunkOf({ content: "a" }));
  sequence.push(chunkOf({}, "length"));
  sequence.push({ id: "c", model: "m", created: 5, choices: [], usage });
  expect(sequence.usage).toEqual(usage);
  expect(sequence.finish(usage)).toMatchObject([
    { choices: [{ delta: {}, finish_reason: "length" }] },
    { choices: [], usage },
  ]);
});

test("a finish that the provider does not name is stop", async () => {
  const choices = [{ index: 0, message: { role: "assistant", content: "a" }, finish_reason: null }];
  const completion = { id: "c", model: "m", created: 5, choices };
  const call = { surface: "chat", requestId: "r", request: { sessionId: undefined, parameters: {} } };
  const body = await chatDialect.toBody(call, { kind: "complete", completion }, usage);
  expect(JSON.parse(body)).toMatchObject({ content: "a", finish_reason: "stop" });
  const sequence = new ChatChunkSequence({ request_id: "r" });
  for (const chunk of toChunks(completion)) sequence.push(chunk);
  expect(sequence.finish(usage)[0]).toMatchObject({ choices: [{ finish_reason: "stop" }] });
});

test("a refusal is the content, whole and streamed", async () => {
  const message = { role: "assistant", content: null, refusal: "I will not do that." };
  const completion = { id: "c", model: "m", created: 5, choices: [{ index: 0, message, finish_reason: "stop" }] };
  const call = { surface: "chat", requestId: "r", request: { sessionId: undefined, parameters: {} } };
  const body = await chatDialect.toBody(call, { kind: "complete", completion }, usage);
  expect(JSON.parse(body)).toMatchObject({ content: "I will not do that.", finish_reason: "stop" });
  const sequence = new ChatChunkSequence({ request_id: "r" });
  const deltas = [
    { role: "assistant", content: "", refusal: null },
    { refusal: "I will" },
    { refusal: " not do that." },
  ];
  const sent = read(deltas.flatMap((delta) => sequence.push(chunkOf(delta))));
  expect(sent.map(({ choices }) => choices[0]?.delta)).toEqual([
    { role: "assistant", content: "" },
    { content: "I will" },
    { content: " not do that." },
  ]);
  expect([sequence.content, sequence.beside]).toEqual(["I will not do that.", ""]);
});

test("the sent deltas add up to the content, for any split of it", () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (parts) => {
      const sequence = new ChatChunkSequence({ request_id: "r" });
      const events = read(parts.flatMap((content) => sequence.push(chunkOf({ content }))));
      const sent = events.map(({ choices }) => choices[0]?.delta.content ?? "").join("");
      expect(sent).toBe(parts.join(""));
      expect(sequence.content).toBe(sent);
    }),
  );
});

test("a large text is an event that is not encoded yet", () => {
  const content = "x".repeat(100_000);
  const events = new ChatChunkSequence({ request_id: "r" }).push(chunkOf({ content }));
  expect(events).toMatchObject([{}, { choices: [{ delta: { content } }] }]);
});

test("chunks that were read as one are sent like single chunks", () => {
  const texts = ["Hel", "lo, ", "wörld 🧪"];
  const [one, many] = [1, 2].map(() => new ChatChunkSequence({ request_id: "r" }));
  const run = rememberTextRun(chunkOf({ content: texts.join("") }), { texts, before: "", after: "" });
  const [first, ...rest] = texts.flatMap((content) => one?.push(chunkOf({ content })) ?? []);
  const expected = rest.map((event) => `data: ${JSON.stringify(JSON.parse(event as string))}\n\n`).join("");
  expect(many?.push(run)).toEqual([first, new EventRun({ texts: [expected.slice(6, -2)], before: "", after: "" })]);
  expect(many?.content).toBe(one?.content);
});

describe.each([
  ["sent after another one", [1, 0]],
  ["counted from 1", [1]],
  ["counted from 1, before another one", [1, 2]],
])("the first choice, %s,", (_what, indexes) => {
  const first = Math.min(...indexes);
  const textAt = (index: number) => (index === first ? "first" : "other");

  test("is the answer of a stream", () => {
    const sequence = new ChatChunkSequence({ request_id: "r" });
    const choices = indexes.map((index) => ({ index, delta: { content: textAt(index) }, finish_reason: null }));
    const ends = indexes.map((index) => ({ index, delta: {}, finish_reason: index === first ? "length" : "stop" }));
    for (const part of [choices, ends]) sequence.push({ id: "c", model: "m", created: 5, choices: part });
    expect(sequence.content).toBe("first");
    expect(sequence.finish(usage)[0]).toMatchObject({ choices: [{ index: 0, finish_reason: "length" }] });
  });

  test("is the answer of a whole reply", async () => {
    const choices = indexes.map((index) => {
      const message = { role: "assistant", content: textAt(index) };
      return { index, message, finish_reason: index === first ? "length" : "stop" };
    });
    const call = { surface: "chat", requestId: "r", request: { sessionId: undefined, parameters: {} } };
    const completion = { id: "c", model: "m", created: 5, choices };
    const body = await chatDialect.toBody(call, { kind: "complete", completion }, usage);
    expect(JSON.parse(body)).toMatchObject({ content: "first", finish_reason: "length" });
  });
});
