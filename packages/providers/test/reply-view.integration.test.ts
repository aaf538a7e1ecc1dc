import { crc32 } from "node:zlib";
import { afterEach, describe, expect, it, test } from "vitest";
import { type Answer, eventStream, json, startEmulatedServer } from "../src/testing/emulated-server.ts";
import { createCaller, failureOf, readStream } from "./calling.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

type Kind = "anthropic" | "google" | "mistral" | "bedrock";

async function calling(kind: Kind, answer: Answer) {
  const server = await startEmulatedServer(answer);
  const caller = createCaller({ kind, baseUrl: `${server.url}/v1` });
  open.push(caller, server);
  return caller;
}

const eventOf = (event: object) => `data: ${wireOf(event)}\n\n`;

/** One frame of Amazon's event streams; all headers are strings. */
function frameOf(type: string, payload: object): Buffer {
  const headers = Object.entries({ ":message-type": "event", ":event-type": type }).map(([name, value]) => {
    const length = Buffer.alloc(3);
    length[0] = 7;
    length.writeUInt16BE(value.length, 1);
    return Buffer.concat([Buffer.of(name.length), Buffer.from(name), length, Buffer.from(value)]);
  });
  const head = Buffer.concat(headers);
  const body = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(head.length + body.length + 16, 0);
  prelude.writeUInt32BE(head.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const message = Buffer.concat([prelude, head, body]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(message));
  return Buffer.concat([message, sum]);
}

/** A text in a reply's value for which {@link wireOf} writes a number beyond a double's range. */
const infinite = "1e400";
const wireOf = (value: object) => JSON.stringify(value).replaceAll(`"${infinite}"`, infinite);

const claude = (parts: object) => ({
  type: "message",
  role: "assistant",
  content: [{ type: "text", text: "Hi" }],
  stop_reason: "end_turn",
  usage: { input_tokens: 5, output_tokens: 3 },
  ...parts,
});
const gemini = (parts: object) => ({
  candidates: [{ content: { role: "model", parts: [{ text: "Hi" }] }, finishReason: "STOP" }],
  ...parts,
});
const geminiWith = (content: object, candidate: object = {}) =>
  gemini({ candidates: [{ content: { parts: [{ text: "Hi" }], ...content }, finishReason: "STOP", ...candidate }] });
const mistral = (parts: object, content: unknown = "Hi") => ({
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
  ...parts,
});
const nova = (parts: object, blocks: readonly object[] = []) => ({
  output: { message: { role: "assistant", content: [...blocks, { text: "Hi" }] } },
  stopReason: "end_turn",
  ...parts,
});

function wholeOf(reply: object): Answer {
  return (res) => {
    res.writeHead(200, { "content-type": "application/json" });
    res.end(wireOf(reply));
  };
}

describe("the model of an answer of google", () => {
  const named = { modelVersion: "gemini-2.5-flash-002" };

  test.each([
    ["is the one that the reply names", named, named.modelVersion],
    ["is the target's where the reply names none", {}, "model-1"],
    ["is the target's where the reply has another value in its place", { modelVersion: 7 }, "model-1"],
  ])("%s", async (_rule, parts, expected) => {
    const whole = await calling("google", wholeOf(gemini(parts)));
    expect((await whole.complete()).model).toBe(expected);
    const streaming = await calling("google", eventStream([eventOf(gemini(parts))]));
    const { chunks } = await readStream(await streaming.stream());
    expect(new Set(chunks.map(({ model }) => model))).toEqual(new Set([expected]));
  });
});

describe("whole replies", () => {
  test.each<[Kind, string, object]>([
    ["anthropic", "with empty usage", claude({ usage: {} })],
    ["anthropic", "without usage", claude({ usage: undefined })],
    ["anthropic", "with null as usage", claude({ usage: null })],
    ["anthropic", "with a text as a count", claude({ usage: { input_tokens: "5", output_tokens: 3 } })],
    ["anthropic", "without a count beside cached tokens", claude({ usage: { cache_read_input_tokens: 900 } })],
    ["google", "with empty usage", gemini({ usageMetadata: {} })],
    ["mistral", "with empty usage", mistral({ usage: {} })],
    ["mistral", "without usage", mistral({})],
    ["google", "with an infinite count", gemini({ usageMetadata: { promptTokenCount: infinite } })],
    ["anthropic", "with an infinite count", claude({ usage: { input_tokens: infinite, output_tokens: 3 } })],
    ["mistral", "with an infinite count", mistral({ usage: { prompt_tokens: infinite, completion_tokens: 3 } })],
    ["bedrock", "with an infinite count", nova({ usage: { inputTokens: infinite, outputTokens: 3 } })],
    ["bedrock", "with empty usage", nova({ usage: {} })],
    ["bedrock", "without usage", nova({})],
  ])("%s %s are read, and have no usage", async (kind, _what, reply) => {
    const { choices, usage } = await (await calling(kind, wholeOf(reply))).complete();
    expect([choices[0]?.message.content, usage]).toEqual(["Hi", undefined]);
  });

  const newText = { type: "text", text: "Hi", citations: [{ type: "new_location" }] };
  test.each<[Kind, string, object]>([
    [
      "anthropic",
      "a block",
      claude({
        content: [
          { type: "new", x: 1 },
          { type: "text", text: "Hi" },
        ],
      }),
    ],
    ["anthropic", "a citation", claude({ content: [newText] })],
    ["anthropic", "thinking without a signature", claude({ content: [{ type: "thinking", thinking: "" }, newText] })],
    ["anthropic", "a container", claude({ container: { new: 1 } })],
    ["mistral", "a part", mistral({}, [{ type: "new" }, { type: "text", text: "Hi" }])],
    ["bedrock", "reasoning", nova({}, [{ reasoningContent: { newContent: 1 } }])],
    ["google", "a part", geminiWith({ parts: [{ text: "Hi" }, { executableCode: 1 }, { new: 1 }] })],
    ["google", "a rating", geminiWith({}, { safetyRatings: [{ probabilityScore: "new" }] })],
    ["google", "a source", geminiWith({}, { groundingMetadata: { groundingChunks: [{ web: { new: 1 } }] } })],
    ["google", "a fetched page", geminiWith({}, { urlContextMetadata: { urlMetadata: [{ new: 1 }] } })],
    [
      "google",
      "the count of a kind of token",
      gemini({ usageMetadata: { promptTokenCount: 5, promptTokensDetails: [{ new: 1 }] } }),
    ],
    ["google", "an id", gemini({ responseId: 1 })],
    ["mistral", "an id", mistral({ id: 1, model: {}, created: "now" })],
    ["anthropic", "an id", claude({ id: 1, model: {}, stop_sequence: {} })],
  ])("%s with %s that the package does not know are read without it", async (kind, _what, reply) => {
    const { choices } = await (await calling(kind, json(200, reply))).complete();
    expect(choices[0]).toMatchObject({ message: { content: "Hi" }, finish_reason: expect.stringMatching(/stop/) });
  });

  test.each<Kind>(["anthropic", "mistral", "bedrock"])("%s without an answer are malformed", async (kind) => {
    const caller = await calling(kind, json(200, { new: 1 }));
    expect(await failureOf(caller.complete())).toMatchObject({ failure: "malformed" });
  });
});

const start = { type: "message_start", message: { id: "m", model: "c", usage: { input_tokens: 5 } } };
const textBegins = { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } };
const textOf = (text: string) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
const textEnds = { type: "content_block_stop", index: 0 };
const stopped = (usage: unknown = { output_tokens: 3 }) => ({
  type: "message_delta",
  delta: { stop_reason: "end_turn" },
  usage,
});
const ended = { type: "message_stop" };

describe("streams of Anthropic", () => {
  it.each<[string, readonly object[]]>([
    ["an event", [start, textBegins, textOf("H"), { type: "new" }, textOf("i"), textEnds, stopped(), ended]],
    [
      "a block",
      [
        start,
        { type: "content_block_start", index: 0, content_block: { type: "new" } },
        { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "hidden" } },
        textEnds,
        textBegins,
        textOf("Hi"),
        textEnds,
        stopped(),
        ended,
      ],
    ],
    [
      "a delta",
      [
        start,
        textBegins,
        { type: "content_block_delta", index: 0, delta: { type: "new", text: "x" } },
        textOf("Hi"),
        textEnds,
        stopped(),
        ended,
      ],
    ],
  ])("are read without %s that the package does not know", async (_what, events) => {
    const caller = await calling("anthropic", eventStream(events.map(eventOf)));
    const answer = await readStream(await caller.stream());
    expect(answer).toMatchObject({ text: "Hi", finishReason: "stop", error: undefined });
    expect(answer.usage).toMatchObject({ prompt_tokens: 5, completion_tokens: 3 });
  });

  it.each<[string, unknown, unknown]>([
    ["without usage", undefined, undefined],
    ["with empty usage", {}, {}],
    ["without the answer's count", { input_tokens: 5 }, {}],
  ])("%s are read, and have no usage", async (_what, first, last) => {
    const events = [
      { ...start, message: { id: "m", usage: first } },
      textBegins,
      textOf("Hi"),
      textEnds,
      { ...stopped(), usage: last },
      ended,
    ];
    const caller = await calling("anthropic", eventStream(events.map(eventOf)));
    const answer = await readStream(await caller.stream());
    expect(answer).toMatchObject({ text: "Hi", finishReason: "stop", usage: undefined, error: undefined });
  });

  it("without their first event have no usage, since that has the prompt's count", async () => {
    const caller = await calling("anthropic", eventStream([textBegins, textOf("Hi"), stopped(), ended].map(eventOf)));
    const answer = await readStream(await caller.stream());
    expect(answer).toMatchObject({ text: "Hi", finishReason: "stop", usage: undefined, error: undefined });
  });

  it("may begin a block with a part of its text", async () => {
    const thinking = { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "Hm" } };
    const text = { type: "content_block_start", index: 1, content_block: { type: "text", text: "H" } };
    const more = { ...textOf("i"), index: 1 };
    const events = [start, thinking, textEnds, text, more, { ...textEnds, index: 1 }, stopped(), ended];
    const caller = await calling("anthropic", eventStream(events.map(eventOf)));
    const answer = await readStream(await caller.stream());
    expect(answer).toMatchObject({ text: "Hi", finishReason: "stop", error: undefined });
    const deltas = answer.chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
    expect(deltas).toContainEqual({ reasoning_content: "Hm" });
  });

  it.each([
    ["comments", ": keep-alive\n\n"],
    ["events without data", "data:\n\n"],
  ])("that send only %s after the first token are silent", async (_name, piece) => {
    const answer: Answer = (res) => {
      res.writeHead(200, { "content-type": "text/event-stream" });
      res.write([start, textBegins, textOf("Hi")].map(eventOf).join(""));
      const timer = setInterval(() => res.write(piece), 20);
      res.on("close", () => clearInterval(timer));
    };
    const stream = await (await calling("anthropic", answer)).stream({}, { bounds: { idleMs: 200 } });
    expect((await readStream(stream)).error).toMatchObject({ failure: "timeout" });
  });
});

describe("thinking of Mistral", () => {
  const reference = { type: "reference", reference_ids: [1] };
  const thinking = [{ type: "text", text: "H" }, reference, { type: "text" }, null, { type: "text", text: "m" }];
  const parts = [
    { type: "thinking", thinking },
    { type: "text", text: "Hi" },
  ];

  it("is read without its references, whole", async () => {
    const { choices } = await (await calling("mistral", json(200, mistral({}, parts)))).complete();
    expect(choices[0]).toMatchObject({ message: { content: "Hi", reasoning_content: "Hm" }, finish_reason: "stop" });
  });

  it("is read without its references, in a stream", async () => {
    const events = [eventOf({ choices: [{ index: 0, delta: { content: parts }, finish_reason: "stop" }] })];
    const caller = await calling("mistral", eventStream([...events, "data: [DONE]\n\n"]));
    const answer = await readStream(await caller.stream());
    expect(answer).toMatchObject({ text: "Hi", finishReason: "stop", error: undefined });
    const deltas = answer.chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
    expect(deltas).toContainEqual({ reasoning_content: "Hm" });
  });
});

test("a stream of Mistral has chunks without choices", async () => {
  const chunks = [
    { choices: [] },
    { choices: [{ index: 0, delta: { content: "Hi" } }] },
    { new: 1 },
    { choices: [{ index: 0, delta: { content: "" }, finish_reason: "stop" }] },
    { choices: [], usage: { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 } },
  ];
  const caller = await calling("mistral", eventStream([...chunks.map(eventOf), "data: [DONE]\n\n"]));
  const answer = await readStream(await caller.stream());
  expect(answer).toMatchObject({ text: "Hi", finishReason: "stop", error: undefined });
  expect(answer.usage).toMatchObject({ prompt_tokens: 5, completion_tokens: 3 });
});

test.each<[string, number | undefined]>([
  ["counted from 0", 0],
  ["counted from 1", 1],
  ["without a number", undefined],
])("of a stream of Mistral only the first choice is read, %s", async (_what, first) => {
  const one = { index: first };
  const other = { index: (first ?? 0) + 1 };
  const chunks = [
    { choices: [{ ...one, delta: { role: "assistant", content: "H" } }] },
    { choices: [{ ...other, delta: { role: "assistant", content: "No" } }] },
    { choices: [{ ...other, delta: { content: "" }, finish_reason: "length" }] },
    {
      choices: [
        { ...other, delta: { content: "!" } },
        { ...one, delta: { content: "i" } },
      ],
    },
    { choices: [{ ...one, delta: { content: "" }, finish_reason: "stop" }] },
    { choices: [], usage: { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 } },
  ];
  const caller = await calling("mistral", eventStream([...chunks.map(eventOf), "data: [DONE]\n\n"]));
  const answer = await readStream(await caller.stream());
  expect(answer).toMatchObject({ text: "Hi", finishReason: "stop", error: undefined });
  expect(answer.usage).toMatchObject({ prompt_tokens: 5, completion_tokens: 3 });
});

test("a stream of Mistral is not whole by the finish of another choice", async () => {
  const chunks = [
    { choices: [{ index: 0, delta: { content: "H" } }] },
    { choices: [{ index: 1, delta: { content: "No" }, finish_reason: "stop" }] },
  ];
  const caller = await calling("mistral", eventStream(chunks.map(eventOf)));
  expect((await readStream(await caller.stream())).error).toMatchObject({ failure: "cut" });
});

const frames = {
  start: frameOf("messageStart", { role: "assistant" }),
  text: frameOf("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "Hi" } }),
  stop: frameOf("messageStop", { stopReason: "end_turn" }),
  usage: frameOf("metadata", { usage: { inputTokens: 5, outputTokens: 3, totalTokens: 8 } }),
};

test("a stream of Bedrock is read without a delta, and without usage, that the package does not know", async () => {
  const pieces = [
    frames.start,
    frameOf("contentBlockDelta", { contentBlockIndex: 0, delta: { newDelta: {} } }),
    frames.text,
    frames.stop,
    frameOf("metadata", { usage: {} }),
  ];
  const caller = await calling("bedrock", eventStream(pieces));
  const answer = await readStream(await caller.stream());
  expect(answer).toMatchObject({ text: "Hi", finishReason: "stop", usage: undefined, error: undefined });
});

describe("a stream whose answer has its finish reason is complete", () => {
  const mistralChunk = (content: string, finish: string | null) =>
    eventOf({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] });
  const finished: Record<Kind, readonly (string | Buffer)[]> = {
    anthropic: [start, textBegins, textOf("Hi"), textEnds, stopped()].map(eventOf),
    google: [eventOf(gemini({}))],
    mistral: [mistralChunk("Hi", null), mistralChunk("", "stop")],
    bedrock: [frames.start, frames.text, frames.stop],
  };
  const half: Record<Kind, string | Buffer> = {
    anthropic: 'event: message_stop\ndata: {"type":"mess',
    google: 'data: {"usageMeta',
    mistral: 'data: {"choi',
    bedrock: frames.usage.subarray(0, 40),
  };
  const kinds = Object.keys(finished) as Kind[];

  it.each(kinds)("when %s breaks off inside a later event", async (kind) => {
    const broken: Answer = async (res, request) => {
      await eventStream([...finished[kind], half[kind]], { end: false })(res, request);
      res.socket?.end();
      res.socket?.destroySoon();
    };
    const answer = await readStream(await (await calling(kind, broken)).stream());
    expect(answer).toMatchObject({ text: "Hi", finishReason: "stop", error: undefined });
  });

  it.each(kinds)("when %s ends inside a later event", async (kind) => {
    const caller = await calling(kind, eventStream([...finished[kind], half[kind]]));
    const answer = await readStream(await caller.stream());
    expect(answer).toMatchObject({ text: "Hi", finishReason: "stop", error: undefined });
  });

  it.each(kinds)("when an unreadable event of %s follows", async (kind) => {
    const junk = kind === "bedrock" ? Buffer.alloc(64, 0xff) : 'data: {"oops\n\n';
    const caller = await calling(kind, eventStream([...finished[kind], junk]));
    const answer = await readStream(await caller.stream());
    expect(answer).toMatchObject({ text: "Hi", finishReason: "stop", error: undefined });
  });

  it.each(kinds)("but not when an event of %s breaks off before", async (kind) => {
    const pieces = [...finished[kind].slice(0, kind === "google" ? 0 : -1), half[kind]];
    const caller = await calling(kind, eventStream(pieces));
    const reading = async () => {
      const { error } = await readStream(await caller.stream());
      throw error ?? new Error("the stream ended as if it were complete");
    };
    expect(["cut", "malformed"]).toContain((await failureOf(reading())).failure);
  });
});

test("a stream of Mistral may have null as its error", async () => {
  const chunks = [
    { choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: "stop" }], error: null },
    { choices: [], usage: { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 }, error: null },
  ];
  const caller = await calling("mistral", eventStream(chunks.map(eventOf)));
  const answer = await readStream(await caller.stream());
  expect(answer).toMatchObject({ text: "Hi", finishReason: "stop", error: undefined });
  expect(answer.usage).toMatchObject({ prompt_tokens: 5, completion_tokens: 3 });
});

test("a stream of Gemini has one id, also if only later events have one", async () => {
  const events = [gemini({ candidates: [{ content: { parts: [{ text: "Hi" }] } }] }), gemini({ responseId: "late" })];
  const caller = await calling("google", eventStream(events.map(eventOf)));
  const { chunks } = await readStream(await caller.stream());
  expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
});

describe("an empty text is no finish reason", () => {
  const streams: Record<Kind, readonly (string | Buffer)[]> = {
    anthropic: [
      start,
      textBegins,
      textOf("Hi"),
      { type: "message_delta", delta: { stop_reason: "" }, usage: { output_tokens: 1 } },
    ].map(eventOf),
    google: [eventOf(geminiWith({}, { finishReason: "" }))],
    mistral: [eventOf({ choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: "" }] }), "data: [DONE]\n\n"],
    bedrock: [frames.start, frames.text, frameOf("messageStop", { stopReason: "" })],
  };

  it.each(Object.keys(streams) as Kind[])("in a stream of %s, which is cut", async (kind) => {
    const { error } = await readStream(await (await calling(kind, eventStream(streams[kind]))).stream());
    expect(error).toMatchObject({ failure: "cut" });
  });

  it.each<[Kind, object]>([
    ["anthropic", claude({ stop_reason: "" })],
    ["google", geminiWith({}, { finishReason: "" })],
    ["mistral", mistral({ choices: [{ index: 0, message: { content: "Hi" }, finish_reason: "" }] })],
    ["bedrock", nova({ stopReason: "" })],
  ])("in a whole reply of %s, where it is null", async (kind, reply) => {
    const { choices } = await (await calling(kind, json(200, reply))).complete();
    expect(choices[0]).toMatchObject({ message: { content: "Hi" }, finish_reason: null });
  });
});
