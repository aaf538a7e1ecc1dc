import { isDeepStrictEqual } from "node:util";
import { GatewayError } from "@gatehouse/errors";
import { createRecordingGatewayLog } from "@gatehouse/gateway-log/testing";
import { type Answer, eventStream, json } from "@gatehouse/providers/testing";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createWrapperModelsHandler, type WrapperModelsOptions } from "../src/http/wrapper-models.ts";
import { serveOnce, startWrapper, type WrapperHarness, type WrapperReply } from "./wrapper-harness.ts";

let wrapper: WrapperHarness;
beforeAll(async () => {
  wrapper = await startWrapper();
});
afterAll(async () => await wrapper.stop());

const messages = [{ role: "user", content: "Hello" }];
const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
const frame = { id: "chatcmpl-1", created: 1_700_000_000, model: "m-2025" };

function completion(...contents: readonly (string | object)[]) {
  const choices = contents.map((content, index) => ({
    index,
    message: { role: "assistant", ...(typeof content === "string" ? { content } : content) },
    finish_reason: "stop",
  }));
  return { ...frame, object: "chat.completion", choices, usage };
}

function chunk(delta: object, finishReason: string | null = null) {
  return { ...frame, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finishReason }] };
}

const usageChunk = { ...frame, object: "chat.completion.chunk", choices: [], usage };

function stream(...chunks: readonly (object | string)[]): Answer {
  const events = chunks.map((item) => `data: ${typeof item === "string" ? item : JSON.stringify(item)}\n\n`);
  return eventStream([...events, "data: [DONE]\n\n"]);
}

/** Sends JSON text unchanged. */
function verbatim(text: string): Answer {
  return (res) => void res.writeHead(200, { "content-type": "application/json" }).end(text);
}

function parsed({ text }: WrapperReply): Record<string, unknown> {
  return JSON.parse(text) as Record<string, unknown>;
}

function eventsOf({ text }: WrapperReply): readonly string[] {
  return text
    .split("\n\n")
    .filter(Boolean)
    .map((event) => event.slice("data: ".length));
}

const chat = async (body: unknown) => await wrapper.post("chat/completions", body);

/** Values whose numbers JavaScript can represent. */
const { sendable } = fc.letrec((tie) => ({
  sendable: fc.oneof(
    { maxDepth: 3 },
    fc.string(),
    fc.maxSafeInteger(),
    fc.double({ min: -1e9, max: 1e9, noNaN: true }).map((value) => value + 0),
    fc.constantFrom(null, true, false),
    fc.array(tie("sendable")),
    fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), tie("sendable")),
  ),
}));

describe("the body sent to an OpenAI-compatible provider", () => {
  it("equals the caller's body except for the model", async () => {
    const model = await wrapper.alias();
    // No name with this prefix chooses a model or an address, which would be refused.
    const name = fc.stringMatching(/^x_q[a-z]{0,7}$/);
    const unknown = fc.dictionary(name, sendable, { maxKeys: 8 });
    const space = fc.constantFrom<string | number | undefined>(undefined, 1, "\t");
    await fc.assert(
      fc.asyncProperty(unknown, space, async (fields, indent) => {
        wrapper.play(json(200, completion("ok")));
        const text = JSON.stringify({ ...fields, model, messages }, null, indent);
        expect((await chat(text)).status).toBe(200);
        expect(JSON.parse(wrapper.received[0]?.body ?? "")).toEqual({ ...JSON.parse(text), model: "m" });
      }),
      { numRuns: 50 },
    );
  });

  it.each(["12345678901234567890", "1e400", "9007199254740993"])("is never another number than %s", async (number) => {
    const model = await wrapper.alias();
    wrapper.play(json(200, completion("ok")));
    const refused = await chat(`{"model":"${model}","messages":${JSON.stringify(messages)},"x":[${number}]}`);
    expect([refused.status, parsed(refused)["code"]]).toEqual([400, "malformed_body"]);
    expect(parsed(refused)["error"]).toContain("Send a longer one as a string");
    expect(wrapper.received).toEqual([]);
  });

  it("keeps long numbers that come as text, as in ids and the arguments of tool calls", async () => {
    const model = await wrapper.alias();
    wrapper.play(json(200, completion("ok")));
    const call = {
      id: "12345678901234567890",
      type: "function",
      function: { name: "f", arguments: '{"n":12345678901234567890}' },
    };
    const turns = [...messages, { role: "assistant", content: null, tool_calls: [call] }];
    await chat({ model, messages: turns, seed: 9007199254740991 });
    expect(JSON.parse(wrapper.received[0]?.body ?? "")).toEqual({
      model: "m",
      messages: turns,
      seed: 9007199254740991,
    });
  });

  it("has the endpoint's prompt first and its parameters as defaults", async () => {
    const parameters = { temperature: 1, max_tokens: 9, top_p: 0.5 };
    const model = await wrapper.alias({ system_prompt: "Serve {{who}}.", parameters });
    wrapper.play(json(200, completion("ok")));
    const own = { temperature: 0, max_completion_tokens: 5, variables: { who: "Ann" } };
    expect((await chat({ model, messages, ...own })).status).toBe(200);
    expect(JSON.parse(wrapper.received[0]?.body ?? "")).toEqual({
      model: "m",
      messages: [{ role: "system", content: "Serve Ann." }, ...messages],
      temperature: 0,
      max_completion_tokens: 5,
      top_p: 0.5,
    });
  });

  it.each([
    ["no limit", {}, {}, 20],
    ["a longer limit", {}, { max_completion_tokens: 90_000 }, 20],
    ["a shorter limit", {}, { max_tokens: 5 }, 5],
    ["no limit by the convention of some servers", { parameters: { max_tokens: -1 } }, {}, 20],
    ["a limit under a server's own name", {}, { n_predict: 90_000 }, 20],
    ["a longer limit among the endpoint's parameters", { parameters: { max_tokens: 90 } }, {}, 20],
    ["a longer limit under a budget", { monthly_budget_usd: 1 }, { max_tokens: 90 }, 20],
    ["a shorter limit under a budget", { monthly_budget_usd: 1 }, { max_tokens: 5 }, 5],
  ])("with %s has the endpoint's max_response_tokens at most", async (_case, settings, own, tokensMax) => {
    const provider = await wrapper.provider("openai-compatible", `${wrapper.upstreamUrl}/v1`);
    const prices = { input_price_per_million: 1, output_price_per_million: 1 };
    const targets = [{ provider, model: "m", ...prices }];
    const model = await wrapper.alias({ targets, ...settings, max_response_tokens: 20 });
    wrapper.play(json(200, completion("ok")));
    expect((await chat({ model, messages, ...own })).status).toBe(200);
    expect(JSON.parse(wrapper.received[0]?.body ?? "")).toEqual({ model: "m", messages, max_tokens: tokensMax });
  });

  it("without an answer in tokens, such as embeddings, is unchanged", async () => {
    const model = await wrapper.alias({ max_response_tokens: 20 });
    wrapper.play(json(200, { object: "list", model: "m", data: [{ object: "embedding", index: 0, embedding: [1] }] }));
    expect((await wrapper.post("embeddings", { model, input: "x" })).status).toBe(200);
    expect(JSON.parse(wrapper.received[0]?.body ?? "")).toEqual({ model: "m", input: "x" });
  });

  it("may have the largest size of a body, and no more", async () => {
    const model = await wrapper.alias();
    const sizeMax = 4 * 1024 * 1024;
    const bodyOf = (size: number) => {
      const text = JSON.stringify({ model, messages: [{ role: "user", content: [{ type: "image_url", x: "" }] }] });
      return text.replace('"x":""', `"x":"${"A".repeat(size - text.length)}"`);
    };
    wrapper.play(json(200, completion("ok")));
    expect((await chat(bodyOf(sizeMax))).status).toBe(200);
    const sent = JSON.parse(wrapper.received[0]?.body ?? "") as { messages: unknown };
    expect(sent.messages).toEqual((JSON.parse(bodyOf(sizeMax)) as { messages: unknown }).messages);
    const tooLarge = await chat(bodyOf(sizeMax + 1));
    expect(tooLarge.status).toBe(413);
    expect(parsed(tooLarge)).toMatchObject({ ok: false, code: "body_too_large" });
  });
});

describe("parameters that choose a model, a route or a provider", () => {
  it.each(["models", "route", "provider", "providerOptions", "extra_body", "api_base"])(
    "are refused: %s",
    async (name) => {
      const model = await wrapper.alias();
      wrapper.play(json(200, completion("ok")));
      for (const reply of [
        await chat({ model, messages, [name]: ["other"] }),
        await wrapper.post("embeddings", { model, input: "x", [name]: ["other"] }),
      ]) {
        expect([reply.status, parsed(reply)["code"]]).toEqual([400, "malformed_body"]);
        expect(parsed(reply)["error"]).toContain(`"${name}" chooses a model, a route or a provider`);
      }
      expect(wrapper.received).toEqual([]);
    },
  );

  it("reach a provider where the endpoint allows them, and from the endpoint itself", async () => {
    const model = await wrapper.alias({ allowed_parameters: ["models"], parameters: { route: "fallback" } });
    wrapper.play(json(200, completion("ok")));
    expect((await chat({ model, messages, models: ["a"], temperature: 0 })).status).toBe(200);
    expect(JSON.parse(wrapper.received[0]?.body ?? "")).toEqual({
      model: "m",
      messages,
      models: ["a"],
      route: "fallback",
      temperature: 0,
    });
  });

  it("are ignored on the chat routes, whose callers have no parameters", async () => {
    const slug = await wrapper.alias();
    wrapper.play(json(200, completion("ok")));
    expect((await wrapper.postTo(slug, { message: "Hello", models: ["a"], provider: {} })).status).toBe(200);
    expect(JSON.parse(wrapper.received[0]?.body ?? "")).toEqual({ model: "m", messages });
  });
});

describe("the reply to a caller", () => {
  it("is the provider's reply byte for byte", async () => {
    const model = await wrapper.alias();
    const text = `${JSON.stringify(completion("a", "b"), null, 3).replace('"model"', '"x": 1.0, "model"')}\n`;
    wrapper.play(verbatim(text));
    const reply = await chat({ model, messages, n: 2 });
    expect(reply.text).toBe(text);
    expect(reply.headers.get("content-type")).toMatch(/^application\/json/);
    expect(reply.headers.get("x-request-id")).toBe("r1");
    expect(Number(reply.headers.get("x-ratelimit-remaining"))).toBeGreaterThan(0);
  });

  it("has missing members filled in, with counted tokens", async () => {
    const model = await wrapper.alias();
    wrapper.play(json(200, { choices: [{ message: { content: "Hi there" } }], usage: { prompt_tokens: 3 }, x: 1 }));
    expect(parsed(await chat({ model, messages }))).toEqual({
      id: expect.stringMatching(/^chatcmpl-./),
      object: "chat.completion",
      created: expect.any(Number),
      model: "m",
      choices: [{ index: 0, message: { role: "assistant", content: "Hi there" }, finish_reason: null }],
      usage: { prompt_tokens: 8, completion_tokens: 2, total_tokens: 10 },
      x: 1,
    });
  });

  it("is an error where a choice of the answer ends with one", async () => {
    const model = await wrapper.alias();
    const [choice] = completion("half").choices;
    const broken = { ...completion("half"), choices: [{ ...choice, finish_reason: null, error: { code: 502 } }] };
    wrapper.play(json(200, broken));
    expect(parsed(await chat({ model, messages }))).toMatchObject({ code: "provider_failed", provider_status: 502 });
  });

  it("is the provider's chunks byte for byte, with token counts only if asked for", async () => {
    const model = await wrapper.alias();
    const odd = `{"x": 1.0, ${JSON.stringify(chunk({ content: "Hi" })).slice(1)}`;
    const chunks = [chunk({ role: "assistant", content: "" }), odd, chunk({}, "stop")];
    const texts = chunks.map((item) => (typeof item === "string" ? item : JSON.stringify(item)));
    wrapper.play(stream(...chunks, usageChunk));
    expect(eventsOf(await chat({ model, messages, stream: true }))).toEqual([...texts, "[DONE]"]);
    const counted = { model, messages, stream: true, stream_options: { include_usage: true } };
    expect(eventsOf(await chat(counted))).toEqual([...texts, JSON.stringify(usageChunk), "[DONE]"]);
    expect(JSON.parse(wrapper.received[0]?.body ?? "")).toMatchObject({ stream_options: { include_usage: true } });
  });

  it("gets counted tokens where a provider reports none in its stream", async () => {
    const model = await wrapper.alias();
    wrapper.play(stream(chunk({ content: "Hi there" }), chunk({}, "stop")));
    const reply = await chat({ model, messages, stream: true, stream_options: { include_usage: true } });
    expect(JSON.parse(eventsOf(reply).at(-2) ?? "")).toEqual({
      ...frame,
      object: "chat.completion.chunk",
      choices: [],
      usage: { prompt_tokens: 8, completion_tokens: 2, total_tokens: 10 },
    });
  });

  it("is a short stream where the answer is complete before it is sent", async () => {
    for (const definition of [{ streaming_enabled: false }, { output_schema: {} }]) {
      const model = await wrapper.alias(definition);
      wrapper.play(json(200, completion("1")));
      const reply = await chat({ model, messages, stream: true, stream_options: { include_usage: true } });
      expect(eventsOf(reply)).toEqual([
        ...[chunk({ role: "assistant", content: "" }), chunk({ content: "1" }), chunk({}, "stop"), usageChunk].map(
          (event) => expect.toSatisfy((text: string) => isDeepStrictEqual(JSON.parse(text), event)),
        ),
        "[DONE]",
      ]);
      expect(JSON.parse(wrapper.received[0]?.body ?? "")).not.toHaveProperty("stream");
    }
  });

  it("is an error event without [DONE] when the provider's stream breaks", async () => {
    const model = await wrapper.alias();
    wrapper.play(async (res) => {
      res.writeHead(200, { "content-type": "text/event-stream" });
      res.write(`data: ${JSON.stringify(chunk({ content: "Hi" }))}\n\n`);
      await new Promise((resolve) => setImmediate(resolve));
      res.destroy();
    });
    const events = eventsOf(await chat({ model, messages, stream: true }));
    expect(JSON.parse(events.at(-1) ?? "")).toEqual({
      error: { message: expect.stringMatching(/^Provider call failed: /), type: "api_error", code: "provider_failed" },
    });
  });
});

describe("the endpoint's schemas", () => {
  it("judge the body as it was sent", async () => {
    const inputSchema = { type: "object", properties: { user: { const: "ann" } }, required: ["user"] };
    const model = await wrapper.alias({ input_schema: inputSchema });
    wrapper.play(json(200, completion("ok")));
    const refused = await chat({ model, messages, user: "bob" });
    expect(refused.status).toBe(422);
    expect(parsed(refused)).toMatchObject({ code: "input_schema_failed", error: expect.stringContaining("/user") });
    expect(wrapper.received).toEqual([]);
    expect((await chat({ model, messages, user: "ann" })).status).toBe(200);
  });

  it("let a refusal pass in OpenAI's member, also in a stream, and not where it becomes content", async () => {
    const model = await wrapper.alias({ output_schema: { type: "object" } });
    const refusal = { content: null, refusal: "I cannot help with that." };
    wrapper.play(json(200, completion(refusal)));
    const reply = await chat({ model, messages });
    expect(reply.status).toBe(200);
    expect(parsed(reply)).toMatchObject({ choices: [{ message: refusal }] });
    const streamed = await chat({ model, messages, stream: true });
    expect(streamed.status).toBe(200);
    expect(streamed.text).toContain('"refusal":"I cannot help with that."');
    expect((await wrapper.post("completions", { model, prompt: "x" })).status).toBe(502);
    wrapper.play(json(200, completion({ content: "no JSON", refusal: "I cannot." })));
    expect((await chat({ model, messages })).status).toBe(502);
  });

  it.each(["", "  \n", "\u200b", "\u2800\u3164"])("let no refusal pass that shows nothing: %j", async (refusal) => {
    const model = await wrapper.alias({ output_schema: { type: "object" } });
    wrapper.play(json(200, completion({ content: null, refusal })));
    for (const stream of [false, true]) {
      const reply = await chat({ model, messages, stream });
      expect(reply.status).toBe(502);
      expect(parsed(reply)).toMatchObject({ code: "output_schema_failed" });
    }
  });

  it("let a refusal pass with its words alone, and count the tokens of what is left out", async () => {
    const model = await wrapper.alias({ output_schema: { type: "object" } });
    const refusal = { role: "assistant", content: null, refusal: "I cannot." };
    const beside = { reasoning: "hidden ".repeat(50), images: [{ hidden: 1 }], audio: { transcript: "hidden" } };
    const choice = { index: 0, message: { ...refusal, ...beside }, finish_reason: "stop", text: "hidden" };
    const { usage: _usage, ...uncounted } = completion("");
    wrapper.play(json(200, { ...uncounted, choices: [choice] }));
    const reply = await chat({ model, messages });
    const { choices, usage: counted } = parsed(reply);
    expect(choices).toEqual([{ index: 0, message: refusal, finish_reason: "stop" }]);
    expect((counted as { completion_tokens: number }).completion_tokens).toBeGreaterThan(50);
    expect((await chat({ model, messages, stream: true })).text).not.toContain("hidden");
  });

  const answer = String.raw`"role":"assistant"`;
  it.each([
    ["two contents", String.raw`"message":{${answer},"content":"hidden","content":"{}"}`],
    ["a content in escapes", String.raw`"message":{${answer},"conten\u0074":"hidden","content":"{}"}`],
    [
      "two contents beside a refusal",
      String.raw`"message":{${answer},"content":"hidden","refusal":"r","content":null}`,
    ],
    ["two messages", String.raw`"message":{${answer},"content":"hidden"},"message":{${answer},"content":"{}"}`],
  ])("let no text pass that was not judged, such as the first of %s", async (_what, message) => {
    const model = await wrapper.alias({ output_schema: { type: "object" } });
    const choice = `{"index":0,${message},"finish_reason":"stop"}`;
    const body = { ...frame, object: "chat.completion", choices: [], usage };
    wrapper.play(verbatim(JSON.stringify(body).replace("[]", `[${choice}]`)));
    const reply = await chat({ model, messages });
    expect(reply.status).toBe(200);
    expect(reply.text).not.toContain("hidden");
    expect(parsed(reply)).toMatchObject({ ...frame, choices: [{ finish_reason: "stop" }], usage });
  });

  it("judge the text of every choice, but not calls of tools", async () => {
    const model = await wrapper.alias({ output_schema: { type: "number" } });
    const calls = {
      content: null,
      tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }],
    };
    wrapper.play(json(200, completion("1", "2", calls)));
    expect((await chat({ model, messages, n: 3 })).status).toBe(200);
    wrapper.play(json(200, completion("1", '"x"')));
    const refused = await chat({ model, messages, n: 2 });
    expect(refused.status).toBe(502);
    expect(parsed(refused)).toMatchObject({
      code: "output_schema_failed",
      error: "Validation failed: / must be number",
    });
  });
});

interface Refusal {
  readonly status: number;
  readonly body: object;
}

describe("a refusal", () => {
  it.each<[string, unknown, Refusal]>([
    ["not JSON", "{", { status: 400, body: { code: "malformed_body" } }],
    ["a list", [], { status: 400, body: { error: "Request body must be a JSON object." } }],
    [
      "no model",
      { messages },
      { status: 400, body: { error: "'model' is required: the slug of the endpoint to call." } },
    ],
    ["an unknown role", { model: "x", messages: [{ role: "x" }] }, { status: 400, body: { code: "malformed_body" } }],
    [
      "an unknown alias",
      { model: "nobody", messages },
      {
        status: 404,
        body: { ok: false, error: "Endpoint 'nobody' not found or inactive.", code: "endpoint_not_found" },
      },
    ],
  ])("of %s has the reason, and no provider is asked", async (_name, body, expected) => {
    wrapper.play(json(200, completion("ok")));
    const reply = await chat(body);
    expect(reply.status).toBe(expected.status);
    expect(parsed(reply)).toMatchObject(expected.body);
    expect(reply.headers.get("x-request-id")).toBe("r1");
    expect(wrapper.received).toEqual([]);
  });

  it("by the provider itself tells OpenAI's clients not to retry", async () => {
    wrapper.play(json(400, { error: { message: "no such tool" } }));
    const reply = await chat({ model: await wrapper.alias(), messages });
    expect(reply.status).toBe(502);
    expect(parsed(reply)).toMatchObject({ code: "provider_failed", error: expect.stringContaining("no such tool") });
    expect(reply.headers.get("x-should-retry")).toBe("false");
  });

  it("for a disabled provider tells clients not to retry", async () => {
    const provider = await wrapper.provider("mock");
    const model = await wrapper.alias({ provider });
    await wrapper.admin.call("svc_set_provider_enabled", { provider, enabled: false });
    const reply = await chat({ model, messages });
    expect([reply.status, reply.headers.get("x-should-retry")]).toEqual([503, "false"]);
  });
});

describe("embeddings", () => {
  const reply = { object: "list", data: [{ object: "embedding", index: 0, embedding: [0.5, 1] }], model: "e", usage };

  it("are requested for the judged texts, and returned byte for byte", async () => {
    const model = await wrapper.alias({ system_prompt: "Never sent." });
    const second = { object: "embedding", index: 1, embedding: [2, 3] };
    const text = JSON.stringify({ ...reply, data: [...reply.data, second] }).replace("[0.5,1]", "[0.50, 1.0]");
    wrapper.play(verbatim(text));
    const body = `{"model":"${model}","input":["a",  "b"],"dimensions":2,"x":1.0}`;
    expect((await wrapper.post("embeddings", body)).text).toBe(text);
    expect(wrapper.received[0]).toMatchObject({
      path: "/v1/embeddings",
      body: '{"dimensions":2,"x":1,"input":["a","b"],"model":"m"}',
    });
    await wrapper.post("embeddings", { model, input: [15_339, 1_917] });
    expect(JSON.parse(wrapper.received[1]?.body ?? "")).toEqual({ input: "hello world", model: "m" });
  });

  it("are encoded and counted where the provider has not done so", async () => {
    const model = await wrapper.alias();
    const { usage: _usage, ...uncounted } = reply;
    wrapper.play(json(200, uncounted));
    const sent = await wrapper.post("embeddings", { model, input: "Hello there", encoding_format: "base64" });
    expect(parsed(sent)).toEqual({
      ...uncounted,
      data: [{ object: "embedding", index: 0, embedding: "AAAAPwAAgD8=" }],
      usage: { prompt_tokens: 2, total_tokens: 2 },
    });
  });

  it("of the mock provider depend on the text alone", async () => {
    const model = await wrapper.alias({ provider: await wrapper.provider("mock") });
    const vectors = async (input: unknown) => {
      const sent = await wrapper.post("embeddings", { model, input, dimensions: 64 });
      return (parsed(sent)["data"] as { readonly embedding: readonly number[] }[]).map(({ embedding }) => embedding);
    };
    const [cat, again, dog] = await vectors(["the cat sat", "the cat sat", "a dog ran"]);
    expect(cat).toHaveLength(64);
    expect(again).toEqual(cat);
    expect(dog).not.toEqual(cat);
    expect(await vectors("the cat sat")).toEqual([cat]);
    expect(Math.hypot(...(cat ?? []))).toBeCloseTo(1);
  });

  it("are refused by a provider that has none", async () => {
    const model = await wrapper.alias({ provider: await wrapper.provider("anthropic", "http://127.0.0.1:9") });
    const refused = await wrapper.post("embeddings", { model, input: "x" });
    expect(refused.status).toBe(502);
    expect(parsed(refused)["error"]).toMatch(/^Provider call failed: provider-\d+ offers no embeddings$/);
    // Nothing was sent, so there is no status of the provider.
    expect(parsed(refused)).not.toHaveProperty("provider_status");
  });

  it("count against the endpoint's caps, tokens too", async () => {
    const model = await wrapper.alias({ max_request_tokens: 8 });
    wrapper.play(json(200, reply));
    for (const input of ["word ".repeat(50), Array(50).fill(1_917)]) {
      const refused = await wrapper.post("embeddings", { model, input });
      expect([refused.status, parsed(refused)["code"]]).toEqual([422, "token_cap_exceeded"]);
    }
    expect(wrapper.received).toEqual([]);
  });

  it.each([
    [{ input: "x" }, "'model' is required: the slug of the endpoint to call."],
    [{ model: "m", input: [] }, "'input' must not be empty."],
    [{ model: "m", input: "x", encoding_format: 1 }, "'encoding_format' must be float or base64."],
  ])("are refused for the body %j", async (body, error) => {
    const refused = await wrapper.post("embeddings", body);
    expect([refused.status, parsed(refused)["error"]]).toEqual([400, error]);
  });
});

describe("the list of models", () => {
  it("names the project's active endpoints, and counts as a request", async () => {
    const model = await wrapper.alias();
    const first = await wrapper.get("models");
    const { data } = parsed(first) as { readonly data: readonly { readonly id: string }[] };
    expect(data.find(({ id }) => id === model)).toEqual({
      id: model,
      object: "model",
      created: expect.any(Number),
      owned_by: "gatehouse",
    });
    const second = await wrapper.get("models");
    const remaining = ({ headers }: WrapperReply) => Number(headers.get("x-ratelimit-remaining"));
    expect(remaining(second)).toBeLessThan(remaining(first));
  });

  it.each<[string, WrapperModelsOptions["admit"], object]>([
    [
      "the rate limit is reached",
      () => ({
        admitted: false,
        scope: "hour",
        retryAfterSeconds: 9,
        tightest: { limit: 1, remaining: 0, resetAtSeconds: 2 },
      }),
      { status: 429, retryAfter: "9", body: { code: "rate_limited", scope: "hour", retry_after: 9 } },
    ],
    [
      "the database is away",
      async () => await Promise.reject(new GatewayError("unavailable", "Try again.", { retryAfterSeconds: 1 })),
      { status: 503, retryAfter: "1", body: { code: "unavailable", error: "Try again." } },
    ],
    [
      "something unexpected happens",
      () => {
        throw new TypeError("a secret");
      },
      { status: 500, retryAfter: null, body: { ok: false, code: "internal", error: "Unexpected error." } },
    ],
  ])("is refused when %s", async (_name, admit, expected) => {
    const { log } = createSilentTelemetry();
    const gatewayLog = createRecordingGatewayLog();
    const listModels = async () => await Promise.resolve([]);
    const handler = createWrapperModelsHandler({ admit, listModels, gatewayLog, log });
    const reply = await serveOnce(handler);
    const { status } = reply;
    expect(gatewayLog.entries).toEqual([expect.objectContaining({ route: "wrapper_models", status })]);
    expect({
      status,
      retryAfter: reply.headers.get("retry-after"),
      body: await reply.json(),
    }).toEqual({ ...expected, body: expect.objectContaining((expected as { body: object }).body) });
    expect(reply.headers.get("x-request-id")).toBe("r1");
  });
});
