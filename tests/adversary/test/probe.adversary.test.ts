import { lapse } from "@gatehouse/async/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openAdversaryWorld, type AdversaryWorld } from "../src/world.ts";

/** Four times the bar. */
const standstillMs = 200;

let world: AdversaryWorld;
beforeAll(async () => {
  world = await openAdversaryWorld();
});
afterAll(async () => await world.stop());

test("an ordinary call stays within every bound", async () => {
  const { path, token } = await world.endpoint();
  const cost = await world.meter.expectHarmless(async () => {
    const reply = await world.ask(path, { token, body: { message: "Hello" } });
    expect(reply.status).toBe(200);
  });
  expect(cost.stall.asks).toBeGreaterThan(3);
});

test("a blocked event loop is detected", async () => {
  const [child] = world.product.processes;
  const stop = async () => {
    child?.process.kill("SIGSTOP");
    await lapse(standstillMs, "the standstill that the probe is to see");
    child?.process.kill("SIGCONT");
  };
  await expect(world.meter.expectHarmless(stop)).rejects.toThrow(/\/healthz waited \d{3} ms/);
});
