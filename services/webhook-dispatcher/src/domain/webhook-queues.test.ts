import * as fc from "fast-check";
import { expect, test } from "vitest";
import { WebhookQueues } from "./webhook-queues.ts";

function takes(queues: WebhookQueues): Record<number, number> {
  return Object.fromEntries(queues.allot().map(({ webhookId, take }) => [webhookId, take]));
}

test("a queue gets no more slots than its bound, and ended deliveries free them", () => {
  const queues = new WebhookQueues({ concurrencyMax: 3, inFlightMax: 100 });
  queues.offer([1]);
  expect(takes(queues)).toEqual({ 1: 3 });
  queues.returnSlots({ webhookId: 1, take: 3 }, 3);
  expect(takes(queues)).toEqual({});
  queues.end(1, true);
  expect(takes(queues)).toEqual({ 1: 1 });
});

test("a full queue leaves the slots of the others alone", () => {
  const queues = new WebhookQueues({ concurrencyMax: 2, inFlightMax: 5 });
  queues.offer([1, 2, 3]);
  expect(takes(queues)).toEqual({ 1: 2, 2: 2, 3: 1 });
});

test("when slots are short, the queue that got the fewest recently comes first", () => {
  const queues = new WebhookQueues({ concurrencyMax: 8, inFlightMax: 2 });
  queues.offer([1, 2, 3, 4]);
  expect(takes(queues)).toEqual({ 1: 1, 2: 1 });
  queues.end(1, true);
  queues.end(2, true);
  expect(takes(queues)).toEqual({ 3: 1, 4: 1 });
});

test("a queue with less work than slots is asked again only when it is offered", () => {
  const queues = new WebhookQueues({ concurrencyMax: 8, inFlightMax: 100 });
  queues.offer([1]);
  queues.allot();
  queues.returnSlots({ webhookId: 1, take: 8 }, 1);
  queues.end(1, true);
  expect(takes(queues)).toEqual({});
  expect(queues.inFlight).toBe(0);
  queues.offer([1]);
  expect(takes(queues)).toEqual({ 1: 8 });
});

test("a queue that is offered work during a claim is asked again, even if the claim finds little", () => {
  const queues = new WebhookQueues({ concurrencyMax: 8, inFlightMax: 100 });
  queues.offer([1]);
  expect(takes(queues)).toEqual({ 1: 8 });
  queues.offer([1]);
  queues.returnSlots({ webhookId: 1, take: 8 }, 1);
  expect(takes(queues)).toEqual({ 1: 7 });
  queues.returnSlots({ webhookId: 1, take: 7 }, 0);
  expect(takes(queues)).toEqual({});
});

test("a webhook that never answers is limited to one attempt at a time, until it answers", () => {
  const queues = new WebhookQueues({ concurrencyMax: 8, inFlightMax: 100 });
  for (let attempt = 0; attempt < 16; attempt++) {
    queues.offer([1]);
    queues.allot();
    queues.returnSlots({ webhookId: 1, take: 8 }, 1);
    queues.end(1, false);
  }
  queues.offer([1]);
  expect(takes(queues)).toEqual({ 1: 1 });
  queues.returnSlots({ webhookId: 1, take: 1 }, 1);
  queues.end(1, true);
  expect(takes(queues)).toEqual({ 1: 8 });
});

test("webhooks that never answer leave half of all slots to the others", () => {
  const queues = new WebhookQueues({ concurrencyMax: 8, inFlightMax: 10 });
  const silent = Array.from({ length: 20 }, (_, index) => index + 1);
  for (const webhookId of silent) {
    for (let attempt = 0; attempt < 16; attempt++) {
      queues.offer([webhookId]);
      queues.allot();
      queues.returnSlots({ webhookId, take: 8 }, 1);
      queues.end(webhookId, false);
    }
  }
  queues.offer([...silent, 99]);
  const given = takes(queues);
  expect(given[99]).toBe(5);
  expect(Object.values(given).reduce((sum, take) => sum + take, 0)).toBe(10);
});

test("no schedule exceeds a bound or loses a slot", () => {
  const bounds = { concurrencyMax: 3, inFlightMax: 7 };
  const step = fc.record({
    kind: fc.constantFrom("offer", "allot", "end"),
    webhookId: fc.integer({ min: 1, max: 6 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    answered: fc.constantFrom(true, false, undefined),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const queues = new WebhookQueues(bounds);
      const working: number[] = [];
      for (const { kind, webhookId, share, answered } of steps) {
        if (kind === "offer") queues.offer([webhookId]);
        if (kind === "allot") {
          for (const each of queues.allot()) {
            const claimed = Math.floor(each.take * share);
            queues.returnSlots(each, claimed);
            for (let count = 0; count < claimed; count++) working.push(each.webhookId);
          }
        }
        const done = kind === "end" ? working.shift() : undefined;
        if (done !== undefined) queues.end(done, answered);
        expect(queues.inFlight).toBe(working.length);
        expect(working.length).toBeLessThanOrEqual(bounds.inFlightMax);
        const counts = Map.groupBy(working, (id) => id).values();
        for (const each of counts) expect(each.length).toBeLessThanOrEqual(bounds.concurrencyMax);
      }
    }),
  );
});
