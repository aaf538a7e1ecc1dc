import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { BodyScheduler } from "./body-scheduler.ts";

const mebibyte = 1024 * 1024;

/** An event loop that is busy for a share of the time; only the test advances it. */
function createLoop(busyShare: number) {
  let nowMs = 10_000;
  return {
    now: () => nowMs,
    eventLoopUtilization: (since?: { readonly idle: number; readonly active: number }) => {
      const active = nowMs * busyShare - (since?.active ?? 0);
      const idle = nowMs * (1 - busyShare) - (since?.idle ?? 0);
      return { idle, active, utilization: active / (active + idle) };
    },
    pass(ms: number) {
      for (let passed = 0; passed < ms; passed += 5) {
        nowMs += 5;
        vi.advanceTimersByTime(5);
      }
    },
  };
}

/** A scheduler whose two projects have just sent requests, and the names of the bodies that have started. */
function openScheduler(busyShare: number, tenants = ["one", "two"]) {
  const loop = createLoop(busyShare);
  const scheduler = new BodyScheduler(loop);
  for (const tenant of tenants) scheduler.see(tenant);
  const begun: string[] = [];
  const enter = (tenant: string, bytes: number) => scheduler.enter(tenant, bytes, () => begun.push(tenant));
  return { loop, scheduler, begun, enter };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("scheduling of large bodies", () => {
  it("come one by one on a busy event loop, later the larger the last body was", () => {
    const { loop, begun, enter } = openScheduler(0.9);
    enter("one", mebibyte);
    enter("one", mebibyte);
    expect(begun).toEqual(["one"]);
    // 1 MiB at 8 MiB/s.
    loop.pass(120);
    expect(begun).toHaveLength(1);
    loop.pass(10);
    expect(begun).toHaveLength(2);
  });

  it("come after half a second at the latest", () => {
    const { loop, scheduler, begun, enter } = openScheduler(1);
    enter("one", 64 * mebibyte);
    enter("one", mebibyte);
    loop.pass(495);
    for (const tenant of ["one", "two"]) scheduler.see(tenant);
    expect(begun).toHaveLength(1);
    loop.pass(10);
    expect(begun).toHaveLength(2);
  });

  it("come as soon as the event loop has been idle for three quarters of the time", () => {
    const { loop, begun, enter } = openScheduler(0.2);
    enter("one", 4 * mebibyte);
    enter("one", 4 * mebibyte);
    expect(begun).toHaveLength(1);
    loop.pass(5);
    expect(begun).toHaveLength(2);
  });

  it("come to each project in turn", () => {
    const { loop, begun, enter } = openScheduler(1);
    for (const tenant of ["one", "one", "one", "two"]) enter(tenant, mebibyte);
    loop.pass(500);
    expect(begun).toEqual(["one", "one", "two", "one"]);
  });

  it("come sooner to a project that is alone", () => {
    const { loop, begun, enter } = openScheduler(0.7, ["one"]);
    for (let index = 0; index < 5; index++) enter("one", 4 * mebibyte);
    loop.pass(25);
    expect(begun).toHaveLength(5);
  });

  it("wait for an idle event loop from the moment another project sends a request", () => {
    const { loop, scheduler, begun, enter } = openScheduler(0.7, ["one"]);
    for (let index = 0; index < 5; index++) enter("one", 4 * mebibyte);
    loop.pass(10);
    scheduler.see("two");
    loop.pass(100);
    expect(begun).toHaveLength(3);
  });

  it("come sooner from a second after the last request of another project on", () => {
    const { loop, scheduler, begun, enter } = openScheduler(0.7, ["two"]);
    loop.pass(1_005);
    scheduler.see("one");
    for (let index = 0; index < 5; index++) enter("one", 4 * mebibyte);
    loop.pass(25);
    expect(begun).toHaveLength(5);
  });
});
