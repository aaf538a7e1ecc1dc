import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { releaseStartMemory } from "./release-start-memory.ts";

test("what nothing refers to is gone, and the collector stays out of reach", async () => {
  const lost = new WeakRef({ of: "the start" });
  // Until its job has ended, a reference that was just made or read keeps its object.
  await nextTurn();
  releaseStartMemory();
  expect(lost.deref()).toBeUndefined();
  expect("gc" in globalThis).toBe(false);
});
