import { Socket } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { watchSlowReaders } from "./slow-readers.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => vi.useRealTimers());

test("a timer runs while there are connections, and none runs without them", () => {
  const readers = watchSlowReaders(4_000);
  expect(vi.getTimerCount()).toBe(0);
  for (let times = 0; times < 2; times++) {
    const socket = new Socket();
    readers.watch(socket);
    vi.advanceTimersByTime(10_000);
    expect(vi.getTimerCount()).toBe(1);
    socket.emit("close");
    vi.advanceTimersByTime(1_000);
    expect(vi.getTimerCount()).toBe(0);
  }
  readers.watch(new Socket());
  readers.stop();
  expect(vi.getTimerCount()).toBe(0);
});
