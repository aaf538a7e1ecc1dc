import { expect, test } from "vitest";
import { PolicyCache } from "./policy-cache.ts";

function setup() {
  const clock = { ms: 1_000 };
  return { clock, memory: new PolicyCache(() => clock.ms) };
}

test("an unknown endpoint is asked about, and does not pass unguarded", () => {
  const { memory } = setup();
  expect([memory.isFreshlyAbsent("e"), memory.mayPassUnguarded("e")]).toEqual([false, false]);
});

test("the absence of a policy holds for less than 100 ms", () => {
  const { memory, clock } = setup();
  memory.record("e", "absent", 1_000);
  clock.ms = 1_099;
  expect(memory.isFreshlyAbsent("e")).toBe(true);
  clock.ms = 1_100;
  expect(memory.isFreshlyAbsent("e")).toBe(false);
});

test("an endpoint without a policy passes unguarded for ten minutes", () => {
  const { memory, clock } = setup();
  memory.record("e", "absent", 1_000);
  clock.ms = 1_000 + 10 * 60_000 - 1;
  expect(memory.mayPassUnguarded("e")).toBe(true);
  clock.ms += 1;
  expect(memory.mayPassUnguarded("e")).toBe(false);
});

test("the last known policy decides, regardless of its age", () => {
  const { memory, clock } = setup();
  memory.record("open", "fails_open", 1_000);
  memory.record("closed", "fails_closed", 1_000);
  memory.record("changed", "absent", 1_000);
  memory.record("changed", "fails_closed", 1_001);
  clock.ms = 24 * 3_600_000;
  expect(["open", "closed", "changed"].map((uuid) => memory.mayPassUnguarded(uuid))).toEqual([true, false, false]);
  expect(memory.isFreshlyAbsent("open")).toBe(false);
});
