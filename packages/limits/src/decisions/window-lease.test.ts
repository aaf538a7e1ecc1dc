import { expect, test } from "vitest";
import { decideAdmission } from "./admission.ts";
import { allowanceBounds } from "./bounds.ts";
import { WindowLease, type WindowScope } from "./window-lease.ts";

const start = Date.parse("2026-03-10T10:00:00Z");

function createLease(limit: number, scope: WindowScope = "minute"): WindowLease {
  return new WindowLease("project:x", scope, { limit, nowMs: start });
}

function grant(lease: WindowLease, units: number, { granted = units, need = units, startMs = start } = {}): void {
  lease.apply({ startMs, units, granted }, lease.ask(need), start);
}

test("a lease is cold before its grant and after its window", () => {
  const lease = createLease(10);
  expect(lease.state(start)).toBe("cold");
  grant(lease, 2);
  expect(lease.state(start + 59_999)).toBe("ready");
  expect(lease.state(start + 60_000)).toBe("cold");
});

test("a refusal is repeated for a while without asking again", () => {
  const lease = createLease(10);
  grant(lease, 0, { need: 1, granted: 10 });
  expect(lease.state(start)).toBe("spent");
  expect(lease.state(start + allowanceBounds.refusalHoldMs)).toBe("cold");
});

test("an answer for an earlier window is ignored", () => {
  const lease = createLease(10);
  grant(lease, 2, { startMs: start + 60_000 });
  grant(lease, 7, { startMs: start });
  expect(lease.remaining(start + 60_000)).toBe(10);
  lease.spend(start);
  lease.spend(start);
  expect(lease.state(start + 60_000)).toBe("cold");
});

test("a grant under a changed limit is returned", () => {
  const lease = createLease(600);
  const ask = lease.ask(1);
  lease.changeLimit(5);
  lease.apply({ startMs: start, units: 9, granted: 9 }, ask, start);
  expect(lease.state(start)).toBe("cold");
  expect(lease.ask(1)).toMatchObject({ limit: 5, returned: 9, returnedStartMs: start });
  expect(lease.ask(1)).toMatchObject({ returned: 0 });
});

test("the amount leased ahead follows the rate", () => {
  const lease = createLease(20_000, "hour");
  expect(lease.ask(1).extra).toBe(allowanceBounds.windowUnitsInitial);
  grant(lease, 500);
  for (let at = 0; at < 300; at++) lease.spend(start);
  expect(lease.ask(1).extra).toBe(300);
  lease.endTick(start);
  expect(lease.ask(1).extra).toBe(300);
  lease.endTick(start);
  expect(lease.ask(1).extra).toBe(allowanceBounds.windowUnitsInitial);
});

test("a tick near the limit returns the whole lease", () => {
  const lease = createLease(600);
  grant(lease, 20, { granted: 599 });
  expect(lease.endTick(start)).toBe(true);
  expect(lease.ask(0, 0)).toMatchObject({ returned: 20 });
});

test("a refill is due when half of the amount leased ahead is used, and not when nothing was", () => {
  const lease = createLease(600);
  grant(lease, 9, { need: 1 });
  for (let at = 0; at < 5; at++) lease.spend(start);
  expect(lease.isLow).toBe(false);
  lease.spend(start);
  expect(lease.isLow).toBe(true);
  grant(lease, 0, { need: 0, granted: 600 });
  expect(lease.isLow).toBe(false);
});

test("a refusal by one window charges no other", () => {
  const [minute, hour] = [createLease(10), createLease(10, "hour")];
  grant(minute, 5);
  grant(hour, 0, { need: 1, granted: 10 });
  expect(decideAdmission([minute, hour], start)).toMatchObject({ admitted: false, scope: "hour" });
  expect(minute.remaining(start)).toBe(10);
});

test("one cold window makes the whole decision wait", () => {
  const [minute, hour] = [createLease(10), createLease(10, "hour")];
  grant(minute, 5);
  expect(decideAdmission([minute, hour], start)).toBeUndefined();
  expect(minute.remaining(start)).toBe(10);
});
