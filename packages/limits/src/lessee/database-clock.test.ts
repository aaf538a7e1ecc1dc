import fc from "fast-check";
import { expect, test } from "vitest";
import { DatabaseClock } from "./database-clock.ts";

test("the estimate is never further from the database's time than a round trip", () => {
  const renewals = fc.array(fc.tuple(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 50 })), {
    minLength: 1,
  });
  fc.assert(
    fc.property(renewals, fc.integer({ min: -90_000, max: 90_000 }), (trips, ahead) => {
      let now = 1_000_000;
      const clock = new DatabaseClock(() => now);
      for (const [there, back] of trips) {
        const sent = now;
        now += there;
        const database = now + ahead;
        now += back;
        clock.observe(sent, database);
        expect(Math.abs(clock.now() - (now + ahead))).toBeLessThanOrEqual(there + back);
      }
    }),
  );
});

test("an answer that agrees with the estimate does not move it", () => {
  let now = 1_000;
  const clock = new DatabaseClock(() => now);
  clock.observe(1_000, 5_000);
  const before = clock.now();
  now += 10;
  clock.observe(1_000, 5_004);
  expect(clock.now()).toBe(before + 10);
  expect(clock.local()).toBe(1_010);
});
