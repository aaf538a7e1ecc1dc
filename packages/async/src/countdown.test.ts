import { setTimeout as delay } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { startCountdown } from "./countdown.ts";

test("a countdown ends once, after its time, or never if it is stopped", async () => {
  vi.useFakeTimers();
  try {
    const ended: string[] = [];
    startCountdown(1_000, () => ended.push("whole"));
    const stop = startCountdown(1_000, () => ended.push("stopped"));
    await vi.advanceTimersByTimeAsync(999);
    expect(ended).toEqual([]);
    stop();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(ended).toEqual(["whole"]);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test("a process that did not run in between reads what has arrived before its countdown ends", async () => {
  let hasEnded = false;
  const stop = startCountdown(100, () => (hasEnded = true));
  const until = performance.now() + 300;
  while (performance.now() < until);
  // Timers that are due run before sockets are read.
  await delay(0);
  expect(hasEnded).toBe(false);
  stop();
});
