import { createServer } from "node:net";
import { Writable } from "node:stream";
import { gzipSync } from "node:zlib";
import { lapse } from "@gatehouse/async/testing";
import { createLogger } from "@gatehouse/telemetry";
import { Secret } from "@gatehouse/vault";
import { afterEach, describe, expect, it } from "vitest";
import { createProviderAdapters } from "../src/create-provider-adapters.ts";
import { wireText } from "../src/forms/completion.ts";
import type { ProviderAddress } from "../src/provider.ts";
import {
  after,
  type Answer,
  type EmulatedServer,
  eventStream,
  json,
  startEmulatedServer,
} from "../src/testing/emulated-server.ts";
import { countInline, createCaller, failureOf, generousBounds, key, readStream } from "./calling.ts";

const completion = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1_700_000_000,
  model: "model-1-0125",
  choices: [{ index: 0, message: { role: "assistant", content: "Hi there", refusal: null }, finish_reason: "stop" }],
  usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11, prompt_tokens_details: { cached_tokens: 4 } },
  system_fingerprint: "fp_1",
};

function chunk(delta: object, finishReason: string | null = null, more: object = {}): string {
  const choices = [{ index: 0, delta, finish_reason: finishReason }];
  return event({ id: "c1", object: "chat.completion.chunk", created: 1_700_000_000, model: "m", choices, ...more });
}

function event(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

const role = chunk({ role: "assistant", content: "" });
const words = [chunk({ content: "Hi" }), chunk({ content: " there" })];
const finish = chunk({}, "stop");
const usage = chunk({}, null, { choices: [], usage: completion.usage });
const done = "data: [DONE]\n\n";
const wholeStream = [role, ...words, finish, usage, done];

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

async function serve(...answers: readonly Answer[]) {
  const server = await startEmulatedServer(...answers);
  const caller = createCaller({ kind: "openai-compatible", baseUrl: `${server.url}/v1` });
  open.push(caller, server);
  return { server, caller };
}

/** Answers once, then stays silent. */
const silence: Answer = () => undefined;

describe("the request", () => {
  it("appends the path to the base URL and carries key, agent and trace", async () => {
    const { server, caller } = await serve(json(200, completion));
    await caller.complete({}, { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" });
    const [request] = server.requests;
    expect(request).toMatchObject({ method: "POST", path: "/v1/chat/completions" });
    expect(request?.headers).toMatchObject({
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "user-agent": "Gatehouse/test",
      traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    });
  });

  it("has the address's model, keeps unknown fields and drops fields of streams", async () => {
    const { server, caller } = await serve(json(200, completion));
    await caller.complete({ temperature: 0.5, x_custom: { a: 1 }, stream: true, stream_options: { a: 1 } });
    expect(JSON.parse(server.requests[0]?.body ?? "")).toEqual({
      model: "model-1",
      messages: [{ role: "user", content: "Hello" }],
      temperature: 0.5,
      x_custom: { a: 1 },
    });
  });

  it("asks for usage when it streams and keeps other stream options", async () => {
    const { server, caller } = await serve(eventStream(wholeStream));
    await readStream(await caller.stream({ stream_options: { include_obfuscation: false } }));
    expect(JSON.parse(server.requests[0]?.body ?? "")).toMatchObject({
      stream: true,
      stream_options: { include_usage: true, include_obfuscation: false },
    });
  });

  it("sends no authorization where there is no key, and keeps the base URL's query", async () => {
    const server = await startEmulatedServer(json(200, completion));
    const baseUrl = `${server.url}/deep/?api-version=2`;
    const caller = createCaller({ kind: "openai", baseUrl, apiKey: undefined });
    open.push(caller, server);
    await caller.complete();
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
    expect(server.requests[0]?.path).toBe("/deep/chat/completions?api-version=2");
  });

  it("refuses a base URL that is not http without showing it", async () => {
    const caller = createCaller({ kind: "openai", baseUrl: "ftp://user:secret@host" });
    open.push(caller);
    expect((await failureOf(caller.complete())).message).toBe("acme has a base URL that is not an http address");
  });
});

describe("a complete answer", () => {
  it("is passed through with every field", async () => {
    const { caller } = await serve(json(200, completion));
    expect(await caller.complete()).toEqual(completion);
  });

  it("has missing members filled in", async () => {
    const { caller } = await serve(
      json(200, { choices: [{ message: { content: "x" } }], usage: { prompt_tokens: -1 } }),
    );
    expect(await caller.complete()).toEqual({
      id: expect.stringMatching(/^chatcmpl-[0-9a-f-]{36}$/),
      model: "model-1",
      created: Date.UTC(2026, 0, 2, 3, 4, 5) / 1_000,
      choices: [{ index: 0, message: { role: "assistant", content: "x" }, finish_reason: null }],
    });
  });

  it.each([{ id: "" }, { id: 17 }, { id: null }])("with the id %j gets a generated one", async (identity) => {
    const { caller } = await serve(json(200, { ...completion, ...identity, model: "" }));
    const reply = await caller.complete();
    expect(reply).toMatchObject({ model: "model-1", choices: completion.choices });
    expect(reply.id).toMatch(/^chatcmpl-/);
  });

  it.each([[null], [""], [undefined]])("with the finish reason %j has none", async (finishReason) => {
    const [choice] = completion.choices;
    const { caller } = await serve(json(200, { ...completion, choices: [{ ...choice, finish_reason: finishReason }] }));
    expect((await caller.complete()).choices[0]?.finish_reason).toBeNull();
  });

  it.each([
    [
      { error: { code: 502, message: "it broke" }, finish_reason: "error" },
      { failure: "status", status: 502 },
    ],
    [
      { error: { code: 502, message: "it broke" }, finish_reason: null },
      { failure: "status", status: 502 },
    ],
    [
      { error: { code: 429, message: "it broke" }, finish_reason: "stop" },
      { failure: "status", status: 429 },
    ],
    [{ error: "it broke", finish_reason: "stop" }, { failure: "malformed" }],
    [{ finish_reason: "error" }, { failure: "malformed" }],
  ])("with a choice that ends with %j fails, and may be billed", async (end, failure) => {
    const [choice] = completion.choices;
    const { caller } = await serve(json(200, { ...completion, choices: [choice, { ...choice, ...end }] }));
    expect(await failureOf(caller.complete())).toMatchObject({ ...failure, mayFailOver: true, isFree: false });
  });

  it("with choices and an error fails with that error's status", async () => {
    const { caller } = await serve(json(200, { ...completion, error: { code: 503, message: "it broke" } }));
    expect(await failureOf(caller.complete())).toMatchObject({ failure: "status", status: 503 });
  });

  it.each([null, "", false])("with the error %j in itself and its choice has none", async (error) => {
    const choices = completion.choices.map((choice) => ({ ...choice, error }));
    const { caller } = await serve(json(200, { ...completion, error, choices }));
    expect((await caller.complete()).choices).toEqual(choices);
  });

  it.each([
    [{ prompt_tokens: 3 }, undefined],
    [{ completion_tokens: 3, total_tokens: 5 }, undefined],
    [
      { prompt_tokens: 3, completion_tokens: 2 },
      { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    ],
  ])("with the usage %j has the usage %j", async (reported, counts) => {
    const { caller } = await serve(json(200, { ...completion, usage: reported }));
    expect((await caller.complete()).usage).toEqual(counts);
  });

  it("keeps the finish of a content filter", async () => {
    const [choice] = completion.choices;
    const { caller } = await serve(
      json(200, { ...completion, choices: [{ ...choice, finish_reason: "content_filter" }] }),
    );
    expect((await caller.complete()).choices[0]?.finish_reason).toBe("content_filter");
  });

  it.each([
    ["no JSON", "<html>"],
    ["a list", []],
    ["no choices", { choices: [] }],
    ["no message", { choices: [{ index: 0 }] }],
    ["a content of another type", { choices: [{ message: { content: 7 } }] }],
  ])("is malformed with %s", async (_, body) => {
    const { caller } = await serve(json(200, body));
    expect(await failureOf(caller.complete())).toMatchObject({ failure: "malformed", mayFailOver: true });
  });

  it("may begin with a byte order mark, also as an error", async () => {
    const { caller } = await serve(
      (res) => void res.writeHead(200).end(`\uFEFF${JSON.stringify(completion)}`),
      (res) => void res.writeHead(400).end('\uFEFF{"error":{"message":"no such parameter"}}'),
    );
    const read = await caller.complete();
    expect(read).toEqual(completion);
    expect(read[wireText]).toBe(JSON.stringify(completion));
    expect((await failureOf(caller.complete())).message).toBe("acme answered 400: no such parameter");
  });

  it("has U+FFFD for bytes that are not UTF-8", async () => {
    const body = Buffer.from(JSON.stringify(completion).replace("Hi", "\xff"), "latin1");
    const { caller } = await serve((res) => void res.writeHead(200).end(body));
    expect((await caller.complete()).choices[0]?.message.content).toBe("\uFFFD there");
  });

  it("with status 200 and an error as its body fails with that error's status", async () => {
    const { caller } = await serve(json(200, { error: { message: "slow down", type: "rate_limit_error" } }));
    expect(await failureOf(caller.complete())).toMatchObject({
      failure: "status",
      status: 429,
      message: "acme sent error 429 in its reply: slow down",
    });
  });

  it("above the bound is abandoned as malformed", async () => {
    const { server, caller } = await serve((res) => {
      res.writeHead(200);
      const piece = Buffer.alloc(1024 * 1024, 0x20);
      const write = () => {
        while (!res.destroyed && res.write(piece));
      };
      res.on("drain", write);
      write();
    });
    expect(await failureOf(caller.complete())).toMatchObject({ failure: "malformed" });
    await server.hungUp;
  });

  it("reuses its connection for later calls", async () => {
    const { server, caller } = await serve(json(200, completion));
    for (let call = 0; call < 10; call += 1) await caller.complete();
    // A call in the same turn finds the first connection still busy.
    expect(server.connections()).toBeLessThanOrEqual(2);
  });
});

describe("a stream", () => {
  it("gives role, text, finish and usage in order", async () => {
    const { caller } = await serve(eventStream(wholeStream));
    const read = await readStream(await caller.stream());
    expect(read).toMatchObject({ text: "Hi there", finishReason: "stop", usage: completion.usage, error: undefined });
    expect(read.chunks[0]?.choices[0]?.delta).toEqual({ role: "assistant", content: "" });
    expect(read.chunks).toHaveLength(5);
  });

  it("reuses its connection for later calls", async () => {
    const { server, caller } = await serve(eventStream(wholeStream));
    for (let call = 0; call < 10; call += 1) await readStream(await caller.stream());
    expect(server.connections()).toBeLessThanOrEqual(2);
  });

  it("survives a split at every byte, UTF-8 included", async () => {
    const text = chunk({ content: "Grüße 😀 漢字" });
    const bytes = Buffer.from([role, text, finish, done].join(""));
    const { caller } = await serve(eventStream(Array.from(bytes, (byte) => Buffer.from([byte]))));
    expect(await readStream(await caller.stream())).toMatchObject({ text: "Grüße 😀 漢字", error: undefined });
  });

  it("may have comments, CRLF, an empty first list of choices and no final line end", async () => {
    const head = event({ id: "", choices: [], prompt_filter_results: [] });
    const pieces = [": wait\r\n\r\n", head, ...words.map((word) => word.replaceAll("\n", "\r\n")), finish.trimEnd()];
    const { caller } = await serve(eventStream(pieces));
    expect(await readStream(await caller.stream())).toMatchObject({
      text: "Hi there",
      finishReason: "stop",
      error: undefined,
    });
  });

  it("is complete without [DONE] once it has finished", async () => {
    const { caller } = await serve(eventStream([role, ...words, finish]));
    expect(await readStream(await caller.stream())).toMatchObject({ text: "Hi there", error: undefined });
  });

  it("is complete when it has finished and then hangs", async () => {
    const { caller } = await serve(eventStream([role, ...words, finish], { end: false }));
    const read = await readStream(await caller.stream({}, { bounds: { idleMs: 50 } }));
    expect(read).toMatchObject({ text: "Hi there", finishReason: "stop", error: undefined });
  });

  it.each([
    ["that is not JSON", 'data: {"oops\n\n'],
    ["without choices", event({ new: 1 })],
  ])("is complete when it has finished and an event %s follows", async (_, junk) => {
    const { caller } = await serve(eventStream([role, ...words, finish, junk, done]));
    const read = await readStream(await caller.stream());
    expect(read).toMatchObject({ text: "Hi there", finishReason: "stop", error: undefined });
  });

  it("fails when it has finished and an error follows", async () => {
    const { caller } = await serve(
      eventStream([role, ...words, finish, event({ error: { message: "No", code: 500 } })]),
    );
    expect((await readStream(await caller.stream())).error).toMatchObject({ failure: "status", status: 500 });
  });

  it("is complete only when all of its choices are", async () => {
    const second = event({
      id: "c",
      created: 1,
      model: "m",
      choices: [{ index: 1, delta: { content: "B" }, finish_reason: null }],
    });
    const { caller } = await serve(eventStream([role, second, finish, done]));
    expect((await readStream(await caller.stream({ n: 2 }))).error).toMatchObject({ failure: "cut" });
  });

  it("without [DONE] is complete only when as many choices have finished as were requested", async () => {
    const { caller } = await serve(eventStream([role, ...words, finish]));
    expect((await readStream(await caller.stream({ n: 2 }))).error).toMatchObject({ failure: "cut" });
  });

  it("of a provider that ignores the number of choices is complete with [DONE]", async () => {
    const { caller } = await serve(eventStream([role, ...words, finish, done]));
    expect(await readStream(await caller.stream({ n: 2 }))).toMatchObject({ text: "Hi there", error: undefined });
  });

  it.each([
    ["at its end", [role, ...words]],
    ["by a [DONE] that nothing has finished", [role, ...words, done]],
    ["inside an event", [role, ...words, finish.slice(0, 20)]],
  ])("fails as cut if it is cut %s", async (_, pieces) => {
    const { caller } = await serve(eventStream(pieces));
    expect(await readStream(await caller.stream())).toMatchObject({ text: "Hi there", error: { failure: "cut" } });
  });

  it("whose connection breaks fails as cut after its text", async () => {
    const { caller } = await serve(async (res, request) => {
      await eventStream([role, ...words], { end: false })(res, request);
      res.destroy();
    });
    const read = await readStream(await caller.stream());
    expect(read).toMatchObject({ text: "Hi there", error: { failure: "cut", mayFailOver: true } });
  });

  it("fails at once if it ends before its first token", async () => {
    const { caller } = await serve(eventStream([role]));
    expect(await failureOf(caller.stream())).toMatchObject({ failure: "cut" });
  });

  it.each(["data: {oops\n\n", "data: 7\n\n", event({ choices: [{ index: 0, delta: 7 }] }), event({ id: "x" })])(
    "with the unreadable event %j is malformed, after what came before it",
    async (bad) => {
      const { caller, server } = await serve(eventStream([role, words.join("") + bad, finish, done], { end: false }));
      expect(await readStream(await caller.stream())).toMatchObject({
        text: "Hi there",
        error: { failure: "malformed" },
      });
      await server.hungUp;
    },
  );

  it.each([{ choices: [] }, { choices: [{}] }])("of chunks like %j without end is malformed", async (empty) => {
    const piece = event(empty).repeat(2_000);
    const endless: Answer = (res) => {
      res.writeHead(200, { "content-type": "text/event-stream" });
      const push = () => {
        while (!res.destroyed && res.write(piece));
        if (!res.destroyed) res.once("drain", push);
      };
      push();
    };
    const { caller } = await serve(endless);
    const failure = await failureOf(caller.stream({}, { bounds: { firstTokenMs: 30_000, totalMs: 30_000 } }));
    expect(failure).toMatchObject({
      failure: "malformed",
      message: "acme sent more than 100000 chunks before any output",
    });
  });

  it("of more choices than a reply may have is malformed", async () => {
    const choices = Array.from({ length: 1_025 }, (_, index) => ({ index, delta: { content: "a" } }));
    const { caller } = await serve(eventStream(choices.map((choice) => event({ choices: [choice] }))));
    const { error } = await readStream(await caller.stream());
    expect(error).toMatchObject({ failure: "malformed", message: "acme sent more than 1024 choices" });
  });

  it("with an error event before the first token fails with its status", async () => {
    const { caller } = await serve(
      eventStream([role, event({ error: { message: "try later", type: "server_error" } })]),
    );
    expect(await failureOf(caller.stream())).toMatchObject({ failure: "status", status: 500, mayFailOver: true });
  });

  it("with an error event after the first token throws it, without a status as malformed", async () => {
    const { caller } = await serve(eventStream([role, ...words, "event: error\ndata: it broke\n\n"]));
    expect(await readStream(await caller.stream())).toMatchObject({
      text: "Hi there",
      error: { failure: "malformed", message: "acme sent an error in its reply: it broke" },
    });
  });

  it("with an error event about a request that is too long has that code", async () => {
    const error = { message: "maximum context length", type: "invalid_request_error", code: "context_length_exceeded" };
    const { caller } = await serve(eventStream([event({ error })]));
    expect(await failureOf(caller.stream())).toMatchObject({
      status: 400,
      mayFailOver: true,
      code: "context_length_exceeded",
    });
  });

  it.each([
    [
      { error: { code: 502, message: "it broke" }, finish_reason: "error" },
      { failure: "status", status: 502 },
    ],
    [
      { error: { code: 502, message: "it broke" }, finish_reason: null },
      { failure: "status", status: 502 },
    ],
    [{ finish_reason: "error" }, { failure: "malformed" }],
  ])("whose choice ends with %j throws it, before and after the first token", async (end, failure) => {
    const broken = event({ id: "c1", created: 1, model: "m", choices: [{ index: 0, delta: {}, ...end }] });
    const { caller } = await serve(eventStream([role, broken, done]), eventStream([role, ...words, broken, done]));
    expect(await failureOf(caller.stream())).toMatchObject({ ...failure, mayFailOver: true });
    expect(await readStream(await caller.stream())).toMatchObject({
      text: "Hi there",
      finishReason: undefined,
      error: failure,
    });
  });

  it.each([{}, { id: "" }, { id: 17, model: 3 }])(
    "with chunks of the identity %j has one generated id and the target's model",
    async (identity) => {
      const bare = [{ content: "Hi" }, { content: " there" }].map((delta) =>
        event({ ...identity, choices: [{ index: 0, delta }] }),
      );
      const end = event({ ...identity, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
      const { caller } = await serve(eventStream([...bare, end, done]));
      const { chunks, text } = await readStream(await caller.stream());
      expect(text).toBe("Hi there");
      expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
      expect(chunks[0]?.id).toMatch(/^chatcmpl-/);
      expect(chunks.every(({ model }) => model === "model-1")).toBe(true);
    },
  );

  it("whose later chunks have no id keeps that of its first", async () => {
    const bare = event({ choices: [{ index: 0, delta: { content: "Hi" } }] });
    const { caller } = await serve(eventStream([role, bare, finish, done]));
    const { chunks } = await readStream(await caller.stream());
    expect(chunks.map(({ id, model }) => [id, model])).toEqual(chunks.map(() => ["c1", "m"]));
  });

  it("whose content is a list of text parts has their text", async () => {
    const parts = ["Hi", " there"].map((text) => ({ type: "text", text }));
    const { caller } = await serve(eventStream([chunk({ role: "assistant", content: parts }), finish, done]));
    const read = await readStream(await caller.stream());
    expect(read).toMatchObject({ text: "Hi there", finishReason: "stop", error: undefined });
  });

  it("whose content is a list has the texts of parts of a known type, or of none", async () => {
    const strange = [
      { type: "weird", text: "W", refusal: "W" },
      { type: 5, text: "five", refusal: "five" },
    ];
    const thinking = { type: "thinking", thinking: [...strange, { type: "text", text: "Hm." }], text: "T" };
    const refused = { type: "refusal", refusal: "No.", text: "R" };
    const parts = [
      ...strange,
      thinking,
      { type: "text", text: "Hi" },
      { text: " the" },
      { type: null, text: "r" },
      { type: "output_text", text: "e" },
    ];
    const { caller } = await serve(
      eventStream([chunk({ role: "assistant", content: [...parts, refused] }), finish, done]),
    );
    const { chunks } = await readStream(await caller.stream());
    expect(chunks[0]?.choices[0]?.delta).toEqual({
      role: "assistant",
      content: "Hi there",
      reasoning_content: "Hm.",
      refusal: "No.",
    });
  });

  it("whose content is a list with other parts has them where a plain answer has them", async () => {
    const picture = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
    const thinking = { type: "thinking", thinking: [{ type: "text", text: "Hm." }] };
    const use = { type: "tool_use", id: "t", name: "f", input: { a: 1 } };
    const parts = [thinking, { type: "text", text: "Hi" }, picture, use, { type: "video" }, null, "?"];
    const message = { role: "assistant", content: parts };
    const plain = await serve(
      json(200, { id: "c1", model: "m", choices: [{ index: 0, message, finish_reason: "stop" }] }),
    );
    const call = { id: "t", type: "function", function: { name: "f", arguments: '{"a":1}' } };
    const said = { role: "assistant", content: "Hi", reasoning_content: "Hm.", images: [picture] };
    expect((await plain.caller.complete()).choices[0]?.message).toEqual({ ...said, tool_calls: [call] });
    const { caller } = await serve(eventStream([chunk(message), finish, done]));
    const { chunks } = await readStream(await caller.stream());
    expect(chunks[0]?.choices[0]?.delta).toEqual({ ...said, tool_calls: [{ index: 0, ...call }] });
  });

  it("that has neither roles nor indexes of tool calls gets both", async () => {
    const called = { id: "a", type: "function", function: { name: "f", arguments: "{}" } };
    const { caller } = await serve(eventStream([chunk({ tool_calls: [called] }), chunk({}, "tool_calls"), done]));
    const { chunks } = await readStream(await caller.stream());
    expect(chunks.map(({ choices }) => choices[0]?.delta)).toEqual([
      { role: "assistant", tool_calls: [{ ...called, index: 0 }] },
      {},
    ]);
  });

  it("gives fields that precede its first choice with that choice", async () => {
    const filters = [{ prompt_index: 0 }];
    const preface = event({ id: "", object: "", created: 0, model: "", choices: [], prompt_filter_results: filters });
    const { caller } = await serve(eventStream([preface, ...wholeStream]));
    const { chunks } = await readStream(await caller.stream());
    expect(chunks[0]).toMatchObject({ id: "c1", created: 1_700_000_000, model: "m", prompt_filter_results: filters });
    expect(chunks[0]?.choices[0]?.delta.role).toBe("assistant");
    expect(chunks).toHaveLength(5);
  });

  it("with an incomplete usage has none", async () => {
    const incomplete = event({ id: "c1", created: 1, model: "m", usage: { prompt_tokens: 3 } });
    const { caller } = await serve(eventStream([role, ...words, finish, incomplete, done]));
    expect(await readStream(await caller.stream())).toMatchObject({ usage: undefined, error: undefined });
  });

  it("answered with JSON is not a stream", async () => {
    const { caller } = await serve(json(200, completion), json(200, { error: { message: "no", code: 503 } }));
    expect(await failureOf(caller.stream())).toMatchObject({ failure: "malformed" });
    expect(await failureOf(caller.stream())).toMatchObject({ failure: "status", status: 503 });
  });

  it("keeps the finish of a content filter", async () => {
    const { caller } = await serve(eventStream([role, ...words, chunk({}, "content_filter"), done]));
    expect((await readStream(await caller.stream())).finishReason).toBe("content_filter");
  });

  it.each([
    [
      "a tool call",
      { tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "f", arguments: "" } }] },
    ],
    ["reasoning", { reasoning_content: "Let me think" }],
  ])("counts %s as output", async (_, output) => {
    const { caller } = await serve(eventStream([chunk({ role: "assistant", ...output })], { end: false }));
    const stream = await caller.stream({}, { bounds: { idleMs: 50 } });
    expect((await readStream(stream)).chunks[0]?.choices[0]?.delta).toMatchObject(output);
  });

  it.each([
    ["short", 10],
    ["long", 100_000],
  ])(
    "gives the chunks before and after %s events of one read, and those before one that is no chunk",
    async (_, length) => {
      const text = "x".repeat(length);
      const broken = `data: ${JSON.stringify({ choices: text })}\n\n`;
      const { caller } = await serve(
        eventStream([[role, ...words, chunk({ content: text }), ...words, broken].join("")]),
      );
      const read = await readStream(await caller.stream());
      expect(read.text).toBe(`Hi there${text}Hi there`);
      expect(read.error).toMatchObject({ failure: "malformed", message: "acme sent a chunk that cannot be read" });
    },
  );

  it("is complete for a slow reader", async () => {
    const long = "x".repeat(100_000);
    const pieces = Array.from({ length: 40 }, () => chunk({ content: long }));
    const { caller } = await serve(eventStream([role, ...pieces, finish, done]));
    const { batches } = await caller.stream({}, { bounds: { idleMs: 60 } });
    let length = 0;
    for await (const batch of batches) {
      if (length === 0) await lapse(150, "over twice the bound between two pieces");
      for (const { choices } of batch) length += choices[0]?.delta.content?.length ?? 0;
    }
    expect(length).toBe(40 * 100_000);
  });
});

describe.each(["complete", "stream"] as const)("bounds and faults of %s", (method) => {
  it.each([
    [400, false],
    [401, true],
    [403, true],
    [404, true],
    [408, true],
    [422, false],
    [429, true],
    [500, true],
    [503, true],
  ])("status %i is reported, with failover %s", async (status, mayFailOver) => {
    const { caller } = await serve(json(status, { error: { message: "The reason" } }));
    expect(await failureOf(caller[method]())).toMatchObject({
      failure: "status",
      status,
      mayFailOver,
      retryAfterSeconds: undefined,
      message: `acme answered ${status}: The reason`,
    });
  });

  it.each([
    ["17", 17],
    [["17", "18"], 17],
    ["0", 1],
    ["99999999", 3_600],
    ["Fri, 02 Jan 2026 03:04:35 GMT", 30],
    ["soon", undefined],
  ])("Retry-After %j becomes %s seconds", async (value, seconds) => {
    const { caller } = await serve(json(429, {}, { "retry-after": value }));
    expect((await failureOf(caller[method]())).retryAfterSeconds).toBe(seconds);
  });

  it.each(["gzip", "BR", "zstd"])("a reply that is compressed as %s is malformed, and says so", async (encoding) => {
    const { server, caller } = await serve((res) => {
      const type = method === "stream" ? "text/event-stream" : "application/json";
      res.writeHead(200, { "content-type": type, "content-encoding": encoding }).end(gzipSync("{}"));
    });
    const message = `acme compressed its reply (${encoding}), which was not asked for`;
    expect(await failureOf(caller[method]())).toMatchObject({ failure: "malformed", message });
    expect(server.requests[0]?.headers["accept-encoding"]).toBe("identity");
  });

  it("an encoding that changes no bytes is ignored", async () => {
    const { caller } = await serve((res, request) => {
      res.setHeader("content-encoding", "none");
      return (method === "stream" ? eventStream(wholeStream) : json(200, completion))(res, request);
    });
    await expect(caller[method]()).resolves.toBeDefined();
  });

  it("a connection that is reset before the head is unreachable", async () => {
    const { caller } = await serve((res) => void res.socket?.resetAndDestroy());
    expect(await failureOf(caller[method]())).toMatchObject({ failure: "unreachable", mayFailOver: true });
  });

  it("an answer that is not HTTP is malformed", async () => {
    const server = createServer((socket) => socket.resume().end("SSH-2.0-OpenSSH_9.2\r\n"));
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    const caller = createCaller({ kind: "openai", baseUrl: `http://127.0.0.1:${port}` });
    open.push(caller, { close: async () => await new Promise((resolve) => void server.close(() => resolve())) });
    expect(await failureOf(caller[method]())).toMatchObject({ failure: "malformed" });
  });

  it("a head that never comes times out", async () => {
    const { server, caller } = await serve(silence);
    expect(await failureOf(caller[method]({}, { bounds: { headersMs: 40 } }))).toMatchObject({
      failure: "timeout",
      message: "acme did not answer within 40 ms",
    });
    await server.hungUp;
  });

  it("an answer that never ends times out", async () => {
    const { caller } = await serve(after(200, json(200, completion)));
    const failure = await failureOf(caller[method]({}, { bounds: { totalMs: 40 } }));
    expect(failure).toMatchObject({ failure: "timeout", message: "acme did not finish within 40 ms" });
  });

  it("a call that is aborted frees its connection", async () => {
    const { server, caller } = await serve(silence);
    const abort = new AbortController();
    const failure = failureOf(caller[method]({}, { signal: abort.signal }));
    await expect.poll(() => server.requests.length).toBe(1);
    abort.abort();
    expect(await failure).toMatchObject({ failure: "aborted", mayFailOver: false });
    await server.hungUp;
  });

  it("a call that was aborted before its start sends nothing", async () => {
    const { server, caller } = await serve(json(200, completion));
    expect(await failureOf(caller[method]({}, { signal: AbortSignal.abort() }))).toMatchObject({ failure: "aborted" });
    expect(server.requests).toHaveLength(0);
  });
});

describe("bounds of one kind of answer", () => {
  it("an answer that falls silent after its head times out", async () => {
    const { caller } = await serve((res) => void res.writeHead(200).write("{"));
    const failure = await failureOf(caller.complete({}, { bounds: { idleMs: 40 } }));
    expect(failure).toMatchObject({ failure: "timeout", message: "acme sent nothing for 40 ms" });
  });

  it("an answer that breaks off in its body is cut", async () => {
    const { caller } = await serve((res) => {
      res.writeHead(200, { "content-length": "100" }).write("{");
      // Written after the bytes.
      res.socket?.end();
    });
    expect(await failureOf(caller.complete())).toMatchObject({ failure: "cut" });
  });

  it("a slow first token times out, also with keep-alive comments", async () => {
    const { caller } = await serve(async (res, request) => {
      await eventStream([role], { end: false })(res, request);
      const timer = setInterval(() => res.write(": processing\n\n"), 10);
      res.on("close", () => clearInterval(timer));
    });
    const failure = await failureOf(caller.stream({}, { bounds: { firstTokenMs: 60, idleMs: 30 } }));
    expect(failure).toMatchObject({ failure: "timeout", message: "acme sent no first token within 60 ms" });
  });

  it("a stream that stalls times out after its text", async () => {
    const { server, caller } = await serve(eventStream([role, ...words], { end: false }));
    const read = await readStream(await caller.stream({}, { bounds: { idleMs: 40 } }));
    expect(read).toMatchObject({
      text: "Hi there",
      error: { failure: "timeout", message: "acme sent no output for 40 ms" },
    });
    await server.hungUp;
  });

  it.each([
    ["comments", ": keep-alive\n\n"],
    ["events without data", "data:\n\n"],
    ["empty deltas", chunk({})],
    ["deltas of empty fields", chunk({ content: "", tool_calls: [], reasoning_content: null })],
  ])("a stream that only sends %s after its text times out", async (_name, piece) => {
    const { server, caller } = await serve(async (res, request) => {
      await eventStream([role, ...words], { end: false })(res, request);
      const timer = setInterval(() => res.write(piece), 10);
      res.on("close", () => clearInterval(timer));
    });
    const read = await readStream(await caller.stream({}, { bounds: { idleMs: 60 } }));
    const error = { failure: "timeout", message: "acme sent no output for 60 ms" };
    expect(read).toMatchObject({ text: "Hi there", error });
    await server.hungUp;
  });

  it("a stream that goes on with comments after its finish is complete", async () => {
    const { server, caller } = await serve(async (res, request) => {
      await eventStream([role, ...words, finish], { end: false })(res, request);
      const timer = setInterval(() => res.write(": keep-alive\n\n"), 10);
      res.on("close", () => clearInterval(timer));
    });
    const read = await readStream(await caller.stream({}, { bounds: { idleMs: 500 } }));
    expect(read).toMatchObject({ text: "Hi there", finishReason: "stop", error: undefined });
    await server.hungUp;
  });

  it("a long event that takes longer than the silence to arrive is read", async () => {
    const image = chunk({ content: "x".repeat(200_000) });
    const pieces = Array.from({ length: 10 }, (_, at) => image.slice(at * 20_100, (at + 1) * 20_100));
    const { caller } = await serve(async (res, request) => {
      await eventStream([role, ...words], { end: false })(res, request);
      for (const piece of pieces) {
        res.write(piece);
        await lapse(60, "all pieces together take longer than the bound of silence");
      }
      res.end(finish + done);
    });
    const read = await readStream(await caller.stream({}, { bounds: { idleMs: 300 } }));
    expect(read).toMatchObject({ finishReason: "stop", error: undefined });
    expect(read.text).toHaveLength("Hi there".length + 200_000);
  });

  it("a stream whose reader is slower than its silence is complete", async () => {
    const { caller } = await serve(eventStream(wholeStream));
    const { batches } = await caller.stream({}, { bounds: { idleMs: 40 } });
    let text = "";
    for await (const batch of batches) {
      text += batch.map(({ choices }) => choices[0]?.delta.content ?? "").join("");
      await lapse(80, "the reader takes longer than the bound of silence");
    }
    expect(text).toBe("Hi there");
  });

  it("a stream may take longer than the total once it has begun", async () => {
    const { caller } = await serve(async (res) => {
      res.writeHead(200, { "content-type": "text/event-stream" });
      for (const piece of wholeStream) {
        res.write(piece);
        await lapse(120, "all pieces together take longer than the total");
      }
      res.end();
    });
    const read = await readStream(await caller.stream({}, { bounds: { totalMs: 400 } }));
    expect(read).toMatchObject({ text: "Hi there", error: undefined });
  });

  it("closing a stream early frees its connection", async () => {
    const { server, caller } = await serve(eventStream([role, ...words], { end: false }));
    const { batches } = await caller.stream();
    for await (const batch of batches) if (batch.length > 0) break;
    await server.hungUp;
  });

  it("closing a stream before its first batch frees its connection", async () => {
    const { server, caller } = await serve(eventStream([role, ...words], { end: false }));
    await (await caller.stream()).batches[Symbol.asyncIterator]().return?.();
    await server.hungUp;
  });

  it("aborting a stream in its middle ends it at once", async () => {
    const { server, caller } = await serve(eventStream([role, ...words], { end: false }));
    const abort = new AbortController();
    const stream = await caller.stream({}, { signal: abort.signal });
    abort.abort();
    expect((await readStream(stream)).error).toMatchObject({ failure: "aborted" });
    await server.hungUp;
  });
});

describe("a credential", () => {
  it("is in no error, message, cause or log, for any reply of the provider", async () => {
    const lines: string[] = [];
    const destination = new Writable({
      write(line: Buffer, _encoding, callback) {
        lines.push(line.toString());
        callback();
      },
    });
    const log = createLogger({ service: "test", level: "trace", destination });
    const echo: Answer = (res, { headers }) => {
      const message = `Incorrect API key provided: ${headers.authorization?.slice(7)}, or ${headers.authorization}. Also sk-proj-abcd***wxyz`;
      void json(401, { error: { message } })(res, { method: "", path: "", headers: {}, body: "" });
    };
    const server: EmulatedServer = await startEmulatedServer(echo);
    const adapters = createProviderAdapters({ log, countTexts: countInline });
    open.push(adapters, server);
    const address: ProviderAddress = {
      provider: "acme",
      kind: "openai",
      baseUrl: server.url,
      apiKey: new Secret(key),
      model: "m",
    };
    const attempt = { bounds: generousBounds, signal: new AbortController().signal, traceparent: undefined };
    const request = { model: "m", messages: [{ role: "user", content: "my prompt" }] };
    for (const apiKey of [key, `${key}\nnew line`]) {
      const call = adapters.adapterFor("openai").complete({ ...address, apiKey: new Secret(apiKey) }, request, attempt);
      log.error({ err: await failureOf(call), address }, "failed");
    }
    expect(lines).toHaveLength(2);
    expect(lines.join("")).not.toContain(key);
    expect(lines.join("")).not.toContain("abcd");
    expect(lines.join("")).not.toContain("my prompt");
  });
});
