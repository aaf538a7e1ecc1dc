import { expect, test } from "vitest";
import { type ProviderAddress, ProviderError, type ProviderFailure } from "../provider.ts";
import { failuresMax, openMs, ProviderHealth, providersMax, restMsMax } from "./provider-health.ts";

const address: ProviderAddress = {
  provider: "p",
  kind: "openai",
  baseUrl: undefined,
  apiKey: undefined,
  credentialUuid: "one",
  model: "m",
};
const timeout = new ProviderError("timeout", "slow");

function createHealth() {
  const clock = { at: 0 };
  const health = new ProviderHealth({ now: () => clock.at });
  return { clock, health };
}

async function fail(health: ProviderHealth, failure: ProviderError, times = failuresMax): Promise<void> {
  for (let time = 0; time < times; time += 1) health.watch(address).ended(failure);
}

test.each<[ProviderFailure, number | undefined]>([
  ["unreachable", undefined],
  ["timeout", undefined],
  ["malformed", undefined],
  ["cut", undefined],
  ["status", 408],
  ["status", 429],
  ["status", 500],
  ["status", 529],
])("five consecutive %s %s open the circuit", async (failure, status) => {
  const { health } = createHealth();
  const err = new ProviderError(failure, "x", status === undefined ? {} : { status });
  await fail(health, err, failuresMax - 1);
  expect(health.admits(address)).toBe(true);
  await fail(health, err, 1);
  expect([health.admits(address), health.waitMs(address)]).toEqual([false, openMs]);
});

test.each<[ProviderFailure, number | undefined]>([
  ["aborted", undefined],
  ["status", 400],
  ["status", 422],
])("%s %s never counts", async (failure, status) => {
  const { health } = createHealth();
  await fail(health, new ProviderError(failure, "x", status === undefined ? {} : { status }), 50);
  expect(health.reports()).toMatchObject([{ state: "closed", consecutiveFailures: 0, lastFailure: undefined }]);
});

test("an aborted attempt does not end a series of failures, and the caller's own error does", async () => {
  const { health } = createHealth();
  await fail(health, timeout, failuresMax - 1);
  await fail(health, new ProviderError("aborted", "gone"), 1);
  expect(health.reports()[0]?.consecutiveFailures).toBe(failuresMax - 1);
  await fail(health, new ProviderError("status", "x", { status: 400 }), 1);
  expect(health.reports()[0]?.consecutiveFailures).toBe(0);
});

test("a stream counts by its end", async () => {
  const { health } = createHealth();
  for (let time = 0; time < failuresMax; time += 1) {
    const watch = health.watch(address);
    watch.outputBegan();
    watch.ended(new ProviderError("cut", "broke off"));
  }
  expect(health.admits(address)).toBe(false);
});

test("a probing stream closes the circuit with its first output, and counts by its end afterwards", async () => {
  const { health, clock } = createHealth();
  await fail(health, timeout);
  clock.at += openMs;
  const probe = health.watch(address);
  expect(health.admits(address)).toBe(false);
  probe.outputBegan();
  probe.ended(new ProviderError("cut", "broke off"));
  expect(health.reports()).toMatchObject([{ state: "closed", consecutiveFailures: 1, lastFailure: { code: "cut" } }]);
});

test("another credential or address of a provider starts without failures", async () => {
  const { health } = createHealth();
  await fail(health, timeout);
  expect(health.admits(address)).toBe(false);
  expect(health.admits({ ...address, credentialUuid: "two" })).toBe(true);
  health.watch({ ...address, credentialUuid: "two" }).ended();
  expect(health.reports()).toMatchObject([{ provider: "p", credentialUuid: "two", state: "closed" }]);
});

const other = { ...address, model: "other" };

test("the last success is of any model, and is kept when failures follow", async () => {
  const { health, clock } = createHealth();
  await fail(health, timeout, 1);
  expect(health.reports()[0]?.lastSuccessAt).toBeUndefined();
  clock.at = 7;
  health.watch(other).ended();
  clock.at = 9;
  await fail(health, timeout, 1);
  expect(health.reports()).toMatchObject([
    {
      lastSuccessAt: 7,
      lastFailure: { at: 9 },
      models: [
        { model: "m", lastSuccessAt: undefined },
        { model: "other", lastSuccessAt: 7 },
      ],
    },
  ]);
});

test.each([timeout, new ProviderError("status", "x", { status: 429, retryAfterSeconds: 60 })])(
  "$failure of one model does not affect the provider's other models",
  async (failure) => {
    const { health } = createHealth();
    await fail(health, failure);
    expect([health.admits(address), health.admits(other)]).toEqual([false, true]);
    health.watch(other).ended();
    expect(health.reports()).toMatchObject([
      {
        provider: "p",
        models: [
          { model: "m", consecutiveFailures: 5 },
          { model: "other", consecutiveFailures: 0 },
        ],
      },
    ]);
  },
);

test("failed connections count for the provider, for any model", async () => {
  const { health, clock } = createHealth();
  await fail(health, new ProviderError("unreachable", "away"));
  expect([health.admits(address), health.admits(other)]).toEqual([false, false]);
  clock.at += openMs;
  health.watch(other).ended();
  expect([health.admits(address), health.admits(other)]).toEqual([true, true]);
});

test("a target whose key or model is refused is reported once, until it has answered", async () => {
  const told: string[] = [];
  const health = new ProviderHealth({
    now: () => 0,
    onRefused: ({ model }, code) => void told.push(`${model} ${code}`),
  });
  const refused = (status: number) => new ProviderError("status", "x", { status });
  await fail(health, refused(401), 3);
  await fail(health, refused(404), 2);
  expect(told).toEqual(["m status_401", "m status_404"]);
  health.watch(address).ended();
  await fail(health, refused(404), 2);
  expect(told).toEqual(["m status_401", "m status_404", "m status_404"]);
});

test("a pause is bounded, and ends with an answer", async () => {
  const { health } = createHealth();
  await fail(health, new ProviderError("status", "x", { status: 429, retryAfterSeconds: 3_600 }), 1);
  expect([health.admits(address), health.waitMs(address)]).toEqual([false, restMsMax]);
  health.watch(address).ended();
  expect([health.admits(address), health.waitMs(address)]).toEqual([true, 0]);
});

test("a later Retry-After replaces an earlier one, and a failure without one does not", async () => {
  const { health, clock } = createHealth();
  const resting = (retryAfterSeconds?: number) =>
    new ProviderError("status", "x", {
      status: 429,
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    });
  await fail(health, resting(300), 1);
  await fail(health, resting(), 1);
  expect(health.waitMs(address)).toBe(300_000);
  clock.at = 1_000;
  await fail(health, resting(30), 1);
  expect(health.waitMs(address)).toBe(30_000);
});

test("the least recently used providers beyond the bound are dropped", async () => {
  const { health } = createHealth();
  for (let id = 0; id <= providersMax; id += 1) health.watch({ ...address, provider: `p${id}` }).ended(timeout);
  expect(health.reports()).toHaveLength(providersMax);
  expect(health.reports().some(({ provider }) => provider === "p0")).toBe(false);
});
