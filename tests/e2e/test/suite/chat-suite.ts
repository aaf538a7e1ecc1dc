import { lapse } from "@gatehouse/async/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { send } from "../../src/chat-client.ts";
import { uniqueName } from "../../src/control-plane-client.ts";
import type { Fields } from "../../src/exchange.ts";
import { answer, fail, scriptedUsage } from "../../src/scripted-provider.ts";
import { openChat, user } from "./chat-caller.ts";
import { describeFailover } from "./failover-suite.ts";
import { describePrompts } from "./prompt-suite.ts";
import { describeSessions } from "./session-suite.ts";
import { describeStreams } from "./stream-suite.ts";
import type { World } from "./world.ts";

/** Chat calls as a client makes them: bodies, streams, sessions, failover, prompts and schemas. */
export function describeChat(world: () => World): void {
  describe("a chat call", () => describeChatCalls(world));
  describe("a stream", () => describeStreams(world));
  describe("a session", () => describeSessions(world));
  describe("failover", () => describeFailover(world));
  describe("prompts and schemas", () => describePrompts(world));
}

function describeChatCalls(world: () => World): void {
  const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
  const { shared, chat, sent } = openChat(world);
  /** Every error has a message. */
  const named = /\w{3}/;

  test("a message is answered in the specified shape", async () => {
    const { primary, product, token, endpoint } = world();
    const { path } = await endpoint({ system_prompt: "Be brief.", parameters: { temperature: 0.2 } });
    primary.play(answer("Hello there."));
    const reply = await send(product, path, { token, body: { message: "Hi", unknown_field: 1 } });
    expect(reply.status).toBe(200);
    expect(reply.headers.get("content-type")).toMatch(/^application\/json/);
    expect(reply.body).toEqual({
      ok: true,
      id: "chatcmpl-scripted",
      model: "m",
      content: "Hello there.",
      finish_reason: "stop",
      usage: scriptedUsage,
      meta: { request_id: reply.headers.get("x-request-id") },
    });
    const [received] = primary.received;
    expect(received?.path).toBe("/v1/chat/completions");
    expect(received?.body).toMatchObject({
      model: "m",
      temperature: 0.2,
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hi" },
      ],
    });
    expect(received?.headers.authorization).toBeUndefined();
  });

  test("a message is sent as the user's alone, and the dispatcher's reply is identical to the direct route's", async () => {
    world().primary.play(answer("Good morning."));
    const { project, slug, token } = shared();
    const direct = await chat({ message: "Hello" });
    expect(sent()).toEqual([user("Hello")]);
    const dispatched = await chat(
      { message: "Hello", endpoint: slug },
      { path: `/api/${project}/chat/completions`, token },
    );
    const stable = ({ id: _id, meta: _meta, ...rest }: Fields) => rest;
    expect(dispatched.status).toBe(200);
    expect(Object.keys(dispatched.body)).toEqual(Object.keys(direct.body));
    expect(stable(dispatched.body)).toEqual(stable(direct.body));
  });

  test("a transcript is passed in order on the dispatcher route", async () => {
    const { primary, product, project, token, endpoint } = world();
    const { slug } = await endpoint();
    primary.play(answer("ok"));
    const messages = [
      { role: "system", content: "s" },
      { role: "user", content: "q1" },
      { role: "assistant", content: "a1" },
      { role: "user", content: "q2" },
    ];
    const reply = await send(product, `/api/${project}/chat/completions`, {
      token,
      body: { endpoint: slug, messages },
    });
    expect(reply.status).toBe(200);
    expect(primary.received[0]?.body.messages).toEqual(messages);
  });

  test("messages are the full transcript, after the endpoint's prompt", async () => {
    world().primary.play(answer("ok"));
    const prompted = await world().endpoint({ system_prompt: "Be brief.", parameters: { temperature: 0.25 } });
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
    expect(world().primary.received.at(-1)?.body).toMatchObject({ model: "m", temperature: 0.25 });
  });

  test.each<[string, unknown, RegExp]>([
    ["message and messages both present", { message: "x", messages: [user("x")] }, /message/],
    ["message and empty messages", { message: "x", messages: [] }, /message/],
    ["neither", {}, /message/],
    ["messages empty", { messages: [] }, named],
    ["messages not an array", { messages: "x" }, named],
    ["a message that is not an object", { messages: ["x"] }, named],
    ["a message without content", { messages: [{ role: "user" }] }, named],
    ["a message with content that is not a string", { messages: [{ role: "user", content: 7 }] }, named],
    ["a message with content parts", { messages: [{ role: "user", content: ["x"] }] }, named],
    ["a role that does not exist", { messages: [{ role: "robot", content: "x" }] }, /robot|role/],
    ["the role tool, which is the Wrapper's", { messages: [user("x"), { role: "tool", content: "x" }] }, named],
    ["message not a string", { message: 7 }, named],
    ["message null", { message: null }, named],
    ["stream not boolean", { message: "x", stream: "true" }, /stream/],
    ["stream a number", { message: "x", stream: 1 }, /stream/],
    ["session_id that is no uuid", { message: "x", session_id: "7" }, /session_id/],
    ["an array", [], named],
    ["a string", '"x"', named],
    ["null", "null", named],
    ["not JSON", "{message: x}", named],
    ["an open brace", "{", /JSON/],
    ["cut off", '{"message": "x"', named],
    ["cut off before the value", '{"message": ', named],
    ["nothing at all", "", named],
    ["bytes that are not UTF-8", Uint8Array.from([0x7b, 0x22, 0x6d, 0xff, 0xfe, 0x22, 0x7d]), named],
  ])("malformed body: %s gives 400, names what is wrong and reaches no provider", async (_name, body, error) => {
    world().primary.play(answer("ok"));
    const { project, token } = shared();
    // The body is checked before the endpoint.
    for (const reply of [await chat(body), await chat(body, { path: `/api/${project}/no-such-endpoint`, token })]) {
      expect(reply.status).toBe(400);
      expect(reply.headers["content-type"]).toMatch(/^application\/json/);
      expect(reply.body).toMatchObject({ ok: false, error: expect.stringMatching(error) });
      expect(reply.body["error"]).toMatch(named);
      expect(reply.body["error"]).not.toMatch(/unexpected error/i);
    }
    expect(world().primary.received).toHaveLength(0);
  });

  test("a body over the size limit gives 413 before the endpoint is looked for", async () => {
    const { project, path, token } = shared();
    for (const at of [path, `/api/${project}/no-such-endpoint`]) {
      const reply = await chat({ message: "x".repeat(4 * 1024 * 1024) }, { path: at, token });
      expect(reply.status).toBe(413);
      expect(reply.body).toMatchObject({ ok: false, error: expect.stringMatching(/./) });
    }
  });

  test("the dispatcher route requires a string in 'endpoint'", async () => {
    const { product, project, token } = world();
    for (const endpoint of [undefined, 1, null]) {
      const reply = await send(product, `/api/${project}/chat/completions`, {
        token,
        body: { message: "x", endpoint },
      });
      expect(reply.status).toBe(400);
      expect(reply.body["error"]).toContain("'endpoint'");
    }
  });

  test("no body causes a 500 or a hang", async () => {
    const { product, primary, token, endpoint } = world();
    const { path } = await endpoint({ streaming_enabled: true });
    primary.play(answer("x"));
    const field = fc.constantFrom(
      "message",
      "messages",
      "stream",
      "endpoint",
      "session_id",
      "role",
      "content",
      "__proto__",
    );
    const body = fc.oneof(
      fc.json(),
      fc.dictionary(field, fc.jsonValue()).map((value) => JSON.stringify(value)),
      fc.uint8Array({ maxLength: 200 }),
      fc.string({ unit: "binary", maxLength: 100 }),
    );
    await fc.assert(
      fc.asyncProperty(body, async (value) => {
        const reply = await send(product, path, { token, body: value });
        expect([200, 400, 502]).toContain(reply.status);
      }),
      { numRuns: 150, seed: 7 },
    );
  });

  test("unknown body fields are ignored", async () => {
    world().primary.play(answer("ok"));
    const reply = await chat({ message: "x", colour: "red", temperature: 2, model: "other" });
    expect(reply.status).toBe(200);
    expect(world().primary.received[0]?.body.model).toBe("m");
    expect(world().primary.received[0]?.body).not.toHaveProperty("colour");
  });

  test("stream: false and stream where it is not honoured give an ordinary JSON reply", async () => {
    world().primary.play(answer("whole"));
    const silent = await world().endpoint();
    for (const reply of [
      await chat({ message: "x", stream: false }),
      await chat({ message: "x", stream: true }, silent),
    ]) {
      expect(reply.status).toBe(200);
      expect(reply.headers["content-type"]).toMatch(/^application\/json/);
      expect(reply.body).toMatchObject({ ok: true, content: "whole" });
    }
  });

  test("Endpoint '<slug>' not found or inactive., unknown or inactive slug, on both routes", async () => {
    const { project, token } = shared();
    const sleeping = await world().endpoint();
    await world().control.call("svc_set_endpoint_active", { endpoint: sleeping.uuid, is_active: false });
    for (const slug of ["no-such", sleeping.slug]) {
      const replies = [
        await chat({ message: "x" }, { path: `/api/${project}/${slug}`, token }),
        await chat({ message: "x", endpoint: slug }, { path: `/api/${project}/chat/completions`, token }),
      ];
      for (const { status, body } of replies) {
        expect(status).toBe(404);
        expect(body).toEqual({ ok: false, error: `Endpoint '${slug}' not found or inactive.` });
      }
    }
    await world().control.call("svc_set_endpoint_active", { endpoint: sleeping.uuid, is_active: true });
    expect((await chat({ message: "x" }, sleeping)).status).toBe(200);
  });

  test("an invalid slug is not found", async () => {
    const { project, token } = shared();
    for (const slug of ["No-Such", "a_b", "%2e%2e", "a%20b"]) {
      expect((await chat({ message: "x" }, { path: `/api/${project}/${slug}`, token })).status).toBe(404);
    }
  });

  test("the credential is sent to the provider and shown to no caller", async () => {
    const { primary, product, token, control, endpoint } = world();
    const name = uniqueName("keyed");
    const key = `sk-e2e-${"k".repeat(30)}`;
    await control.call("svc_create_provider", { name, kind: "openai", base_url: primary.baseUrl });
    const { path } = await endpoint({ targets: [{ provider: name, model: "m" }] });
    const without = await send(product, path, { token, body: { message: "x" } });
    expect(without.status).toBe(502);
    const made = await control.call("svc_create_credential", { provider: name, name: "main", api_key: key });
    primary.play(fail(401, `Incorrect API key provided: ${key}`));
    const refused = await send(product, path, { token, body: { message: "x" } });
    expect(primary.received[0]?.headers.authorization).toBe(`Bearer ${key}`);
    const listed = await control.call("svc_list_credentials", {});
    for (const shown of [made, listed, refused.body, product.output()])
      expect(JSON.stringify(shown)).not.toContain(key);
  });

  test("a client's request id is kept, and one is made where none is sent", async () => {
    const { primary, product, token, endpoint } = world();
    const { path } = await endpoint();
    primary.play(answer("x"));
    const own = await send(product, path, { token, body: { message: "x" }, headers: { "x-request-id": "my-id.1" } });
    expect(own.headers.get("x-request-id")).toBe("my-id.1");
    expect(own.body["meta"]).toEqual({ request_id: "my-id.1" });
    const bad = await send(product, path, { token: "svc_live_x", body: {} });
    expect(bad.headers.get("x-request-id")).toBeTruthy();
  });

  test("a change of an endpoint is in force within 250 ms", async () => {
    const { primary, product, token, control, endpoint } = world();
    const { path, uuid, slug } = await endpoint();
    primary.play(answer("x"));
    expect(uuid).toMatch(uuidPattern);
    expect((await send(product, path, { token, body: { message: "x" } })).status).toBe(200);
    await control.call("svc_set_endpoint_active", { endpoint: uuid, is_active: false });
    await lapse(250, "the promised bound of a change");
    const off = await send(product, path, { token, body: { message: "x" } });
    expect(off.status).toBe(404);
    expect(off.body).toEqual({ ok: false, error: `Endpoint '${slug}' not found or inactive.` });
    await control.call("svc_set_endpoint_active", { endpoint: uuid, is_active: true });
    await lapse(250, "the promised bound of a change");
    expect((await send(product, path, { token, body: { message: "x" } })).status).toBe(200);
  });

  test("usage that the provider does not report is counted", async () => {
    const { product, primary, token, endpoint } = world();
    const { path } = await endpoint();
    primary.play(({ body }, res) => {
      const message = { role: "assistant", content: "four words of text" };
      res.writeHead(200, { "content-type": "application/json" });
      res.end(
        JSON.stringify({
          id: "i",
          created: 1,
          model: body.model,
          choices: [{ index: 0, message, finish_reason: "stop" }],
        }),
      );
    });
    const { body } = await send(product, path, { token, body: { message: "x" } });
    expect(body["usage"]).toMatchObject({ completion_tokens: 4 });
  });

  test.each<[string, object]>([
    ["monthly_budget_usd", { monthly_budget_usd: -1 }],
    ["monthly_budget_usd", { monthly_budget_usd: "ten" }],
    ["max_request_tokens", { max_request_tokens: 0 }],
    ["input_schema", { input_schema: { $ref: "https://evil.example/s" } }],
    ["output_schema", { output_schema: { type: "nothing" } }],
    ["system_prompt", { system_prompt: "{{#section}}" }],
    ["timeout_ms", { timeout_ms: 0 }],
  ])("an endpoint with a wrong %s is refused when it is saved", async (name, settings) => {
    const { endpoint } = world();
    await expect(endpoint({ ...settings })).rejects.toThrow(name);
  });
}
