import { randomUUID } from "node:crypto";
import type { Allowances } from "@gatehouse/limits";
import { createMemoryLedger } from "@gatehouse/limits/testing";
import fc from "fast-check";
import { afterAll, beforeAll, test, expect } from "vitest";
import { createWorld, type World, worldStart } from "./allowances-harness.ts";

type Ask = Parameters<Allowances["renewWindows"]>[0][number];

let world: World;
let tables: Allowances;
beforeAll(async () => {
  world = await createWorld();
  tables = world.createReplica();
});
afterAll(async () => await world.close());

const minutesMs = fc.constantFrom(0, 20_000, 60_000, 130_000, 3_600_000, -60_000);
const units = fc.nat({ max: 30 });
const ask = fc.record({
  subject: fc.constantFrom("project", "token"),
  scope: fc.constantFrom("minute" as const, "hour" as const),
  limit: fc.nat({ max: 40 }),
  need: units,
  extra: units,
  returned: units,
  /** The current window, or an earlier one. */
  returnsTo: fc.constantFrom(0, 1),
});
const step = fc.record({
  laterMs: minutesMs,
  asks: fc.uniqueArray(ask, { minLength: 1, maxLength: 4, selector: keyOf }),
});

function keyOf({ subject, scope }: Pick<Ask, "subject" | "scope">): string {
  return `${scope} ${subject}`;
}

test("the in-memory ledger for other services' tests grants what the tables grant", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      const run = randomUUID();
      let nowMs = worldStart + 7_200_000;
      const memory = createMemoryLedger(() => nowMs);
      const starts = new Map<string, number>();
      for (const { laterMs, asks } of steps) {
        nowMs += laterMs;
        await world.setTime(nowMs);
        const given = asks.map(({ returnsTo, ...wanted }): Ask => {
          const known = starts.get(keyOf(wanted)) ?? 0;
          const startMs = Math.max(0, known - returnsTo * 60_000);
          return { ...wanted, subject: `${run} ${wanted.subject}`, returnedStartMs: startMs };
        });
        const [granted, expected] = [await memory.renew(given), await tables.renewWindows(given)];
        expect(granted).toEqual(expected);
        asks.forEach((asked, at) => starts.set(keyOf(asked), expected.grants[at]?.startMs ?? 0));
      }
    }),
    { seed: 20261124, numRuns: 60 },
  );
});
