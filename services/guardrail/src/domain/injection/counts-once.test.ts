import fc from "fast-check";
import { expect, test } from "vitest";
import { countsOnce, recentLength } from "./features.ts";

/** Letters in which a feature counts once. */
const onceInLetters = 384;

/** The rule as it reads: one entry for all buckets that share a place. */
function counts(recent: Map<number, { bucket: number; at: number }>, bucket: number, at: number): boolean {
  const place = bucket % recentLength;
  const entry = recent.get(place);
  if (entry?.bucket === bucket && at - entry.at < onceInLetters) return false;
  recent.set(place, { bucket, at });
  return true;
}

test("a bucket counts once in a stretch of letters, as the rule reads", () => {
  // Few buckets, some of which share a place, and steps around the length of the stretch.
  const bucket = fc.constantFrom(0, 1, recentLength, recentLength + 1, 5 * recentLength, 127 * recentLength + 7);
  const step = fc.constantFrom(1, 2, 190, onceInLetters - 1, onceInLetters, onceInLetters + 1);
  fc.assert(
    fc.property(fc.array(fc.tuple(bucket, step), { maxLength: 60 }), (looks) => {
      const recent = new Int32Array(recentLength);
      const known = new Map<number, { bucket: number; at: number }>();
      let index = 0;
      for (const [looked, further] of looks) {
        expect(countsOnce(recent, looked, index)).toBe(counts(known, looked, index) ? -1 : 0);
        index += further;
      }
    }),
    { seed: 17, numRuns: 500 },
  );
});
