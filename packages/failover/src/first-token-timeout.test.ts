import { type ProviderAddress, ProviderError } from "@gatehouse/providers";
import { expect, test } from "vitest";
import { FirstTokenTimeout } from "./first-token-timeout.ts";

const bounds = { connectMs: 5, headersMs: 60, firstTokenMs: 60, idleMs: 20, totalMs: 300 };
const address: ProviderAddress = {
  provider: "a",
  kind: "openai",
  baseUrl: undefined,
  apiKey: undefined,
  model: "m",
};

function createWorld() {
  const clock = { at: 0 };
  const firstTokenTimeout = new FirstTokenTimeout(() => clock.at, 15);
  const boundMs = (parameters = {}) => firstTokenTimeout.limit(address, parameters, bounds).firstTokenMs;
  /** A stream whose first token takes this long, or fails. */
  const ask = async (ms: number, failure?: ProviderError) => {
    const begin = async () => {
      clock.at += ms;
      if (failure !== undefined) throw failure;
      await Promise.resolve();
    };
    await firstTokenTimeout.watch(address, boundMs(), begin).catch(() => {});
  };
  return { firstTokenTimeout, boundMs, ask };
}

const slow = () => new ProviderError("timeout", "no first token");

test("a model gets the short bound, and its other bounds are unchanged", () => {
  const { firstTokenTimeout } = createWorld();
  expect(firstTokenTimeout.limit(address, {}, bounds)).toEqual({ ...bounds, firstTokenMs: 15 });
  expect(firstTokenTimeout.limit(address, {}, { ...bounds, firstTokenMs: 10 }).firstTokenMs).toBe(10);
});

test("a model that exceeded the short bound gets the long one until it is fast again", async () => {
  const { boundMs, ask, firstTokenTimeout } = createWorld();
  await ask(15, slow());
  expect(boundMs()).toBe(60);
  expect(firstTokenTimeout.limit({ ...address, model: "other" }, {}, bounds).firstTokenMs).toBe(15);
  await ask(30);
  expect(boundMs()).toBe(60);
  await ask(1, new ProviderError("status", "answered 503", { status: 503 }));
  expect(boundMs()).toBe(60);
  await ask(2);
  expect(boundMs()).toBe(15);
});

test("a model that exceeds the long bound too gets the short one again", async () => {
  const { boundMs, ask } = createWorld();
  await ask(15, slow());
  await ask(60, slow());
  expect(boundMs()).toBe(15);
});

test("a connection that times out does not change a model's bound", async () => {
  const { boundMs, ask } = createWorld();
  await ask(5, new ProviderError("timeout", "not connected", { isOfConnection: true }));
  expect(boundMs()).toBe(15);
});

test.each([{ reasoning_effort: "high" }, { reasoning: { effort: "low" } }, { thinking: { type: "enabled" } }])(
  "a call that asks for thinking, %j, has the long bound",
  (parameters) => {
    expect(createWorld().boundMs(parameters)).toBe(60);
  },
);

test.each([{ reasoning_effort: "none" }, { reasoning_effort: null }, { thinking: { type: "disabled" } }])(
  "a call that asks for no thinking, %j, has the short bound",
  (parameters) => {
    expect(createWorld().boundMs(parameters)).toBe(15);
  },
);
