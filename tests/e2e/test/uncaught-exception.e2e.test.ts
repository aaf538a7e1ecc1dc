import { lapse } from "@gatehouse/async/testing";
import { expect, onTestFinished, test } from "vitest";
import { send } from "../src/chat-client.ts";
import { startStandalone } from "../src/product.ts";
import { answer } from "../src/scripted-provider.ts";
import { createWorld, type World } from "./suite/world.ts";

/** Throws in a process outside of any request, when a header of a client's request triggers it. */
const thrower = `data:text/javascript,import{subscribe}from'node:diagnostics_channel';
subscribe('http.server.request.start',({request})=>{
  if('x-throw'in(request.headers))setImmediate(()=>{throw Object.assign(new Error('Bang.'),{seen:['hun','ter2'].join('')})})})`.replaceAll(
  "\n",
  "",
);
const slowMs = 400;

async function open(env: Readonly<Record<string, string>> = {}): Promise<World> {
  const options = { env: { NODE_OPTIONS: `--import "${thrower}"`, DRAIN_TIMEOUT_MS: "3000", ...env } };
  const world = await createWorld(async () => await startStandalone(options));
  onTestFinished(async () => await world.stop());
  world.primary.play(async (request, res) => {
    await lapse(slowMs, "a slow provider: its call is in flight at the exception");
    await answer("ok")(request, res);
  });
  return world;
}

/** A call in flight beside one that causes an uncaught exception. */
async function throwBeside(world: World): Promise<{ readonly slow: number }> {
  const { path } = await world.endpoint();
  const call = async (headers: Readonly<Record<string, string>>) =>
    (await send(world.product, path, { body: { message: "x" }, token: world.token, headers })).status;
  const slow = call({});
  await expect.poll(() => world.primary.received.length, { timeout: 10_000 }).toBeGreaterThan(0);
  await call({ "x-throw": "1" }).catch(() => 0);
  return { slow: await slow };
}

test("an uncaught exception lets calls in flight finish, and exits with 1", async () => {
  const world = await open();
  const { slow } = await throwBeside(world);
  expect(slow).toBe(200);
  const [child] = world.product.processes;
  await expect.poll(() => child?.process.exitCode, { timeout: 20_000 }).toBe(1);
  expect(world.product.output()).toContain("Bang.");
  expect(world.product.output()).not.toContain("hunter2");
});

test("a worker with an uncaught exception is replaced at once, and calls continue", async () => {
  const world = await open({ WORKERS: "2" });
  const { slow } = await throwBeside(world);
  expect(slow).toBe(200);
  await expect.poll(() => world.product.output(), { timeout: 10_000 }).toContain("it is replaced");
  const { path } = await world.endpoint();
  for (let each = 0; each < 20; each += 1)
    expect((await send(world.product, path, { body: { message: "x" }, token: world.token })).status).toBe(200);
  expect(world.product.processes[0]?.process.exitCode).toBeNull();
});
