import { expect, test } from "vitest";
import { CallsInFlight } from "./calls-in-flight.ts";

test("a caller that leaves cancels all its calls, also later ones", () => {
  const inFlight = new CallsInFlight();
  const leaving = new AbortController();
  const calls = inFlight.open("ann", leaving.signal);
  const before = calls.signalFor("1");
  leaving.abort();
  expect([before.aborted, calls.signalFor("2").aborted]).toEqual([true, true]);
});
