import { nowhere } from "@gatehouse/ports/testing";
import { expect, test } from "vitest";
import { send } from "../../src/chat-client.ts";
import type { Json } from "../../src/control-plane-client.ts";
import type { EndpointFixture } from "../../src/product-world.ts";
import { answer, fail, type Script, silence, streamWords } from "../../src/scripted-provider.ts";
import { expectStreamOf, openChat } from "./chat-caller.ts";
import type { World } from "./world.ts";

const moves: readonly (readonly [string, Script])[] = [
  ["401", fail(401)],
  ["403", fail(403)],
  ["404", fail(404)],
  ["context length exceeded", fail(400, "This model's maximum context length is 8192 tokens.")],
  ["408", fail(408)],
  ["429", fail(429)],
  ["500", fail(500)],
  ["502", fail(502)],
  ["503", fail(503)],
  ["529", fail(529)],
  ["timeout", silence],
  ["a connection that breaks", (_request, res) => void res.destroy()],
];

/** Failures of a target that permit failover. */
export function describeFailover(world: () => World): void {
  const { chat } = openChat(world);

  async function pair(
    settings: Json = {},
  ): Promise<EndpointFixture & { readonly first: string; readonly second: string }> {
    const { primary, secondary, anotherProvider, endpoint } = world();
    const [first, second] = [await anotherProvider(primary), await anotherProvider(secondary)];
    const targets = [
      { provider: first, model: "first" },
      { provider: second, model: "second" },
    ];
    return { ...(await endpoint({ targets, ...settings })), first, second };
  }

  test.each(moves)("next target on %s", async (_name, script) => {
    world().primary.play(script);
    world().secondary.play(answer("from the backup"));
    const reply = await chat({ message: "x" }, await pair({ timeout_ms: 1_000 }));
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ ok: true, content: "from the backup", model: "second" });
  });

  test("next target on a connection error, also for a stream", async () => {
    const dead = await world().anotherProvider({ baseUrl: `${nowhere}/v1` });
    const targets = [
      { provider: dead, model: "x" },
      { provider: world().secondaryName, model: "second" },
    ];
    const saved = await world().endpoint({ targets, streaming_enabled: true });
    world().secondary.play(answer("from the backup"));
    expect((await chat({ message: "x" }, saved)).body["content"]).toBe("from the backup");
    world().secondary.play(streamWords(["rescued"]));
    expectStreamOf(await chat({ message: "x", stream: true }, saved), "rescued");
  });

  test.each([400, 409, 413, 422])("not on %i: Provider call failed at once", async (status) => {
    world().primary.play(fail(status, "temperature is out of range"));
    world().secondary.play(answer("never"));
    const reply = await chat({ message: "x" }, await pair());
    expect(reply.status).toBe(502);
    expect(reply.body).toMatchObject({
      ok: false,
      error: expect.stringMatching(/^Provider call failed: ./),
      provider_status: status,
    });
    expect(reply.body["error"]).toContain("temperature is out of range");
    expect([world().primary.received.length, world().secondary.received.length]).toEqual([1, 0]);
  });

  test("when every target failed: 502", async () => {
    world().primary.play(fail(500));
    world().secondary.play(fail(503));
    const reply = await chat({ message: "x" }, await pair());
    expect([reply.status, reply.body["ok"]]).toEqual([502, false]);
    expect(reply.body["error"]).toMatch(/^Provider call failed: ./);
  });

  test("a silent target is abandoned within its time-out and 250 ms", async () => {
    const { primary, product, token, endpoint } = world();
    const { path } = await endpoint({ timeout_ms: 400 });
    primary.play(silence);
    const begun = performance.now();
    const reply = await send(product, path, { token, body: { message: "x" } });
    expect(reply.status).toBe(502);
    expect(reply.body["error"]).toMatch(/^Provider call failed: /);
    expect(performance.now() - begun).toBeLessThan(650);
  });

  test("a disabled provider is skipped, and named when no other is left, until it is enabled again", async () => {
    const { primary, secondary, control } = world();
    const two = await pair();
    primary.play(answer("first"));
    secondary.play(answer("second"));
    await control.call("svc_set_provider_enabled", { provider: two.first, enabled: false });
    expect((await chat({ message: "x" }, two)).body["content"]).toBe("second");
    expect(primary.received).toHaveLength(0);
    const alone = await world().endpoint({ targets: [{ provider: two.first, model: "m" }] });
    const refused = await chat({ message: "x" }, alone);
    expect(refused.status).toBe(503);
    expect(refused.body).toEqual({ ok: false, error: `Provider '${two.first}' is disabled in this gateway.` });
    await control.call("svc_set_provider_enabled", { provider: two.second, enabled: false });
    const neither = await chat({ message: "x" }, two);
    expect(neither.status).toBe(503);
    expect([two.first, two.second].map((name) => `Provider '${name}' is disabled in this gateway.`)).toContain(
      neither.body["error"],
    );
    await control.call("svc_set_provider_enabled", { provider: two.first, enabled: true });
    primary.play(answer("back"));
    await expect.poll(async () => (await chat({ message: "x" }, alone)).status, { timeout: 250 }).toBe(200);
  });

  test("the active credential is used, and a circuit breaker skips a failing target", async () => {
    const two = await pair();
    const { id } = await world().control.call<{ id: number }>("svc_create_credential", {
      provider: two.first,
      name: "main",
      api_key: "sk-contract-key-1",
    });
    world().primary.play(answer("first"));
    await chat({ message: "x" }, two);
    expect(world().primary.received[0]?.headers.authorization).toBe("Bearer sk-contract-key-1");
    await world().control.call("svc_set_credential_active", { credential_id: id, is_active: false });
    await world().control.call("svc_create_credential", {
      provider: two.first,
      name: "next",
      api_key: "sk-contract-key-2",
    });
    world().primary.play(answer("first"));
    await chat({ message: "x" }, two);
    expect(world().primary.received[0]?.headers.authorization).toBe("Bearer sk-contract-key-2");
    world().primary.play(fail(500));
    world().secondary.play(answer("second"));
    for (let times = 0; times < 12; times += 1)
      expect((await chat({ message: "x" }, two)).body["content"]).toBe("second");
    expect(world().primary.received.length).toBeLessThan(12);
  });
}
