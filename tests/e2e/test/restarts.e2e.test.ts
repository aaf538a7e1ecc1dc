import { lapse } from "@gatehouse/async/testing";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { send } from "../src/chat-client.ts";
import { startServices } from "../src/product.ts";
import { answer } from "../src/scripted-provider.ts";
import { guard } from "./suite/guardrail-suite.ts";
import { createWorld, type World } from "./suite/world.ts";

/** Processes of services are restarted while calls come in, beside another one of the same service where calls need it. */

let world: World;
beforeAll(async () => {
  world = await createWorld(async () => await startServices({ doubled: ["chat", "guardrail"] }));
});
afterAll(async () => await world.stop());

/** Between the beginnings of two calls. */
const paceMs = 20;
/** Places in `product.processes`; the second chat and the second guardrail come last. */
const places = { controlPlane: 1, chat: 2, guardrail: 3, logbook: 8, secondChat: 9, secondGuardrail: 10 };

/** Calls an endpoint at a steady pace while `act` runs, and a while longer. @returns the statuses, with how often each came. */
async function callDuring(act: () => Promise<void>): Promise<Record<string, number>> {
  const fixture = await guard(world, { keywords: ["falcon"] });
  world.primary.play(answer("ok"));
  const statuses: Record<string, number> = {};
  const calls: Promise<void>[] = [];
  const over = new AbortController();
  const call = async () => {
    const { status } = await send(world.product, fixture.path, { token: fixture.token, body: { message: "dove" } });
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  const pace = (async () => {
    while (!over.signal.aborted) {
      calls.push(call());
      await delay(paceMs);
    }
  })();
  await call();
  await act();
  await lapse(1_000, "calls go on after what was done");
  over.abort();
  await pace;
  await Promise.all(calls);
  return statuses;
}

test.each([
  ["control plane", places.controlPlane],
  ["chat", places.chat],
  ["second chat", places.secondChat],
  ["guardrail", places.guardrail],
  ["second guardrail", places.secondGuardrail],
  ["logbook", places.logbook],
])(
  "no call fails while the %s is restarted",
  async (_name, at) => {
    const statuses = await callDuring(async () => await world.product.restart(at));
    expect(Object.keys(statuses)).toEqual(["200"]);
    expect(statuses["200"]).toBeGreaterThan(50);
  },
  60_000,
);
