import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ContractWorld, type EndpointFixture, openContractWorld } from "../../src/contract/contract-world.ts";
import { eventsOf, type Fields } from "../../src/contract/exchange.ts";
import { answer, chunk, fail, scriptedUsage, streamThenCut, streamWords } from "../../src/scripted-provider.ts";

let world: ContractWorld;
let endpoint: EndpointFixture;

beforeAll(async () => {
  world = await openContractWorld();
  const unlimited = { rate_limit_per_minute: null, rate_limit_per_hour: null };
  endpoint = await world.endpoint({ streaming_enabled: true }, await world.project(unlimited));
});
afterAll(async () => await world.stop());

async function chat(body: unknown, { path, token }: { path: string; token: string } = endpoint) {
  return await world.ask(path, { token, body });
}

/** A whole stream of OpenAI's chunks that says `text`. */
function expectStreamOf(reply: Awaited<ReturnType<typeof chat>>, text: string): void {
  expect(reply.headers["content-type"]).toMatch(/^text\/event-stream/);
  const events = eventsOf(reply);
  expect(events.at(-1)).toBe("[DONE]");
  const chunks = events.slice(0, -1) as { choices: { delta: { role?: string; content?: string } }[] }[];
  expect(chunks[0]?.choices[0]?.delta.role).toBe("assistant");
  expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("")).toBe(text);
}

/** The messages that the provider got with its last call. */
function sent(): readonly Fields[] {
  return (world.provider.received.at(-1)?.body.messages ?? []) as readonly Fields[];
}

const user = (content: string) => ({ role: "user", content });

describe("Chat response body (non-streaming)", () => {
  test("ok, id, model, content, finish_reason, usage, meta", async () => {
    world.provider.play(answer("Good morning."));
    const reply = await chat({ message: "Hello" });
    expect(reply.status).toBe(200);
    expect(reply.headers["content-type"]).toMatch(/^application\/json/);
    expect(reply.body).toEqual({
      ok: true,
      id: expect.stringMatching(/./),
      model: "m",
      content: "Good morning.",
      finish_reason: "stop",
      usage: scriptedUsage,
      meta: { request_id: expect.stringMatching(/./) },
    });
  });

  test("the dispatcher's reply is identical to the direct route's", async () => {
    world.provider.play(answer("Good morning."));
    const { project, slug, token } = endpoint;
    const direct = await chat({ message: "Hello" });
    const dispatched = await chat(
      { message: "Hello", endpoint: slug },
      { path: `/api/${project}/chat/completions`, token },
    );
    const stable = ({ id: _id, meta: _meta, ...rest }: Fields) => rest;
    expect(dispatched.status).toBe(200);
    expect(Object.keys(dispatched.body)).toEqual(Object.keys(direct.body));
    expect(stable(dispatched.body)).toEqual(stable(direct.body));
  });
});

describe("Chat request body", () => {
  test("message is wrapped by the service as one user-role message", async () => {
    world.provider.play(answer("ok"));
    await chat({ message: "Hello" });
    expect(sent()).toEqual([user("Hello")]);
  });

  test("messages are the full transcript, after the endpoint's prompt", async () => {
    world.provider.play(answer("ok"));
    const prompted = await world.endpoint({ system_prompt: "Be brief.", parameters: { temperature: 0.25 } });
    const messages = [
      { role: "system", content: "Rhyme." },
      user("One"),
      { role: "assistant", content: "Two" },
      user("Three"),
    ];
    expect((await chat({ messages }, prompted)).status).toBe(200);
    expect(sent()[0]).toEqual({ role: "system", content: expect.stringContaining("Be brief.") });
    expect(sent().slice(-3)).toEqual(messages.slice(1));
    expect(JSON.stringify(sent())).toContain("Rhyme.");
    expect(world.provider.received.at(-1)?.body).toMatchObject({ model: "m", temperature: 0.25 });
  });

  test.each<[string, unknown]>([
    ["message and messages both present", { message: "x", messages: [user("x")] }],
    ["neither", {}],
    ["messages empty", { messages: [] }],
    ["messages not an array", { messages: "x" }],
    ["a message that is not an object", { messages: ["x"] }],
    ["a message without content", { messages: [{ role: "user" }] }],
    ["a message with content that is not a string", { messages: [{ role: "user", content: 7 }] }],
    ["a role that does not exist", { messages: [{ role: "robot", content: "x" }] }],
    ["the role tool, which is the Wrapper's", { messages: [user("x"), { role: "tool", content: "x" }] }],
    ["message not a string", { message: 7 }],
    ["message null", { message: null }],
    ["stream not boolean", { message: "x", stream: "true" }],
    ["stream a number", { message: "x", stream: 1 }],
    ["session_id not a UUID", { message: "x", session_id: "abc" }],
    ["session_id not a string", { message: "x", session_id: 7 }],
    ["an array", []],
    ["a string", '"x"'],
    ["null", "null"],
    ["not JSON", "{message: x}"],
    ["cut off", '{"message": "x"'],
    ["nothing at all", ""],
    ["bytes that are not UTF-8", Uint8Array.from([0x7b, 0x22, 0x6d, 0xff, 0xfe, 0x22, 0x7d])],
  ])("malformed body: %s gives 400, names what is wrong and reaches no provider", async (_name, body) => {
    world.provider.play(answer("ok"));
    const reply = await chat(body);
    expect(reply.status).toBe(400);
    expect(reply.body).toMatchObject({ ok: false, error: expect.stringMatching(/\w{3}/) });
    expect(reply.body["error"]).not.toMatch(/unexpected error/i);
    expect(world.provider.received).toHaveLength(0);
  });

  test.each<[string, object]>([
    ["missing", { message: "x" }],
    ["not a string", { message: "x", endpoint: 7 }],
    ["null", { message: "x", endpoint: null }],
  ])("on the dispatcher, endpoint %s gives 400", async (_name, body) => {
    const { project, token } = endpoint;
    const reply = await chat(body, { path: `/api/${project}/chat/completions`, token });
    expect(reply.status).toBe(400);
    expect(reply.body["error"]).toMatch(/endpoint/);
  });

  test("unknown body fields are ignored", async () => {
    world.provider.play(answer("ok"));
    const reply = await chat({ message: "x", colour: "red", temperature: 2, model: "other" });
    expect(reply.status).toBe(200);
    expect(world.provider.received[0]?.body.model).toBe("m");
    expect(world.provider.received[0]?.body).not.toHaveProperty("colour");
  });

  test("stream: false and stream where it is not honoured give an ordinary JSON reply", async () => {
    world.provider.play(answer("whole"));
    const silent = await world.endpoint();
    for (const reply of [
      await chat({ message: "x", stream: false }),
      await chat({ message: "x", stream: true }, silent),
    ]) {
      expect(reply.status).toBe(200);
      expect(reply.headers["content-type"]).toMatch(/^application\/json/);
      expect(reply.body).toMatchObject({ ok: true, content: "whole" });
    }
  });
});

describe("Chat and MCP-surface messages", () => {
  test("Endpoint '<slug>' not found or inactive., unknown or inactive slug, on both routes", async () => {
    const { project, token } = endpoint;
    const sleeping = await world.endpoint({}, endpoint);
    await world.control.call("svc_set_endpoint_active", { endpoint: sleeping.uuid, is_active: false });
    for (const slug of ["no-such", sleeping.slug]) {
      const replies = [
        await chat({ message: "x" }, { path: `/api/${project}/${slug}`, token }),
        await chat({ message: "x", endpoint: slug }, { path: `/api/${project}/chat/completions`, token }),
      ];
      for (const { status, body } of replies) {
        expect(status).toBe(404);
        expect(body).toMatchObject({ ok: false, error: `Endpoint '${slug}' not found or inactive.` });
      }
    }
    await world.control.call("svc_set_endpoint_active", { endpoint: sleeping.uuid, is_active: true });
    expect((await chat({ message: "x" }, sleeping)).status).toBe(200);
  });

  test("a slug that is no slug at all is not found either", async () => {
    const { project, token } = endpoint;
    for (const slug of ["No-Such", "a_b", "%2e%2e", "a%20b"]) {
      expect((await chat({ message: "x" }, { path: `/api/${project}/${slug}`, token })).status).toBe(404);
    }
  });

  test("Validation failed: the input schema, with the JSON pointer of every violation (422)", async () => {
    world.provider.play(answer("ok"));
    const checked = await world.endpoint({
      input_schema: {
        type: "object",
        properties: {
          message: { type: "string", minLength: 3 },
          stream: { const: false },
          tags: { type: "array", items: { type: "object", properties: { "a/b": { type: "integer" } } } },
        },
      },
    });
    const short = await chat({ message: "x" }, checked);
    expect(short.status).toBe(422);
    expect(short.body).toMatchObject({
      ok: false,
      error: "Validation failed: /message must NOT have fewer than 3 characters",
    });
    const more = await chat({ message: "x", stream: true, tags: [{}, { "a/b": "1" }] }, checked);
    expect(more.status).toBe(422);
    for (const violation of [
      "/message must NOT have fewer than 3 characters",
      "/stream must be equal to constant",
      "/tags/1/a~1b must be integer",
    ])
      expect(more.body["error"]).toContain(violation);
    expect(more.body["error"]).toMatch(/^Validation failed: /);
    expect(world.provider.received).toHaveLength(0);
    expect((await chat({ message: "long enough" }, checked)).status).toBe(200);
  });

  test("unknown body fields are ignored, unless an input schema forbids them; it validates the body as sent", async () => {
    const checked = await world.endpoint({
      input_schema: { type: "object", properties: { message: {} }, required: ["message"], additionalProperties: false },
    });
    const reply = await chat({ message: "x", colour: "red" }, checked);
    expect(reply.status).toBe(422);
    expect(reply.body["error"]).toMatch(/^Validation failed: .*must NOT have additional properties/);
    const absent = await chat({ messages: [user("x")] }, checked);
    expect(absent.body["error"]).toMatch(/must have required property 'message'/);
  });

  test("Validation failed: the output schema, on the model's text parsed as JSON (502)", async () => {
    const schema = { type: "object", properties: { mood: { enum: ["good", "bad"] } }, required: ["mood"] };
    const checked = await world.endpoint({ output_schema: schema, streaming_enabled: true });
    world.provider.play(answer('{"mood":"good"}'));
    const good = await chat({ message: "x" }, checked);
    expect([good.status, good.body["content"]]).toEqual([200, '{"mood":"good"}']);
    world.provider.play(answer('{"mood":"sour"}'));
    const sour = await chat({ message: "x" }, checked);
    expect(sour.status).toBe(502);
    expect(sour.body["error"]).toBe("Validation failed: /mood must be equal to one of the allowed values");
    world.provider.play(answer("fine, thanks"));
    const text = await chat({ message: "x" }, checked);
    expect([text.status, text.body["error"]]).toEqual([502, "Validation failed: output is not valid JSON"]);
  });

  test("an endpoint with an output schema answers stream: true with a short stream of the judged answer", async () => {
    const checked = await world.endpoint({ output_schema: { type: "object" }, streaming_enabled: true });
    world.provider.play(
      ({ body }, res) =>
        void (body["stream"] === true ? streamWords(["{", "}"]) : answer("{}"))({ body } as never, res),
    );
    const reply = await chat({ message: "x", stream: true }, checked);
    expectStreamOf(reply, "{}");
  });

  test("output guardrails in block mode leave a stream that was asked for a stream", async () => {
    const guarded = await world.endpoint({ streaming_enabled: true });
    await world.control.call("svc_set_guardrails", {
      endpoint: guarded.uuid,
      pii: { mode: "block" },
      apply_to_output: true,
    });
    world.provider.play(
      ({ body }, res) =>
        void (body["stream"] === true ? streamWords(["fi", "ne"]) : answer("fine"))({ body } as never, res),
    );
    const reply = await chat({ message: "x", stream: true }, guarded);
    expectStreamOf(reply, "fine");
  });

  test("Request exceeds endpoint per-request token limit: on the whole prompt that would be sent", async () => {
    world.provider.play(answer("ok"));
    const capped = await world.endpoint({ max_request_tokens: 50 });
    expect((await chat({ message: "short" }, capped)).status).toBe(200);
    const reply = await chat({ message: "word ".repeat(1_000) }, capped);
    expect(reply.status).toBe(422);
    const [, estimate] =
      /^Request exceeds endpoint per-request token limit: ~(\d+) tokens estimated, cap is 50\.$/.exec(
        String(reply.body["error"]),
      ) ?? [];
    // A real tokenizer: a thousand short words are about a thousand tokens.
    expect(Number(estimate)).toBeGreaterThan(950);
    expect(Number(estimate)).toBeLessThan(1_100);
    const prompted = await world.endpoint({ max_request_tokens: 50, system_prompt: "word ".repeat(60) });
    expect((await chat({ message: "short" }, prompted)).status).toBe(422);
    expect(world.provider.received).toHaveLength(1);
  });

  test("Provider call failed: ... (502), with no secret of the provider", async () => {
    world.provider.play(fail(400, "bad parameter"));
    const reply = await chat({ message: "x" }, await world.endpoint());
    expect(reply.status).toBe(502);
    expect(reply.body).toMatchObject({ ok: false, error: expect.stringMatching(/^Provider call failed: ./) });
  });

  test("Provider '<provider>' is disabled in this gateway. (503)", async () => {
    const provider = await world.providerAnew(world.provider);
    const disabled = await world.endpoint({ targets: [{ provider, model: "m" }] });
    await world.control.call("svc_set_provider_enabled", { provider, enabled: false });
    const reply = await chat({ message: "x" }, disabled);
    expect(reply.status).toBe(503);
    expect(reply.body).toMatchObject({ ok: false, error: `Provider '${provider}' is disabled in this gateway.` });
    await world.control.call("svc_set_provider_enabled", { provider, enabled: true });
    world.provider.play(answer("back"));
    await expect.poll(async () => (await chat({ message: "x" }, disabled)).status, { timeout: 250 }).toBe(200);
  });
});

describe("Streaming", () => {
  test("role delta, content deltas, finish_reason, usage with empty choices, [DONE]; meta in the first chunk", async () => {
    world.provider.play(streamWords(["Good ", "morning", "."]));
    const session_id = randomUUID();
    const reply = await chat({ message: "x", stream: true, session_id });
    expect(reply.status).toBe(200);
    expect(reply.headers["content-type"]).toMatch(/^text\/event-stream/);
    const events = eventsOf(reply);
    expect(events.at(-1)).toBe("[DONE]");
    const chunks = events.slice(0, -1) as Fields[];
    const ids = new Set(chunks.map(({ id }) => id));
    expect(ids.size).toBe(1);
    for (const item of chunks)
      expect(item).toMatchObject({ object: "chat.completion.chunk", model: "m", created: expect.any(Number) });
    const choices = chunks.map((item) => item["choices"] as { delta: Fields; finish_reason: unknown; index: number }[]);
    expect(choices[0]).toMatchObject([{ index: 0, delta: { role: "assistant" }, finish_reason: null }]);
    expect(chunks[0]?.["meta"]).toEqual({ request_id: reply.headers["x-request-id"], session_id });
    for (const later of chunks.slice(1)) expect(later).not.toHaveProperty("meta");
    const contents = choices.slice(1, -2).map(([choice]) => choice?.delta["content"]);
    expect(contents.join("")).toBe("Good morning.");
    for (const [choice] of choices.slice(1, -2)) expect(choice?.finish_reason).toBeNull();
    expect(choices.at(-2)).toMatchObject([{ finish_reason: "stop" }]);
    expect(choices.at(-1)).toEqual([]);
    expect(chunks.at(-1)?.["usage"]).toMatchObject(scriptedUsage);
  });

  test("works on the dispatcher too; without a session meta has the request id alone", async () => {
    world.provider.play(streamWords(["a"]));
    const { project, slug, token } = endpoint;
    const reply = await chat(
      { message: "x", endpoint: slug, stream: true },
      { path: `/api/${project}/chat/completions`, token },
    );
    const [first] = eventsOf(reply) as Fields[];
    expect(first?.["meta"]).toEqual({ request_id: reply.headers["x-request-id"] });
    expect(eventsOf(reply).at(-1)).toBe("[DONE]");
  });

  test("an error before the first byte is an ordinary HTTP error, failover included", async () => {
    const targets = [
      { provider: await world.providerAnew(world.provider), model: "m" },
      { provider: await world.providerAnew(world.backup), model: "m" },
    ];
    const twice = await world.endpoint({ streaming_enabled: true, targets });
    world.provider.play(fail(500));
    world.backup.play(fail(503));
    const failed = await chat({ message: "x", stream: true }, twice);
    expect(failed.status).toBe(502);
    expect(failed.body["error"]).toMatch(/^Provider call failed: /);
    world.backup.play(streamWords(["saved"]));
    const saved = await chat({ message: "x", stream: true }, twice);
    expect(saved.status).toBe(200);
    expect(saved.text).toContain("saved");
    expect(eventsOf(saved).at(-1)).toBe("[DONE]");
  });

  test("an error after the first byte: one error event, then the end without [DONE]; what was used is billed", async () => {
    const provider = await world.providerAnew(world.provider);
    const targets = [{ provider, model: "m", input_price_per_million: 1_000, output_price_per_million: 1_000 }];
    const cut = await world.endpoint({ streaming_enabled: true, targets });
    world.provider.play(streamThenCut(["one ", "two "]));
    const reply = await chat({ message: "x", stream: true }, cut);
    expect(reply.status).toBe(200);
    const events = eventsOf(reply);
    expect(events.at(-1)).toEqual({
      error: { message: expect.stringMatching(/./), type: expect.any(String), code: expect.anything() },
    });
    expect(reply.text).not.toContain("[DONE]");
    expect(events.filter((item) => item !== "[DONE]" && "error" in item)).toHaveLength(1);
    await expect
      .poll(
        async () =>
          await world.control.call<{ total: { cost_usd: number } }>("svc_get_usage", { project: cut.project }),
        { timeout: 5_000 },
      )
      .toMatchObject({ total: { cost_usd: expect.toSatisfy((cost: number) => cost > 0) } });
  });

  test("a client that disconnects cancels the provider call, and what was used is billed", async () => {
    const provider = await world.providerAnew(world.provider);
    const targets = [{ provider, model: "m", input_price_per_million: 1_000, output_price_per_million: 1_000 }];
    const long = await world.endpoint({ streaming_enabled: true, targets });
    world.provider.play((_request, res) => {
      res.writeHead(200, { "content-type": "text/event-stream" });
      res.write(chunk({ role: "assistant", content: "" }));
      res.write(chunk({ content: "first" }));
    });
    const leave = new AbortController();
    const reply = await fetch(world.product.url + long.path, {
      method: "POST",
      headers: { authorization: `Bearer ${long.token}` },
      body: JSON.stringify({ message: "x", stream: true }),
      signal: leave.signal,
    });
    await reply.body?.getReader().read();
    leave.abort();
    await world.provider.received[0]?.left;
    await expect
      .poll(
        async () =>
          await world.control.call<{ total: { cost_usd: number } }>("svc_get_usage", { project: long.project }),
        { timeout: 5_000 },
      )
      .toMatchObject({ total: { cost_usd: expect.toSatisfy((cost: number) => cost > 0) } });
  });
});

describe("Sessions", () => {
  test("an unused id creates a session; then history is prepended after the endpoint's prompt", async () => {
    const prompted = await world.endpoint({ system_prompt: "Be brief." });
    const session_id = randomUUID();
    world.provider.play(answer("First answer."));
    const created = await chat({ message: "First", session_id }, prompted);
    expect(created.body["meta"]).toMatchObject({ session_id });
    expect(sent()).toHaveLength(2);
    world.provider.play(answer("Second answer."));
    const resumed = await chat({ message: "Second", session_id }, prompted);
    expect(resumed.body["meta"]).toMatchObject({ session_id });
    expect(sent()).toEqual([
      { role: "system", content: "Be brief." },
      user("First"),
      { role: "assistant", content: "First answer." },
      user("Second"),
    ]);
  });

  test("a session belongs to one token and one endpoint", async () => {
    const session_id = randomUUID();
    world.provider.play(answer("A secret answer."));
    await chat({ message: "A secret", session_id });
    const stranger = await world.token(endpoint.project);
    await chat({ message: "x", session_id }, { path: endpoint.path, token: stranger.token });
    expect(sent()).toEqual([user("x")]);
    const other = await world.endpoint({}, endpoint);
    await chat({ message: "x", session_id }, other);
    expect(sent()).toEqual([user("x")]);
    await chat({ message: "again", session_id });
    expect(sent()).toEqual([user("A secret"), { role: "assistant", content: "A secret answer." }, user("again")]);
  });

  test("the user turn and the model's reply are stored together, only after success", async () => {
    const session_id = randomUUID();
    world.provider.play(fail(400));
    expect((await chat({ message: "lost", session_id })).status).toBe(502);
    world.provider.play(answer("kept"));
    await chat({ message: "stored", session_id });
    expect(sent()).toEqual([user("stored")]);
    await chat({ message: "then", session_id });
    expect(sent()).toEqual([user("stored"), { role: "assistant", content: "kept" }, user("then")]);
  });

  test("a streamed turn is stored as well; one that broke off is not", async () => {
    const session_id = randomUUID();
    const provider = await world.providerAnew(world.provider);
    const streamed = await world.endpoint({ streaming_enabled: true, targets: [{ provider, model: "m" }] });
    world.provider.play(streamWords(["spoken ", "words"]));
    await chat({ message: "one", stream: true, session_id }, streamed);
    world.provider.play(streamThenCut(["broken"]));
    await chat({ message: "two", stream: true, session_id }, streamed);
    world.provider.play(answer("ok"));
    await chat({ message: "three", session_id }, streamed);
    expect(sent()).toEqual([user("one"), { role: "assistant", content: "spoken words" }, user("three")]);
  });

  test("without session_id nothing is remembered, and meta has none", async () => {
    world.provider.play(answer("ok"));
    const reply = await chat({ message: "x" });
    expect(reply.body["meta"]).not.toHaveProperty("session_id");
  });

  test("sessions are capped at the newest 100 messages", async () => {
    const session_id = randomUUID();
    world.provider.play(answer("reply"));
    for (let turn = 1; turn <= 53; turn += 1) await chat({ message: `turn ${turn}`, session_id });
    expect(sent().length).toBeLessThanOrEqual(101);
    expect(sent().length).toBeGreaterThanOrEqual(99);
    expect(sent().at(-1)).toEqual(user("turn 53"));
    expect(sent().at(-3)).toEqual(user("turn 52"));
    expect(sent()[0]?.["role"]).toBe("user");
  });
});
