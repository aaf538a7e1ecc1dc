import type * as perfHooks from "node:perf_hooks";
import { Registry } from "prom-client";
import { afterEach, expect, test, vi } from "vitest";
import { loopDelayMetrics } from "./loop-delay.ts";
import { observeProcess } from "./process-metrics.ts";

const enable = vi.fn<() => void>();
const disable = vi.fn<() => void>();
vi.mock("node:perf_hooks", async (original) => {
  const real = await original<typeof perfHooks>();
  return {
    ...real,
    monitorEventLoopDelay: (options?: { readonly resolution?: number }) => {
      const delays = real.monitorEventLoopDelay(options);
      const [begin, end] = [delays.enable.bind(delays), delays.disable.bind(delays)];
      return Object.assign(delays, {
        enable: () => (enable(), begin()),
        disable: () => (disable(), end()),
      });
    },
  };
});
afterEach(() => vi.useRealTimers());

function hold(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

const pause = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));

test("the delay of the event loop is sampled from the first reading on, and figures come with the second", async () => {
  const registry = new Registry();
  observeProcess(registry);
  expect(enable).not.toHaveBeenCalled();
  expect(await registry.metrics()).not.toMatch(/^nodejs_eventloop_lag_p99_seconds/m);
  expect(enable).toHaveBeenCalledTimes(1);
  await pause(60);
  hold(120);
  await pause(60);
  const text = await registry.metrics();
  for (const name of loopDelayMetrics) expect(text).toMatch(new RegExp(`^${name} [0-9]`, "m"));
  expect(Number(/^nodejs_eventloop_lag_max_seconds ([0-9.]+)$/m.exec(text)?.[1])).toBeGreaterThan(0.1);
});

test("where the metrics are not read for five minutes, nothing is sampled and no old figure stays", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const registry = new Registry();
  observeProcess(registry);
  disable.mockClear();
  await registry.metrics();
  await vi.advanceTimersByTimeAsync(299_000);
  await registry.metrics();
  await vi.advanceTimersByTimeAsync(299_000);
  expect(disable).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(disable).toHaveBeenCalledTimes(1);
  expect(await registry.metrics()).not.toMatch(/^nodejs_eventloop_lag_p99_seconds/m);
});
