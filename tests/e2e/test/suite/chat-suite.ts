import { lapse } from "@gatehouse/async/testing";
import { expect, test } from "vitest";
import { send, sendStreaming, streamedText } from "../../src/chat-client.ts";
import { freePort } from "../../src/product.ts";
import {
  answer,
  chunk,
  event,
  fail,
  scriptedUsage,
  silence,
  streamThenCut,
  streamWords,
} from "../../src/scripted-provider.ts";
import { uniqueName } from "../../src/control-plane-client.ts";
import type { World } from "./world.ts";

/** Chat calls as a client makes them, on whatever way the product runs. */
export function describeChat(world: () => World): void {
  const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

  test("a message is answered in the specified shape", async () => {
    const { primary, product, token, endpoint } = world();
    const { path } = await endpoint({ system_prompt: "Be brief.", parameters: { temperature: 0.2 } });
    primary.play(answer("Hello there."));
    const reply = await send(product, path, { token, body: { message: "Hi", unknown_field: 1 } });
    expect(reply.status).toBe(200);
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

  test("a transcript passes in order, on the dispatcher route as on the direct one", async () => {
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

  test("a stream has the role first, then content, finish, usage and [DONE]", async () => {
    const { primary, product, token, endpoint } = world();
    const { path } = await endpoint({ streaming_enabled: true });
    primary.play(streamWords(["One ", "two ", "three."]));
    const reply = await sendStreaming(product, path, { token, body: { message: "count", stream: true } });
    expect(reply.headers.get("content-type")).toContain("text/event-stream");
    expect(streamedText(reply)).toBe("One two three.");
    const [first, ...rest] = reply.events;
    expect(first).toMatchObject({
      object: "chat.completion.chunk",
      choices: [{ delta: { role: "assistant" }, finish_reason: null }],
      meta: { request_id: reply.headers.get("x-request-id") },
    });
    expect(rest.at(-1)).toBe("[DONE]");
    expect(rest.at(-2)).toMatchObject({ choices: [], usage: scriptedUsage });
    expect(rest.at(-3)).toMatchObject({ choices: [{ delta: {}, finish_reason: "stop" }] });
    expect(primary.received[0]?.body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  test("stream: true is an ordinary reply where streaming is not enabled", async () => {
    const { primary, product, token, endpoint } = world();
    const { path } = await endpoint();
    primary.play(answer("whole"));
    const reply = await send(product, path, { token, body: { message: "x", stream: true } });
    expect(reply.body).toMatchObject({ ok: true, content: "whole" });
  });

  test("a stream that is cut ends with an error event and without [DONE]", async () => {
    const { primary, product, token, endpoint } = world();
    const { path } = await endpoint({ streaming_enabled: true });
    primary.play(streamThenCut(["part "]));
    const reply = await sendStreaming(product, path, { token, body: { message: "x", stream: true } });
    expect(reply.status).toBe(200);
    expect(streamedText(reply)).toBe("part ");
    expect(reply.events).not.toContain("[DONE]");
    expect(reply.events.at(-1)).toMatchObject({ error: { type: "api_error", code: "provider_failed" } });
  });

  test.each([429, 408, 500, 503])("status %i of the first target fails over to the second", async (status) => {
    const { primary, secondary, product, token, primaryAnew, secondaryName, endpoint } = world();
    const targets = [
      { provider: await primaryAnew(), model: "first" },
      { provider: secondaryName, model: "second" },
    ];
    const { path } = await endpoint({ targets });
    primary.play(fail(status));
    secondary.play(answer("rescued"));
    const reply = await send(product, path, { token, body: { message: "x" } });
    expect(reply.body).toMatchObject({ ok: true, content: "rescued", model: "second" });
  });

  test("a 4xx that says the request is wrong is the answer at once: the second target is not asked", async () => {
    const { primary, secondary, product, token, primaryAnew, secondaryName, endpoint } = world();
    const targets = [
      { provider: await primaryAnew(), model: "first" },
      { provider: secondaryName, model: "second" },
    ];
    const { path } = await endpoint({ targets });
    primary.play(fail(400, "temperature is out of range"));
    secondary.play(answer("never"));
    const reply = await send(product, path, { token, body: { message: "x" } });
    expect(reply.status).toBe(502);
    expect(reply.body["error"]).toMatch(/^Provider call failed: .*temperature is out of range/);
    expect(secondary.received).toHaveLength(0);
  });

  test("a target that refuses connections is passed over, also for a stream", async () => {
    const { secondary, product, token, secondaryName, control, endpoint } = world();
    const dead = uniqueName("dead");
    const base_url = `http://127.0.0.1:${await freePort()}/v1`;
    await control.call("svc_create_provider", { name: dead, kind: "openai-compatible", base_url });
    const targets = [
      { provider: dead, model: "x" },
      { provider: secondaryName, model: "second" },
    ];
    const { path } = await endpoint({ targets, streaming_enabled: true });
    secondary.play(streamWords(["rescued"]));
    const reply = await sendStreaming(product, path, { token, body: { message: "x", stream: true } });
    expect(streamedText(reply)).toBe("rescued");
  });

  test("a silent target is given up within its time-out and 250 ms", async () => {
    const { primary, product, token, endpoint } = world();
    const { path } = await endpoint({ timeout_ms: 400 });
    primary.play(silence);
    const begun = performance.now();
    const reply = await send(product, path, { token, body: { message: "x" } });
    expect(reply.status).toBe(502);
    expect(reply.body["error"]).toMatch(/^Provider call failed: /);
    expect(performance.now() - begun).toBeLessThan(650);
  });

  test("a client that leaves ends the provider's work", async () => {
    const { primary, product, token, endpoint } = world();
    const { path } = await endpoint({ streaming_enabled: true });
    primary.play((_request, res) => {
      res.writeHead(200, { "content-type": "text/event-stream" });
      res.write(chunk({ content: "endless" }));
    });
    const abort = new AbortController();
    const reply = await fetch(product.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({ message: "x", stream: true }),
      signal: abort.signal,
    });
    await reply.body?.getReader().read();
    abort.abort();
    await primary.received[0]?.left;
  });

  test("an error event inside a stream before any output is an ordinary error", async () => {
    const { primary, product, token, endpoint } = world();
    const { path } = await endpoint({ streaming_enabled: true });
    primary.play((_request, res) => {
      res.writeHead(200, { "content-type": "text/event-stream" });
      res.end(event({ error: { message: "overloaded", code: 529 } }));
    });
    const reply = await send(product, path, { token, body: { message: "x", stream: true } });
    expect(reply.status).toBe(502);
  });

  test("a disabled provider is skipped, and named when no other is left", async () => {
    const { secondary, product, token, control, secondaryName, endpoint } = world();
    const name = uniqueName("off");
    await control.call("svc_create_provider", { name, kind: "mock" });
    const alone = await endpoint({ targets: [{ provider: name, model: "x" }] });
    const backed = await endpoint({
      targets: [
        { provider: name, model: "x" },
        { provider: secondaryName, model: "second" },
      ],
    });
    await control.call("svc_set_provider_enabled", { provider: name, enabled: false });
    secondary.play(answer("instead"));
    const refused = await send(product, alone.path, { token, body: { message: "x" } });
    expect(refused.status).toBe(503);
    expect(refused.body).toEqual({ ok: false, error: `Provider '${name}' is disabled in this gateway.` });
    expect((await send(product, backed.path, { token, body: { message: "x" } })).body["content"]).toBe("instead");
  });

  test("the credential is sent to the provider and shown to nobody", async () => {
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
}
