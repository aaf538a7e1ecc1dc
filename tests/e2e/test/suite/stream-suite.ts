import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { send } from "../../src/chat-client.ts";
import { eventsOf, type Fields } from "../../src/exchange.ts";
import { answer, chunk, event, fail, scriptedUsage, streamThenCut, streamWords } from "../../src/scripted-provider.ts";
import { expectStreamOf, openChat } from "./chat-caller.ts";
import type { World } from "./world.ts";

/** Answers as event streams: their events, and how they end. */
export function describeStreams(world: () => World): void {
  const { shared, chat } = openChat(world);

  test("role delta, content deltas, finish_reason, usage with empty choices, [DONE]; meta in the first chunk", async () => {
    world().primary.play(streamWords(["Good ", "morning", "."]));
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
    expect(choices.at(-2)?.[0]?.delta).toEqual({});
    expect(chunks.at(-1)?.["usage"]).toMatchObject(scriptedUsage);
    expect(world().primary.received[0]?.body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  test("works on the dispatcher too; without a session meta has the request id alone", async () => {
    world().primary.play(streamWords(["a"]));
    const { project, slug, token } = shared();
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
      { provider: await world().anotherProvider(world().primary), model: "m" },
      { provider: await world().anotherProvider(world().secondary), model: "m" },
    ];
    const twice = await world().endpoint({ streaming_enabled: true, targets });
    world().primary.play(fail(500));
    world().secondary.play(fail(503));
    const failed = await chat({ message: "x", stream: true }, twice);
    expect(failed.status).toBe(502);
    expect(failed.body["error"]).toMatch(/^Provider call failed: /);
    world().secondary.play(streamWords(["saved"]));
    const saved = await chat({ message: "x", stream: true }, twice);
    expect(saved.status).toBe(200);
    expect(saved.text).toContain("saved");
    expect(eventsOf(saved).at(-1)).toBe("[DONE]");
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

  test("an error after the first byte: one error event, then the end without [DONE]; what was used is billed", async () => {
    const provider = await world().anotherProvider(world().primary);
    const targets = [{ provider, model: "m", input_price_per_million: 1_000, output_price_per_million: 1_000 }];
    const cut = await world().ownEndpoint({ streaming_enabled: true, targets });
    world().primary.play(streamThenCut(["one ", "two "]));
    const reply = await chat({ message: "x", stream: true }, cut);
    expect(reply.status).toBe(200);
    const events = eventsOf(reply);
    expect(events.at(-1)).toEqual({
      error: { message: expect.stringMatching(/./), type: "api_error", code: "provider_failed" },
    });
    expect(reply.text).not.toContain("[DONE]");
    const deltas = events.slice(0, -1) as { choices: { delta: { content?: string } }[] }[];
    expect(deltas.map(({ choices }) => choices[0]?.delta.content ?? "").join("")).toBe("one two ");
    expect(events.filter((item) => item !== "[DONE]" && "error" in item)).toHaveLength(1);
    await expect
      .poll(
        async () =>
          await world().control.call<{ total: { cost_usd: number } }>("svc_get_usage", { project: cut.project }),
        { timeout: 5_000 },
      )
      .toMatchObject({ total: { cost_usd: expect.toSatisfy((cost: number) => cost > 0) } });
  });

  test("a client that disconnects cancels the provider call, and what was used is billed", async () => {
    const provider = await world().anotherProvider(world().primary);
    const targets = [{ provider, model: "m", input_price_per_million: 1_000, output_price_per_million: 1_000 }];
    const long = await world().ownEndpoint({ streaming_enabled: true, targets });
    world().primary.play((_request, res) => {
      res.writeHead(200, { "content-type": "text/event-stream" });
      res.write(chunk({ role: "assistant", content: "" }));
      res.write(chunk({ content: "first" }));
    });
    const leave = new AbortController();
    const reply = await fetch(world().product.url + long.path, {
      method: "POST",
      headers: { authorization: `Bearer ${long.token}` },
      body: JSON.stringify({ message: "x", stream: true }),
      signal: leave.signal,
    });
    await reply.body?.getReader().read();
    leave.abort();
    await world().primary.received[0]?.left;
    await expect
      .poll(
        async () =>
          await world().control.call<{ total: { cost_usd: number } }>("svc_get_usage", { project: long.project }),
        { timeout: 5_000 },
      )
      .toMatchObject({ total: { cost_usd: expect.toSatisfy((cost: number) => cost > 0) } });
  });

  test("output guardrails in block mode leave a stream that was asked for a stream", async () => {
    const guarded = await world().endpoint({ streaming_enabled: true });
    await world().control.call("svc_set_guardrails", {
      endpoint: guarded.uuid,
      pii: { mode: "block" },
      apply_to_output: true,
    });
    world().primary.play(
      ({ body }, res) =>
        void (body["stream"] === true ? streamWords(["fi", "ne"]) : answer("fine"))({ body } as never, res),
    );
    const reply = await chat({ message: "x", stream: true }, guarded);
    expectStreamOf(reply, "fine");
  });
}
