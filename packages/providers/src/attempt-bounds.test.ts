import { expect, test } from "vitest";
import { attemptBoundsOf } from "./attempt-bounds.ts";

const bounds = { connectMs: 5, headersMs: 60, firstTokenMs: 60, idleMs: 20, totalMs: 300 };
const none = { timeoutMs: null, firstTokenTimeoutMs: null, idleTimeoutMs: null };

test("an endpoint without time-outs has the service's bounds", () => {
  expect(attemptBoundsOf(none, bounds)).toEqual(bounds);
});

test("a time-out limits every wait, and keeps shorter bounds", () => {
  expect(attemptBoundsOf({ ...none, timeoutMs: 30 }, bounds)).toEqual({
    connectMs: 5,
    headersMs: 30,
    firstTokenMs: 30,
    idleMs: 20,
    totalMs: 30,
  });
});

test("the first token and silence have separate bounds", () => {
  const endpoint = { timeoutMs: 30, firstTokenTimeoutMs: 10, idleTimeoutMs: 25 };
  expect(attemptBoundsOf(endpoint, bounds)).toMatchObject({ firstTokenMs: 10, idleMs: 25, headersMs: 30, totalMs: 30 });
});

test("a longer bound for the first token also applies to a reply's head", () => {
  expect(attemptBoundsOf({ ...none, firstTokenTimeoutMs: 400 }, bounds)).toMatchObject({
    headersMs: 400,
    firstTokenMs: 400,
    totalMs: 400,
  });
});
