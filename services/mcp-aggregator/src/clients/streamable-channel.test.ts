import { expect, test } from "vitest";
import { resumptionsMax, resumptionWaitMs } from "./streamable-channel.ts";

/** Number of resumptions within a call, of an upstream that ends each stream at once and asks for no wait. */
function resumptionsWithin(callMs: number): number {
  let count = 0;
  for (let passedMs = resumptionWaitMs(0, 0); passedMs < callMs; passedMs += resumptionWaitMs(0, count)) count += 1;
  return count;
}

test("an upstream that makes a call resume repeatedly is asked at increasing intervals", () => {
  expect(resumptionsWithin(1_000)).toBeLessThanOrEqual(12);
  expect(resumptionsWithin(30_000)).toBeLessThanOrEqual(27);
  expect(resumptionsWithin(3_600_000)).toBeLessThanOrEqual(resumptionsMax);
});

test("the wait requested by an upstream is kept, up to 30 s", () => {
  expect(resumptionWaitMs(1_000, 0)).toBe(1_000);
  expect(resumptionWaitMs(1_000, 100)).toBe(30_000);
  expect(resumptionWaitMs(1e9, 0)).toBe(30_000);
});
