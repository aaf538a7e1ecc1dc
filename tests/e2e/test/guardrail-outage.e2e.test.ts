import { afterAll, beforeAll, expect, test } from "vitest";
import { send } from "../src/chat-client.ts";
import { createProject } from "../src/control-plane-client.ts";
import { startServices } from "../src/product.ts";
import { answer } from "../src/scripted-provider.ts";
import { guard } from "./suite/guardrail-suite.ts";
import { createWorld, type World } from "./suite/world.ts";

/** The guardrail service's process is stopped while the others run. */

let world: World;
beforeAll(async () => {
  world = await createWorld(async () => await startServices());
});
afterAll(async () => await world.stop());

test("a call without its guardrails is refused or passes as its policy says, and passes without a policy", async () => {
  const closed = await guard(world, { keywords: ["falcon"] });
  const open = await guard(world, { keywords: ["falcon"], on_unavailable: "open" });
  const free = await guard(world, { clear: true });
  const unseen = await guard(world, { clear: true });
  world.primary.play(answer("ok"));
  const call = async ({ path, token }: { path: string; token: string }, message: string) =>
    await send(world.product, path, { token, body: { message } });
  const statuses = async (message: string) =>
    await Promise.all([closed, open, free].map(async (fixture) => (await call(fixture, message)).status));

  expect(await statuses("falcon")).toEqual([422, 422, 200]);
  await world.product.processes[3]?.stop();
  // At first calls wait for a starting process.
  await expect.poll(async () => await statuses("falcon"), { timeout: 15_000 }).toEqual([503, 200, 200]);
  // Calls are still refused after the cache of policies has expired.
  await expect.poll(async () => await statuses("dove"), { timeout: 15_000 }).toEqual([503, 200, 200]);

  const refused = await call(closed, "dove");
  expect(refused.body).toMatchObject({
    ok: false,
    error: "The guardrails of this endpoint cannot be reached. Try again shortly.",
  });
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  // An endpoint that was never called might have a policy.
  expect((await call(unseen, "dove")).status).toBe(503);

  const { project } = closed;
  await expect(world.control.call("svc_get_guardrails", { project })).rejects.toThrow("not available");
  await expect(world.control.call("svc_delete_project", { project })).rejects.toThrow("not available");
  const fresh = await createProject(world.control);
  expect(await world.control.call("svc_get_project", { project: fresh.project })).toMatchObject({
    uuid: fresh.project,
  });
});
