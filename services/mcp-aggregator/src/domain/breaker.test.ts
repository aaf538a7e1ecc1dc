import { expect, test } from "vitest";
import { Breaker } from "./breaker.ts";

function createBreaker() {
  let nowMs = 0;
  const breaker = new Breaker({ now: () => nowMs, random: () => 0 });
  const fail = () => {
    expect(breaker.enter()).toBe(true);
    breaker.reportUnreachable();
  };
  return {
    breaker,
    fail,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

test("three failures in a row open it for five seconds", () => {
  const { breaker, fail, pass } = createBreaker();
  fail();
  fail();
  expect(breaker.enter()).toBe(true);
  breaker.reportUnreachable();
  expect(breaker.enter()).toBe(false);
  pass(4_999);
  expect(breaker.enter()).toBe(false);
  expect(breaker.retryAfterMs).toBe(1);
  pass(1);
  expect(breaker.enter()).toBe(true);
});

test("an answer between failures starts the count anew", () => {
  const { breaker, fail } = createBreaker();
  for (let round = 0; round < 5; round += 1) {
    fail();
    fail();
    breaker.reportReached();
  }
  expect(breaker.isOpen).toBe(false);
});

test("one call at a time probes; each failed probe doubles the time up to a minute, and an answer closes it", () => {
  const { breaker, fail, pass } = createBreaker();
  for (let failure = 0; failure < 3; failure += 1) fail();
  for (const openMs of [5_000, 10_000, 20_000, 40_000, 60_000, 60_000]) {
    expect(breaker.retryAfterMs).toBe(openMs);
    pass(openMs);
    expect(breaker.enter()).toBe(true);
    expect(breaker.enter()).toBe(false);
    breaker.reportUnreachable();
  }
  pass(60_000);
  expect(breaker.enter()).toBe(true);
  breaker.reportReached();
  expect([breaker.enter(), breaker.enter(), breaker.isOpen]).toEqual([true, true, false]);
});

test("failures of calls that were under way when it opened do not make it longer", () => {
  const { breaker } = createBreaker();
  for (let call = 0; call < 10; call += 1) breaker.enter();
  for (let call = 0; call < 10; call += 1) breaker.reportUnreachable();
  expect(breaker.retryAfterMs).toBe(5_000);
});

test("a probe whose caller left lets the next one probe", () => {
  const { breaker, fail, pass } = createBreaker();
  for (let failure = 0; failure < 3; failure += 1) fail();
  pass(5_000);
  expect(breaker.enter()).toBe(true);
  breaker.reportNothing();
  expect(breaker.enter()).toBe(true);
});
