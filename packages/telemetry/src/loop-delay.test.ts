import { Registry } from "prom-client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type DelayMonitor, loopDelayMetrics, observeLoopDelay } from "./loop-delay.ts";

afterEach(() => vi.useRealTimers());

const enable = vi.fn<() => boolean>(() => true);
const disable = vi.fn<() => boolean>(() => true);
const reset = vi.fn<() => void>();
const scripted: DelayMonitor = {
  count: 6,
  min: 20e6,
  max: 120e6,
  mean: 40e6,
  stddev: 5e6,
  percentile: (share) => share * 1e6,
  enable,
  disable,
  reset,
};
let registry: Registry;
beforeEach(() => {
  registry = new Registry();
  vi.clearAllMocks();
  observeLoopDelay(registry, scripted);
});

test("the event loop's delay is sampled from the first scrape on, with figures from the second", async () => {
  expect(enable).not.toHaveBeenCalled();
  expect(await registry.metrics()).not.toMatch(/^nodejs_eventloop_lag_p99_seconds/m);
  expect(enable).toHaveBeenCalledTimes(1);
  const text = await registry.metrics();
  for (const name of loopDelayMetrics) expect(text).toMatch(new RegExp(`^${name} [0-9]`, "m"));
  expect(text).toMatch(/^nodejs_eventloop_lag_max_seconds 0.12$/m);
  expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds 0.099$/m);
  expect(reset).toHaveBeenCalledTimes(2);
});

test("sampling ends five minutes after the last scrape, and old figures are dropped", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  await registry.metrics();
  await vi.advanceTimersByTimeAsync(299_000);
  await registry.metrics();
  await vi.advanceTimersByTimeAsync(299_000);
  expect(disable).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(disable).toHaveBeenCalledTimes(1);
  expect(await registry.metrics()).not.toMatch(/^nodejs_eventloop_lag_p99_seconds/m);
});
