import type { Siblings } from "@gatehouse/http";
import { expect, test } from "vitest";
import { CallsInFlight } from "./calls-in-flight.ts";
import { Cancellations } from "./cancellations.ts";

const here = () => new AbortController();
const cancel = (requestId: unknown) => ["notifications/cancelled", { requestId }] as const;

/** Processes at one port, in the order of their creation. */
function openProcesses(count: number) {
  const answers: Parameters<Siblings["answer"]>[1][] = [];
  const asked: unknown[] = [];
  const processes = Array.from({ length: count }, (_, at) => {
    const calls = new CallsInFlight();
    const siblings: Siblings = {
      answer: (_subject, answering) => void (answers[at] = answering),
      async ask(_subject, question) {
        asked.push(question);
        await Promise.resolve();
        return answers.filter((_answer, other) => other !== at).map((answering) => answering(question));
      },
    };
    return { calls, cancellations: new Cancellations(calls, "mcp_bridge", siblings) };
  });
  return { processes, asked };
}

const turns = async () => await new Promise((resolve) => setImmediate(resolve));

test("a notification cancels the call with its id, of the same caller and with the same type of id", () => {
  const inFlight = new CallsInFlight();
  const cancellations = new Cancellations(inFlight, "mcp_bridge");
  const calls = inFlight.open("ann", here().signal);
  const [one, text] = [calls.signalFor("1"), calls.signalFor('"1"')];
  cancellations.record("bob", ...cancel(1));
  cancellations.record("ann", "notifications/progress", { requestId: 1 });
  cancellations.record("ann", ...cancel(2));
  cancellations.record("ann", ...cancel(undefined));
  cancellations.record("ann", "notifications/cancelled", undefined);
  expect([one.aborted, text.aborted]).toEqual([false, false]);
  cancellations.record("ann", ...cancel("1"));
  expect([one.aborted, text.aborted]).toEqual([false, true]);
});

test("an id of two calls cancels neither until one has ended", () => {
  const inFlight = new CallsInFlight();
  const cancellations = new Cancellations(inFlight, "mcp_bridge");
  const [first, second] = [inFlight.open("ann", here().signal), inFlight.open("ann", here().signal)];
  const signals = [first.signalFor("1"), second.signalFor("1")];
  cancellations.record("ann", ...cancel(1));
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
  first.close();
  cancellations.record("ann", ...cancel(1));
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
});

test.each([0, 1, 2])("a notification in process %i reaches the call in process 1", async (at) => {
  const { processes } = openProcesses(3);
  const called = processes[1]?.calls.open("ann", here().signal).signalFor("1");
  processes[at]?.cancellations.record("ann", ...cancel(1));
  await expect.poll(() => called?.aborted).toBe(true);
});

test.each([0, 1])("an id of two calls in two processes cancels neither, asked in process %i", async (at) => {
  const { processes, asked } = openProcesses(3);
  const signals = processes.slice(1).map(({ calls }) => calls.open("ann", here().signal).signalFor("1"));
  processes[at]?.cancellations.record("ann", ...cancel(1));
  await turns();
  expect(asked).toEqual([{ counts: ["ann 1"] }]);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
});

test("cancellations that come during a question share the next one, within a bound for each caller", async () => {
  const { processes, asked } = openProcesses(2);
  const [first, second] = processes;
  const signal = second?.calls.open("bob", here().signal).signalFor("1");
  for (let id = 0; id < 10_000; id++) first?.cancellations.record("ann", ...cancel(id));
  first?.cancellations.record("bob", ...cancel(1));
  await expect.poll(() => signal?.aborted).toBe(true);
  await turns();
  const sizes = asked.map((question) => (question as { counts?: readonly string[] }).counts?.length);
  expect(sizes).toEqual([1, 100, 1, undefined]);
});
