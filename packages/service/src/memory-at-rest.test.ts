import { performance } from "node:perf_hooks";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { releaseMemoryAtRest } from "./memory-at-rest.ts";

const lookMs = 10_000;
let utilization: number;
let active: number;
let stop: () => void;
const collect = vi.fn();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  vi.spyOn(performance, "eventLoopUtilization").mockImplementation(() => ({ utilization, active, idle: 0 }));
  stop = releaseMemoryAtRest(collect);
});
afterEach(() => {
  stop();
  collect.mockReset();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

function pass(looks: number, share: number): void {
  utilization = share;
  active = share * lookMs;
  vi.advanceTimersByTime(looks * lookMs);
}

test("garbage is collected once, five minutes after a load", () => {
  pass(1, 0.15);
  pass(1, 0.06);
  pass(29, 0.005);
  expect(collect).not.toHaveBeenCalled();
  pass(100, 0.005);
  expect(collect).toHaveBeenCalledTimes(1);
});

test("garbage is not collected during a load with short pauses", () => {
  for (let round = 0; round < 10; round += 1) {
    pass(1, 0.5);
    pass(20, 0.005);
  }
  expect(collect).not.toHaveBeenCalled();
});

test("garbage is collected once for each pause after the start or after single calls", () => {
  pass(2, 0.005);
  expect(collect).not.toHaveBeenCalled();
  pass(20, 0.005);
  expect(collect).toHaveBeenCalledTimes(1);
  pass(1, 0.1);
  pass(3, 0.005);
  expect(collect).toHaveBeenCalledTimes(2);
});

test("garbage is not collected while there are calls", () => {
  for (let round = 0; round < 10; round += 1) {
    pass(2, 0.005);
    pass(1, 0.03);
  }
  expect(collect).not.toHaveBeenCalled();
});

test("V8's collector is available without a command-line flag", () => {
  stop();
  stop = releaseMemoryAtRest();
  const before = process.memoryUsage().heapUsed;
  let garbage: object[] | undefined = Array.from({ length: 1_000_000 }, (_, index) => ({ index }));
  const grown = process.memoryUsage().heapUsed - before;
  expect(garbage.length).toBeGreaterThan(0);
  garbage = undefined;
  pass(3, 0);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(grown / 2);
});
