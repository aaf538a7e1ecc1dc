import { afterAll, beforeAll, expect, test } from "vitest";
import { type AdversaryWorld, openAdversaryWorld } from "../src/world.ts";

let world: AdversaryWorld;
beforeAll(async () => {
  world = await openAdversaryWorld();
});
afterAll(async () => await world.stop());

test.each([
  ["4,000 messages of 40 e-mail addresses", 4_000, 40],
  ["9,999 messages of 44 e-mail addresses", 9_999, 44],
  ["one message of 500,000 e-mail addresses", 1, 500_000],
])("masking %s harms no other caller", async (_name, messages, addresses) => {
  const { path, token, uuid } = await world.endpoint();
  await world.control.call("svc_set_guardrails", { endpoint: uuid, pii: { mode: "mask", entities: ["email"] } });
  const content = "a@b.co ".repeat(addresses);
  const body = JSON.stringify({ messages: Array.from({ length: messages }, () => ({ role: "user", content })) });
  expect(body.length).toBeLessThan(4 * 1024 * 1024);
  await world.meter.expectHarmless(async () => {
    const reply = await world.ask(path, { token, body });
    // Masked and sent, or refused for its size or time: neither affects other callers.
    expect([200, 413, 422, 503], reply.text.slice(0, 200)).toContain(reply.status);
  });
});
