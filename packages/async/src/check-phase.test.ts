import { AsyncLocalStorage } from "node:async_hooks";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { inCheckPhase } from "./check-phase.ts";

test("work runs after the microtasks and ticks of the turn, in order of arrival, and before the next turn", async () => {
  const order: string[] = [];
  inCheckPhase(() => order.push("first"));
  inCheckPhase(() => order.push("second"));
  await Promise.resolve();
  order.push("microtask");
  process.nextTick(() => order.push("tick"));
  await nextTurn();

  expect(order).toEqual(["microtask", "tick", "first", "second"]);
});

test("work that is queued by other work runs in the next turn", async () => {
  const order: string[] = [];
  inCheckPhase(() => {
    inCheckPhase(() => order.push("inner"));
    order.push("outer");
  });
  await nextTurn();
  expect(order).toEqual(["outer"]);
  await nextTurn();

  expect(order).toEqual(["outer", "inner"]);
});

test("the sixty-fourth piece of work runs all that wait at once, and later pieces run in the check phase", async () => {
  const order: number[] = [];
  for (let at = 0; at < 63; at++) inCheckPhase(() => order.push(at));
  expect(order).toEqual([]);
  inCheckPhase(() => order.push(63));
  expect(order).toHaveLength(64);
  inCheckPhase(() => order.push(64));
  expect(order).toHaveLength(64);
  await nextTurn();

  expect(order).toEqual(Array.from({ length: 65 }, (_, at) => at));
});

test("work that throws prevents no other work, and its error is uncaught", async () => {
  const uncaught = vi.fn<(cause: unknown) => void>();
  const listeners = process.listeners("uncaughtException");
  process.removeAllListeners("uncaughtException").on("uncaughtException", uncaught);
  const done = vi.fn<() => void>();
  try {
    inCheckPhase(() => {
      throw new Error("broken");
    });
    inCheckPhase(done);
    await nextTurn();
    await nextTurn();
  } finally {
    process.removeAllListeners("uncaughtException");
    for (const listener of listeners) process.on("uncaughtException", listener);
  }

  expect(done).toHaveBeenCalledOnce();
  expect(uncaught).toHaveBeenCalledWith(new Error("broken"), "uncaughtException");
});

test("work runs outside the async context that queued it", async () => {
  const current = new AsyncLocalStorage<string>();
  const seen: (string | undefined)[] = [];
  current.run("call", () => inCheckPhase(() => seen.push(current.getStore())));
  await nextTurn();

  expect(seen).toEqual([undefined]);
});
