import { EventEmitter } from "node:events";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { faultEndMsMax, guardProcess, type ProcessEnd } from "./guard-process.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function guard({ end, ...rest }: Partial<ProcessEnd> = {}) {
  const exits: number[] = [];
  const written: string[] = [];
  const fake = Object.assign(new EventEmitter(), {
    exit: (code: number) => void exits.push(code),
    stderr: { write: (text: string) => void written.push(text) },
  });
  let ends = 0;
  guardProcess(fake as unknown as NodeJS.Process, {
    end: async () => {
      ends += 1;
      await end?.();
    },
    ...rest,
  });
  return { fake, exits, written, ends: () => ends };
}

test("an uncaught exception exits a process whose end hangs, within the bound", async () => {
  const drainMs = 60_000;
  const { fake, exits } = guard({ drainMs: () => drainMs, end: async () => await new Promise(() => {}) });
  fake.emit("uncaughtException", new Error("Bang."));
  await vi.advanceTimersByTimeAsync(drainMs + faultEndMsMax - 1);
  expect(exits).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(exits).toEqual([1]);
});

test("further exceptions end nothing twice, and only the first few are logged", async () => {
  let faults = 0;
  const { fake, written, exits, ends } = guard({ onFault: () => (faults += 1) });
  for (let each = 0; each < 100; each += 1) fake.emit("uncaughtException", new Error("Bang."));
  await vi.advanceTimersByTimeAsync(0);
  expect([ends(), faults, exits]).toEqual([1, 1, [1]]);
  expect(written).toHaveLength(5);
});

test("an exception during the end after a signal makes the exit code 1", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { fake, exits, ends } = guard({ end: async () => await promise });
  fake.emit("SIGTERM");
  fake.emit("uncaughtException", "no error at all");
  resolve();
  await vi.advanceTimersByTimeAsync(0);
  expect([ends(), exits]).toEqual([1, [1]]);
});

test("a signal ends the process with exit code 0", async () => {
  const { fake, exits } = guard();
  fake.emit("SIGTERM");
  await vi.advanceTimersByTimeAsync(faultEndMsMax);
  expect(exits).toEqual([0]);
});
