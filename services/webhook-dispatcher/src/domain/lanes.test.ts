import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Lanes } from "./lanes.ts";

function takes(lanes: Lanes): Record<number, number> {
  return Object.fromEntries(lanes.allot().map(({ webhookId, take }) => [webhookId, take]));
}

test("a lane gets no more than its width, and what is over makes room", () => {
  const lanes = new Lanes({ laneWidth: 3, inFlightMax: 100 });
  lanes.offer([1]);
  expect(takes(lanes)).toEqual({ 1: 3 });
  lanes.returnPlaces({ webhookId: 1, take: 3 }, 3);
  expect(takes(lanes)).toEqual({});
  lanes.end(1, true);
  expect(takes(lanes)).toEqual({ 1: 1 });
});

test("a full lane leaves the places of the others alone", () => {
  const lanes = new Lanes({ laneWidth: 2, inFlightMax: 5 });
  lanes.offer([1, 2, 3]);
  expect(takes(lanes)).toEqual({ 1: 2, 2: 2, 3: 1 });
});

test("who got least lately comes first when places are short", () => {
  const lanes = new Lanes({ laneWidth: 8, inFlightMax: 2 });
  lanes.offer([1, 2, 3, 4]);
  expect(takes(lanes)).toEqual({ 1: 1, 2: 1 });
  lanes.end(1, true);
  lanes.end(2, true);
  expect(takes(lanes)).toEqual({ 3: 1, 4: 1 });
});

test("a lane with less work than places is asked again only when it is offered", () => {
  const lanes = new Lanes({ laneWidth: 8, inFlightMax: 100 });
  lanes.offer([1]);
  lanes.allot();
  lanes.returnPlaces({ webhookId: 1, take: 8 }, 1);
  lanes.end(1, true);
  expect(takes(lanes)).toEqual({});
  expect(lanes.inFlight).toBe(0);
  lanes.offer([1]);
  expect(takes(lanes)).toEqual({ 1: 8 });
});

test("a webhook that never answers is narrowed to one attempt, until it answers", () => {
  const lanes = new Lanes({ laneWidth: 8, inFlightMax: 100 });
  for (let attempt = 0; attempt < 16; attempt++) {
    lanes.offer([1]);
    lanes.allot();
    lanes.returnPlaces({ webhookId: 1, take: 8 }, 1);
    lanes.end(1, false);
  }
  lanes.offer([1]);
  expect(takes(lanes)).toEqual({ 1: 1 });
  lanes.returnPlaces({ webhookId: 1, take: 1 }, 1);
  lanes.end(1, true);
  expect(takes(lanes)).toEqual({ 1: 8 });
});

test("webhooks that never answer leave half of all places to the others", () => {
  const lanes = new Lanes({ laneWidth: 8, inFlightMax: 10 });
  const silent = Array.from({ length: 20 }, (_, index) => index + 1);
  for (const webhookId of silent) {
    for (let attempt = 0; attempt < 16; attempt++) {
      lanes.offer([webhookId]);
      lanes.allot();
      lanes.returnPlaces({ webhookId, take: 8 }, 1);
      lanes.end(webhookId, false);
    }
  }
  lanes.offer([...silent, 99]);
  const given = takes(lanes);
  expect(given[99]).toBe(5);
  expect(Object.values(given).reduce((sum, take) => sum + take, 0)).toBe(10);
});

test("whatever happens, no bound is passed and no place is lost", () => {
  const bounds = { laneWidth: 3, inFlightMax: 7 };
  const step = fc.record({
    kind: fc.constantFrom("offer", "allot", "end"),
    webhookId: fc.integer({ min: 1, max: 6 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    answered: fc.constantFrom(true, false, undefined),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const lanes = new Lanes(bounds);
      const working: number[] = [];
      for (const { kind, webhookId, share, answered } of steps) {
        if (kind === "offer") lanes.offer([webhookId]);
        if (kind === "allot") {
          for (const each of lanes.allot()) {
            const claimed = Math.floor(each.take * share);
            lanes.returnPlaces(each, claimed);
            for (let count = 0; count < claimed; count++) working.push(each.webhookId);
          }
        }
        const done = kind === "end" ? working.shift() : undefined;
        if (done !== undefined) lanes.end(done, answered);
        expect(lanes.inFlight).toBe(working.length);
        expect(working.length).toBeLessThanOrEqual(bounds.inFlightMax);
        const counts = Map.groupBy(working, (id) => id).values();
        for (const each of counts) expect(each.length).toBeLessThanOrEqual(bounds.laneWidth);
      }
    }),
  );
});
