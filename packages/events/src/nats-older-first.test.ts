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

test("newer messages wait until the older ones are acknowledged, and are marked as in progress meanwhile", async () => {
  const broker = brokerAt(7, 3);
  const order = await OlderFirst.of(broker);
  const newer = messageAt(8);
  expect([order.takes(messageAt(4)), order.takes(newer), order.takes(messageAt(7))]).toEqual([false, true, false]);
  const released = order.release(never);
  await vi.advanceTimersByTimeAsync(5 * natsBounds.olderLookMs);
  expect(newer.working).toHaveBeenCalled();
  broker.acknowledged = 7;
  await vi.advanceTimersByTimeAsync(natsBounds.olderLookMs);
  expect(await released).toEqual([newer]);
  expect(order.takes(messageAt(9))).toBe(false);
});

test("no message waits where no earlier one is outstanding", async () => {
  const order = await OlderFirst.of(brokerAt(7, 7));
  expect(order.takes(messageAt(8))).toBe(false);
  expect(await order.release(never)).toEqual([]);
});

test("newer messages continue without older ones that do not arrive within the bound", async () => {
  const order = await OlderFirst.of(brokerAt(7, 3));
  const newer = messageAt(8);
  order.takes(newer);
  const released = order.release(never);
  let isOver = false;
  void released.then(() => (isOver = true));
  await vi.advanceTimersByTimeAsync(natsBounds.olderWaitMs - natsBounds.olderLookMs);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(2 * natsBounds.olderLookMs);
  expect(await released).toEqual([newer]);
});

test("messages that wait when the consumer stops are left to the broker", async () => {
  const stopping = new AbortController();
  const order = await OlderFirst.of(brokerAt(7, 3));
  order.takes(messageAt(8));
  const released = order.release(stopping.signal);
  await vi.advanceTimersByTimeAsync(natsBounds.olderLookMs);
  stopping.abort();
  expect(await released).toEqual([]);
});
