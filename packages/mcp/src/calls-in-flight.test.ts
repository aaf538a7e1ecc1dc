import { expect, test } from "vitest";
import { CallsInFlight } from "./calls-in-flight.ts";

const here = () => new AbortController();
const cancel = (requestId: unknown) => ["notifications/cancelled", { requestId }] as const;

test("a notification cancels the call with its id, of the same caller and with the same type of id", () => {
  const inFlight = new CallsInFlight();
  const calls = inFlight.open("ann", here().signal);
  const [one, text] = [calls.signalFor("1"), calls.signalFor('"1"')];
  inFlight.record("bob", ...cancel(1));
  inFlight.record("ann", "notifications/progress", { requestId: 1 });
  inFlight.record("ann", ...cancel(2));
  inFlight.record("ann", ...cancel(undefined));
  inFlight.record("ann", "notifications/cancelled", undefined);
  expect([one.aborted, text.aborted]).toEqual([false, false]);
  inFlight.record("ann", ...cancel("1"));
  expect([one.aborted, text.aborted]).toEqual([false, true]);
});

test("an id of two calls cancels neither until one has ended", () => {
  const inFlight = new CallsInFlight();
  const [first, second] = [inFlight.open("ann", here().signal), inFlight.open("ann", here().signal)];
  const signals = [first.signalFor("1"), second.signalFor("1")];
  inFlight.record("ann", ...cancel(1));
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
  first.close();
  inFlight.record("ann", ...cancel(1));
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
});

test("a caller that leaves cancels all its calls, also later ones", () => {
  const inFlight = new CallsInFlight();
  const leaving = here();
  const calls = inFlight.open("ann", leaving.signal);
  const before = calls.signalFor("1");
  leaving.abort();
  expect([before.aborted, calls.signalFor("2").aborted]).toEqual([true, true]);
});
