import type { ConsumerInfo, JsMsg } from "@nats-io/jetstream";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { natsBounds } from "./nats-bounds.ts";
import { OlderFirst } from "./nats-older-first.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = new AbortController().signal;

/** A broker that has delivered messages up to one stream sequence, and has acknowledgements up to another. */
function brokerAt(handedOut: number, acknowledged: number) {
  const broker = {
    acknowledged,
    async info() {
      const known = {
        num_ack_pending: handedOut - broker.acknowledged,
        delivered: { stream_seq: handedOut },
        ack_floor: { stream_seq: broker.acknowledged },
      };
      return await Promise.resolve(known as ConsumerInfo);
    },
  };
  return broker;
}

function messageAt(seq: number) {
  return { seq, working: vi.fn<() => void>() } satisfies Partial<JsMsg> as unknown as JsMsg & {
    readonly working: ReturnType<typeof vi.fn>;
  };
}

/** Starts to release, and collects the sequences that are passed on. */
function collect(order: OlderFirst, stopping = never) {
  const passed: number[] = [];
  const over = order.release(stopping, (messages) => void passed.push(...messages.map(({ seq }) => seq)));
  return { passed, over };
}

test("newer messages wait until the older ones are acknowledged, and are marked as in progress meanwhile", async () => {
  const broker = brokerAt(7, 3);
  const order = await OlderFirst.of(broker);
  const newer = messageAt(8);
  expect([order.takes(messageAt(4)), order.takes(newer), order.takes(messageAt(5))]).toEqual([false, true, false]);
  const { passed, over } = collect(order);
  await vi.advanceTimersByTimeAsync(5 * natsBounds.olderLookMs);
  expect(newer.working).toHaveBeenCalled();
  expect(passed).toEqual([]);
  broker.acknowledged = 7;
  await vi.advanceTimersByTimeAsync(natsBounds.olderLookMs);
  await over;
  expect(passed).toEqual([8]);
  expect(order.takes(messageAt(9))).toBe(false);
});

test("older messages that are redelivered in another order wait for one another", async () => {
  const order = await OlderFirst.of(brokerAt(7, 3));
  const { passed } = collect(order);
  expect([7, 5, 6, 4].map((seq) => order.takes(messageAt(seq)))).toEqual([true, true, true, false]);
  await vi.advanceTimersByTimeAsync(natsBounds.olderLookMs);
  expect(passed).toEqual([5, 6, 7]);
});

test("older messages that another process stores are not waited for, and repeated ones pass", async () => {
  const broker = brokerAt(7, 3);
  const order = await OlderFirst.of(broker);
  const { passed } = collect(order);
  order.takes(messageAt(6));
  broker.acknowledged = 5;
  await vi.advanceTimersByTimeAsync(natsBounds.olderLookMs);
  expect(passed).toEqual([6]);
  expect(order.takes(messageAt(4))).toBe(false);
});

test("no message waits where no earlier one is outstanding", async () => {
  const order = await OlderFirst.of(brokerAt(7, 7));
  expect(order.takes(messageAt(8))).toBe(false);
  const { passed, over } = collect(order);
  await over;
  expect(passed).toEqual([]);
});

test("newer messages continue without older ones that do not arrive within the bound", async () => {
  const order = await OlderFirst.of(brokerAt(7, 3));
  order.takes(messageAt(9));
  order.takes(messageAt(8));
  const { passed, over } = collect(order);
  await vi.advanceTimersByTimeAsync(natsBounds.olderWaitMs - natsBounds.olderLookMs);
  expect(passed).toEqual([]);
  await vi.advanceTimersByTimeAsync(2 * natsBounds.olderLookMs);
  await over;
  expect(passed).toEqual([8, 9]);
});

test("messages that wait when the consumer stops are left to the broker", async () => {
  const stopping = new AbortController();
  const order = await OlderFirst.of(brokerAt(7, 3));
  order.takes(messageAt(8));
  const { passed, over } = collect(order, stopping.signal);
  await vi.advanceTimersByTimeAsync(natsBounds.olderLookMs);
  stopping.abort();
  await over;
  expect(passed).toEqual([]);
});
