import type { JsonObject } from "@gatehouse/json";
import { afterEach, describe, expect, it } from "vitest";
import { toAcceptedIds } from "../src/ai-sdk/accepted-ids.ts";
import type { ChatMessage, CompletionRequest } from "../src/forms/completion.ts";
import { startEmulatedServer } from "../src/testing/emulated-server.ts";
import { answerOf, readTranscript } from "../src/testing/transcript.ts";
import { createCaller, failureOf } from "./calling.ts";

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

/** Kinds whose requests are translated. */
const translatedKinds = ["anthropic", "google", "mistral", "bedrock"] as const;
type TranslatedKind = (typeof translatedKinds)[number];

/** Caller of a provider that answers with a text. */
async function serve(kind: TranslatedKind, model?: string) {
  const server = await startEmulatedServer(answerOf(readTranscript(kind, "text")));
  const caller = createCaller({ kind, baseUrl: server.url, ...(model === undefined ? {} : { model }) });
  open.push(caller, server);
  return { server, caller };
}

/** Body that the provider gets for a request. */
async function sentBody(kind: TranslatedKind, request: Partial<CompletionRequest>, model?: string) {
  const { server, caller } = await serve(kind, model);
  await caller.complete(request);
  return JSON.parse(server.requests[0]?.body ?? "") as JsonObject;
}

const parameters = { type: "object", properties: { city: { type: "string" } } };
const tools = [{ type: "function", function: { name: "get_weather", parameters } }];
const toolHistory = [
  { role: "user", content: "How warm is it?" },
  {
    role: "assistant",
    content: null,
    tool_calls: [
      { id: "call_abc1", type: "function", function: { name: "get_weather", arguments: '{"city":"Rome"}' } },
      { id: "call_abc2", type: "function", function: { name: "get_weather", arguments: '{"city":"Oslo"}' } },
    ],
  },
  { role: "tool", tool_call_id: "call_abc1", content: "21 degrees" },
  { role: "tool", tool_call_id: "call_abc2", content: "9 degrees" },
];

describe.each([
  ["without tools", {}],
  ["with the tool choice none", { tools, tool_choice: "none" }],
] as const)("tool calls of the history, %s", (_what, parameters) => {
  it.each(translatedKinds)("are sent to %s with their results", async (kind) => {
    const sent = JSON.stringify(await sentBody(kind, { messages: toolHistory, ...parameters }));
    for (const part of ["get_weather", "Rome", "Oslo", "21 degrees", "9 degrees"]) expect(sent).toContain(part);
  });

  it("are text for bedrock, which refuses them in a request without tools", async () => {
    const body = await sentBody("bedrock", { messages: toolHistory, ...parameters });
    expect(body["toolConfig"]).toBeUndefined();
    expect(body["messages"]).toEqual([
      { role: "user", content: [{ text: "How warm is it?" }] },
      {
        role: "assistant",
        content: [
          { text: '[Call call_abc1 of the tool get_weather: {"city":"Rome"}]' },
          { text: '[Call call_abc2 of the tool get_weather: {"city":"Oslo"}]' },
        ],
      },
      {
        role: "user",
        content: [
          { text: "[Result of call call_abc1 of the tool get_weather: 21 degrees]" },
          { text: "[Result of call call_abc2 of the tool get_weather: 9 degrees]" },
        ],
      },
    ]);
  });
});

describe("results of parallel tool calls", () => {
  const [question, calls, first, second] = toolHistory;
  const interjection = { role: "user", content: "Hurry" };
  const histories = {
    "in the order of the calls": [question, calls, first, second, interjection],
    "in another order": [question, calls, second, first, interjection],
    "with text between them": [question, calls, first, interjection, second],
  };

  /** Messages of a provider from the calls on. */
  async function sentAfterCalls(kind: TranslatedKind, messages: readonly unknown[]) {
    const request = { messages: messages as CompletionRequest["messages"], tools };
    const { messages: sent, contents } = await sentBody(kind, request);
    return ((sent ?? contents) as readonly unknown[]).slice(2);
  }

  const anthropicResult = (id: string, content: string) => ({ type: "tool_result", tool_use_id: id, content });
  const bedrockResult = (toolUseId: string, text: string) => ({ toolResult: { toolUseId, content: [{ text }] } });
  const googleResult = (id: string, content: string) => ({
    functionResponse: { id, name: "get_weather", response: { name: "get_weather", content } },
  });
  const mistralResult = (id: string | undefined, content: string) => ({
    role: "tool",
    name: "get_weather",
    tool_call_id: id,
    content,
  });
  const ids = ["call_abc1", "call_abc2"] as const;
  const mistralIds = toAcceptedIds(ids, /^[a-zA-Z0-9]{9}$/);

  describe.each(Object.entries(histories))("%s", (_order, messages) => {
    it("are one message of anthropic, before the text", async () => {
      expect(await sentAfterCalls("anthropic", messages)).toEqual([
        {
          role: "user",
          content: [
            anthropicResult(ids[0], "21 degrees"),
            anthropicResult(ids[1], "9 degrees"),
            { type: "text", text: "Hurry" },
          ],
        },
      ]);
    });

    it("are one message of bedrock, before the text", async () => {
      expect(await sentAfterCalls("bedrock", messages)).toEqual([
        {
          role: "user",
          content: [bedrockResult(ids[0], "21 degrees"), bedrockResult(ids[1], "9 degrees"), { text: "Hurry" }],
        },
      ]);
    });

    it("are one content of google, which refuses another number of them than of calls", async () => {
      expect(await sentAfterCalls("google", messages)).toEqual([
        { role: "user", parts: [googleResult(ids[0], "21 degrees"), googleResult(ids[1], "9 degrees")] },
        { role: "user", parts: [{ text: "Hurry" }] },
      ]);
    });

    it("are messages of mistral in the order of the calls", async () => {
      expect(await sentAfterCalls("mistral", messages)).toEqual([
        mistralResult(mistralIds[0], "21 degrees"),
        mistralResult(mistralIds[1], "9 degrees"),
        { role: "user", content: [{ type: "text", text: "Hurry" }] },
      ]);
    });
  });

  it.each(translatedKinds)("are sent to %s without one that is missing, for the provider to judge", async (kind) => {
    const sent = JSON.stringify(await sentAfterCalls(kind, [question, calls, second]));
    expect(sent).toContain("9 degrees");
    expect(sent).not.toContain(ids[0]);
  });
});

describe("ids of tool calls of other providers", () => {
  const openAiId = "call_PTLP8xhu3uwZk4l3nlnrrJha";
  const kimiId = "functions.get_weather:0";
  const mistralId = "D681PevKs";
  const longId = "a".repeat(65);
  const called = { type: "function", function: { name: "get_weather", arguments: "{}" } };

  /** One message with the calls, and their results. */
  function turn(...ids: readonly string[]): ChatMessage[] {
    return [
      { role: "assistant", tool_calls: ids.map((id) => ({ id, ...called })) },
      ...ids.map((id) => ({ role: "tool", tool_call_id: id, content: "21 degrees" })),
    ];
  }

  /** Ids that the provider gets for calls and for their results. */
  async function sentIds(kind: TranslatedKind, ...turns: readonly (readonly ChatMessage[])[]) {
    const messages = [{ role: "user", content: "How warm is it?" }, ...turns.flat()];
    const sent = JSON.stringify(await sentBody(kind, { messages, tools }));
    const all = (pattern: RegExp) => [...sent.matchAll(pattern)].map(([, id]) => id ?? "");
    return { calls: all(callIds[kind]), results: all(resultIds[kind]) };
  }

  const callIds: Record<TranslatedKind, RegExp> = {
    anthropic: /"type":"tool_use","id":"([^"]*)"/g,
    bedrock: /"toolUse":\{"toolUseId":"([^"]*)"/g,
    google: /"functionCall":\{"id":"([^"]*)"/g,
    mistral: /\{"id":"([^"]*)","type":"function"/g,
  };
  const resultIds: Record<TranslatedKind, RegExp> = {
    anthropic: /"type":"tool_result","tool_use_id":"([^"]*)"/g,
    bedrock: /"toolResult":\{"toolUseId":"([^"]*)"/g,
    google: /"functionResponse":\{"id":"([^"]*)"/g,
    mistral: /"tool_call_id":"([^"]*)"/g,
  };

  it.each([
    ["anthropic", /^[a-zA-Z0-9_-]{1,64}$/, [openAiId, mistralId]],
    ["bedrock", /^[a-zA-Z0-9_-]{1,64}$/, [openAiId, mistralId]],
    ["mistral", /^[a-zA-Z0-9]{9}$/, [mistralId]],
    ["google", /^/, [openAiId, kimiId, mistralId, longId]],
  ] as const)("are kept for %s if they match %s, else replaced", async (kind, accepted, kept) => {
    const ids = [openAiId, kimiId, mistralId, longId];
    const { calls, results } = await sentIds(kind, turn(...ids));
    expect(results).toEqual(calls);
    expect(new Set(calls).size).toBe(ids.length);
    for (const id of calls) expect(id).toMatch(accepted);
    expect(calls.filter((id, index) => id === ids[index])).toEqual(kept);
  });

  it.each(translatedKinds)("are the same for %s in the next turn, and differ for each call", async (kind) => {
    const { calls: before } = await sentIds(kind, turn(kimiId, mistralId));
    const { calls, results } = await sentIds(kind, turn(kimiId, mistralId), turn(kimiId, mistralId));
    expect(calls.slice(0, 2)).toEqual(before);
    expect(results).toEqual(calls);
    expect(new Set(calls).size).toBe(4);
  });
});

it.each(translatedKinds)("a conversation with an empty answer has no empty message for %s", async (kind) => {
  const messages = [
    { role: "user", content: "Hello" },
    { role: "assistant", content: "" },
    { role: "user", content: "Go on" },
  ];
  const sent = JSON.stringify(await sentBody(kind, { messages }));
  expect(sent).toContain("Hello");
  expect(sent).toContain("Go on");
  expect(sent).not.toMatch(/"(?:parts|content|text)":(?:""|\[\])/);
});

describe("the thinking budget of Claude", () => {
  const models: [kind: TranslatedKind, model: string][] = [
    ["anthropic", "claude-sonnet-4-5"],
    ["bedrock", "anthropic.claude-sonnet-4-5-20250929-v1:0"],
  ];
  const reasoning = { tools, reasoning_effort: "medium" };
  const ended = [...toolHistory, { role: "assistant", content: "21 and 9." }];
  const asked = { role: "user", content: "And in Paris?" };

  async function sent([kind, model]: (typeof models)[number], request: Partial<CompletionRequest>) {
    return JSON.stringify(await sentBody(kind, { ...reasoning, ...request }, model));
  }

  it.each(models)("is sent to %s where no thinking block is missing", async (...target) => {
    expect(await sent(target, {})).toContain('"budget_tokens"');
    expect(await sent(target, { messages: [...ended, asked] })).toContain('"budget_tokens"');
  });

  it.each(models)("is left out for %s after tool calls, whose thinking block has no place", async (...target) => {
    expect(await sent(target, { messages: toolHistory })).not.toContain('"thinking"');
    expect(await sent(target, { messages: [...toolHistory, asked] })).not.toContain('"thinking"');
  });

  it.each(models)("is left out for %s where an answer is to be continued", async (...target) => {
    expect(await sent(target, { messages: ended })).not.toContain('"thinking"');
  });

  it.each(models)("is left out for %s where a tool must be called", async (...target) => {
    const any = await sent(target, { tool_choice: "required" });
    expect(any).not.toContain('"thinking"');
    expect(any).toMatch(/"any":\{\}|"tool_choice":\{"type":"any"\}/);
    const one = await sent(target, { tool_choice: { type: "function", function: { name: "get_weather" } } });
    expect(one).not.toContain('"thinking"');
    expect(one).toMatch(/"tool":\{"name":"get_weather"\}|"tool_choice":\{"type":"tool","name":"get_weather"\}/);
  });

  it("does not concern models that think adaptively", async () => {
    const adaptive = await sent(["anthropic", "claude-opus-4-6"], { messages: toolHistory });
    expect(adaptive).toContain('"thinking":{"type":"adaptive"');
  });
});

it.each([true, false, undefined])("a schema's strict: %s is sent to mistral", async (strict) => {
  const schema = { type: "object", properties: {}, additionalProperties: false };
  const json_schema = { name: "answer", schema, ...(strict === undefined ? {} : { strict }) };
  const body = await sentBody("mistral", { response_format: { type: "json_schema", json_schema } });
  expect(body["response_format"]).toMatchObject({ json_schema: { name: "answer", schema, strict: strict ?? false } });
});

describe("stop sequences of white space only", () => {
  const claude = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0";
  const stops = (body: JsonObject) => {
    const { inferenceConfig, generationConfig } = body as Record<string, { stopSequences?: unknown } | undefined>;
    return body["stop_sequences"] ?? body["stop"] ?? (inferenceConfig ?? generationConfig)?.stopSequences;
  };

  it.each([
    ["anthropic", "claude-sonnet-4-5"],
    ["bedrock", claude],
  ] as const)("are left out for %s's %s, which refuses them", async (kind, model) => {
    expect(stops(await sentBody(kind, { stop: "\n" }, model))).toBeUndefined();
    expect(stops(await sentBody(kind, { stop: ["\n", "END\n", "", " \t"] }, model))).toEqual(["END\n"]);
  });

  it.each([
    ["bedrock", "amazon.nova-pro-v1:0"],
    ["google", "gemini-3-pro"],
    ["mistral", "mistral-large-latest"],
  ] as const)("are sent to %s's %s", async (kind, model) => {
    expect(stops(await sentBody(kind, { stop: ["\n"] }, model))).toEqual(["\n"]);
  });
});

describe.each([
  ["of system messages only", [{ role: "system", content: "Greet the user." }]],
  [
    "whose other messages are empty",
    [
      { role: "developer", content: "Greet the user." },
      { role: "assistant", content: " " },
    ],
  ],
])("a request %s", (_what, messages) => {
  it.each(translatedKinds)("is refused for %s before it is called", async (kind) => {
    const { server, caller } = await serve(kind);
    expect(await failureOf(caller.complete({ messages }))).toMatchObject({
      status: 400,
      isOfRequest: true,
      isFree: true,
      message:
        "acme does not accept this request: it has only system messages; a message of the user or the assistant is missing",
    });
    expect(server.requests).toEqual([]);
  });
});
