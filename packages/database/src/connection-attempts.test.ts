import { beforeEach, expect, test } from "vitest";
import { ConnectionAttempts } from "./connection-attempts.ts";

let now: number;
let attempts: ConnectionAttempts;
const away = new Error("away");

beforeEach(() => {
  now = 0;
  // The longest pauses.
  attempts = new ConnectionAttempts(
    () => now,
    () => 1,
  );
});

/** Begins an attempt that is due, and lets it fail. */
function fail(): void {
  const attempt = attempts.begin();
  if (attempt instanceof Error) throw attempt;
  attempts.failed(attempt, away);
}

test("a single failure delays no further attempt", () => {
  fail();
  expect(attempts.begin()).not.toBeInstanceOf(Error);
});

test("attempts after two failures in a row have pauses, from 100 ms doubled up to a second", () => {
  fail();
  for (const pauseMs of [100, 200, 400, 800, 1_000, 1_000]) {
    fail();
    now += pauseMs - 1;
    expect(attempts.begin()).toBe(away);
    now += 1;
  }
  expect(attempts.begin()).not.toBeInstanceOf(Error);
});

test("one attempt at a time is made while the server is away, and an attempt without an end is forgotten", () => {
  fail();
  fail();
  now += 100;
  expect(attempts.begin()).not.toBeInstanceOf(Error);
  now += 1_999;
  expect(attempts.begin()).toBe(away);
  now += 1;
  expect(attempts.begin()).not.toBeInstanceOf(Error);
});

test("attempts that fail together count as one failure", () => {
  const together = [attempts.begin(), attempts.begin(), attempts.begin()];
  for (const attempt of together) if (!(attempt instanceof Error)) attempts.failed(attempt, away);
  expect(attempts.begin()).not.toBeInstanceOf(Error);
});

test("a success ends all pauses", () => {
  fail();
  fail();
  now += 100;
  attempts.begin();
  attempts.succeeded();
  expect(attempts.begin()).not.toBeInstanceOf(Error);
  expect(attempts.begin()).not.toBeInstanceOf(Error);
});
