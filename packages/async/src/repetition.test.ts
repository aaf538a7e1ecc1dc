import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Repetition } from "./repetition.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a run starts one interval after the end of the previous one, whether that failed or not", async () => {
  const gate = Promise.withResolvers<void>();
  const failures: unknown[] = [];
  let runs = 0;
  const work = async () => {
    runs += 1;
    if (runs === 1) await gate.promise;
    if (runs === 2) throw new Error("no");
  };
  const repetition = new Repetition({ intervalMs: 100, work, onFailure: (err) => failures.push(err) });
  repetition.start();
  expect(runs).toBe(0);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(runs).toBe(1);
  gate.resolve();
  await vi.advanceTimersByTimeAsync(100);
  expect(failures).toMatchObject([{ message: "no" }]);
  await vi.advanceTimersByTimeAsync(100);
  expect(runs).toBe(3);
  await repetition.stop();
});

test("a stop waits for the run in progress, and no other run starts", async () => {
  const gate = Promise.withResolvers<void>();
  const order: string[] = [];
  const work = async (stopping: AbortSignal) => {
    await gate.promise;
    order.push(stopping.aborted ? "run, stopping" : "run");
  };
  const repetition = new Repetition({ intervalMs: 100, work, onFailure: () => {} });
  repetition.start();
  await vi.advanceTimersByTimeAsync(100);
  const stopped = repetition.stop().then(() => order.push("stopped"));
  gate.resolve();
  await stopped;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(order).toEqual(["run, stopping", "stopped"]);
});
