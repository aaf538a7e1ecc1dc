import { expect, test, vi } from "vitest";
import { pause, untilTick } from "./pause.ts";

const hourMs = 3_600_000;

test("a pause ends at once when its signal is aborted, and leaves no timer behind", async () => {
  vi.useFakeTimers();
  try {
    const abort = new AbortController();
    const pausing = pause(hourMs, abort.signal);
    abort.abort();
    await pausing;
    await pause(hourMs, abort.signal);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test("a pause that is not aborted lasts its time", async () => {
  vi.useFakeTimers();
  try {
    let isOver = false;
    const pausing = pause(100, new AbortController().signal).then(() => (isOver = true));
    await vi.advanceTimersByTimeAsync(99);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await pausing;
  } finally {
    vi.useRealTimers();
  }
});

test.each([
  [0, 5_000],
  [1_000, 4_000],
  [4_949, 51],
  [4_951, 5_049],
  [12_000, 3_000],
])("at %i ms the next tick of 5 s is %i ms away", (now, left) => {
  expect(untilTick(5_000, now)).toBe(left);
});

test("ticks of a short interval are at least half of it away, and at most one and a half", () => {
  for (let now = 0; now < 40; now += 1) {
    expect(untilTick(20, now)).toBeGreaterThanOrEqual(10);
    expect(untilTick(20, now)).toBeLessThan(30);
  }
});
