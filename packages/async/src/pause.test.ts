import { expect, test, vi } from "vitest";
import { pause } from "./pause.ts";

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
