import { type CompletionChunk, rememberTextRun } from "@gatehouse/providers";
import { expect, test } from "vitest";
import { EventRun } from "../reply-dialect.ts";
import { wrapperDialect } from "./wrapper-dialect.ts";

const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
const chunk = (content: string): CompletionChunk => ({
  id: "c",
  model: "m",
  created: 5,
  choices: [{ index: 0, delta: { content }, finish_reason: null }],
});
const figure: CompletionChunk = { id: "c", model: "m", created: 5, choices: [], usage };

function openEvents(parameters: { readonly stream_options?: object }, surface = "wrapper.chat") {
  const request = { sessionId: undefined, parameters };
  return wrapperDialect.openEvents({ surface, requestId: "r", request });
}

const withUsage = { stream_options: { include_usage: true } };

test("token counts are sent only to a caller that asked for them, and are recorded in any case", () => {
  const events = openEvents({});
  expect([events.push(chunk("a")).length, events.push(figure).length]).toEqual([1, 0]);
  expect([events.content, events.usage, events.finish(usage)]).toEqual(["a", usage, []]);
});

test("a provider's token counts are passed on and sent once", () => {
  const events = openEvents(withUsage);
  expect(events.push(figure)).toMatchObject([{ object: "chat.completion.chunk", id: "c", usage }]);
  expect(events.finish(usage)).toEqual([]);
});

test.each([
  ["wrapper.chat", "chat.completion.chunk"],
  ["wrapper.completions", "text_completion"],
])("on %s, token counts that the provider has not sent are added at the end", (surface, object) => {
  const events = openEvents(withUsage, surface);
  expect(events.push(chunk("a"))).toMatchObject([{ object, id: "c", model: "m" }]);
  expect(events.finish(usage)).toEqual([{ object, id: "c", model: "m", created: 5, choices: [], usage }]);
});

test("completions, which have no member for a refusal, give it as their text", async () => {
  const call = { surface: "wrapper.completions", requestId: "r", request: { sessionId: undefined, parameters: {} } };
  const message = { role: "assistant", content: null, refusal: "No." };
  const completion = { id: "c", model: "m", created: 5, choices: [{ index: 0, message, finish_reason: "stop" }] };
  const body = await wrapperDialect.toBody(call, { kind: "complete", completion }, usage);
  expect(JSON.parse(body)).toMatchObject({ choices: [{ text: "No." }] });
  const delta = { refusal: "No." };
  const events = openEvents({}, "wrapper.completions").push({
    ...completion,
    choices: [{ index: 0, delta, finish_reason: null }],
  });
  expect(events).toMatchObject([{ choices: [{ text: "No." }] }]);
});

const texts = ["a", "b"];

test("chunks that were read as one are sent as the provider's own JSON", () => {
  const run = { texts, before: '{"x":"', after: '"}' };
  const events = openEvents({});
  expect(events.push(rememberTextRun({ ...chunk("ab"), object: "chat.completion.chunk" }, run))).toEqual([
    expect.objectContaining({ text: 'data: {"x":"a"}\n\ndata: {"x":"b"}\n\n' }),
  ]);
  expect(events.content).toBe("ab");
});

test.each([
  ["wrapper.chat", { choices: [{ delta: { content: "b" } }] }],
  ["wrapper.completions", { choices: [{ text: "b" }] }],
])("on %s, chunks that cannot be sent in the provider's form are one event each", (surface, last) => {
  const run = rememberTextRun(chunk("ab"), { texts, before: "", after: "" });
  const made = openEvents({}, surface).push(run);
  expect(made).toMatchObject([{ id: "c" }, last]);
  expect(made.some((event) => event instanceof EventRun)).toBe(false);
});

test.each([undefined, null, 1])("an object named %j gets the name of its form", async (object) => {
  const call = { surface: "wrapper.chat", requestId: "r", request: { sessionId: undefined, parameters: {} } };
  const choices = [{ index: 0, message: { role: "assistant", content: "a" }, finish_reason: "stop" }];
  const completion = { id: "c", model: "m", created: 5, choices, object };
  const body = await wrapperDialect.toBody(call, { kind: "complete", completion }, usage);
  expect(JSON.parse(body)).toMatchObject({ object: "chat.completion", choices });
  expect(openEvents({}).push({ ...chunk("a"), object })).toMatchObject([{ object: "chat.completion.chunk" }]);
});

const embeddingsCall = (format: string) => ({
  surface: "wrapper.embeddings",
  requestId: "r",
  request: { sessionId: undefined, parameters: { encoding_format: format } },
});

test("vectors of numbers become base64 where it was asked for", async () => {
  const data = [
    { index: 0, embedding: [1, -2] },
    { index: 1, embedding: "AACAPw==" },
  ];
  const embeddings = { object: "list", model: "m", data };
  const sent = { prompt_tokens: 1, completion_tokens: 0, total_tokens: 1 };
  const bodyOf = async (format: string) =>
    JSON.parse(await wrapperDialect.toBody(embeddingsCall(format), { kind: "embeddings", embeddings }, sent)) as object;
  const counts = { prompt_tokens: 1, total_tokens: 1 };
  expect(await bodyOf("float")).toEqual({ ...embeddings, usage: counts });
  expect(await bodyOf("base64")).toEqual({
    ...embeddings,
    data: [{ index: 0, embedding: "AACAPwAAAMA=" }, data[1]],
    usage: counts,
  });
});

test("other work runs while very many vectors become base64", async () => {
  const vector = Array.from({ length: 1_024 }, (_, index) => index / 7);
  const data = Array.from({ length: 2_048 }, (_, index) => ({ index, embedding: vector }));
  const reply = { kind: "embeddings", embeddings: { model: "m", data } } as const;
  const startedAt = performance.now();
  const body = wrapperDialect.toBody(embeddingsCall("base64"), reply, usage);
  const atOnceMs = performance.now() - startedAt;
  await body;
  expect(atOnceMs).toBeLessThan((performance.now() - startedAt) / 4);
});
