import fc from "fast-check";
import { expect, test } from "vitest";
import { beginCount, countingLength, countsOnce, recentLength } from "./features.ts";

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

// Few buckets, some of which share a place, and steps around the length of the stretch.
const bucket = fc.constantFrom(0, 1, recentLength, recentLength + 1, 5 * recentLength, 127 * recentLength + 7);
const step = fc.constantFrom(1, 2, 190, onceInLetters - 1, onceInLetters, onceInLetters + 1);
const manyLooks = fc.array(fc.tuple(bucket, step), { maxLength: 60 });

test("a bucket counts once in a run of letters, as in a plain model of the rule", () => {
  fc.assert(
    fc.property(manyLooks, (looks) => {
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

test("a reused memory counts like an empty one", () => {
  fc.assert(
    fc.property(fc.array(manyLooks, { maxLength: 6 }), fc.nat(20_000), (texts, left) => {
      const memory = new Int32Array(countingLength);
      // Shortly before the numbers of letters end.
      memory[recentLength] = 2 ** 25 - left;
      for (const looks of texts) {
        const fresh = new Int32Array(recentLength);
        const letters = looks.reduce((sum, [, further]) => sum + further, 1);
        const first = beginCount(memory, letters);
        let index = 0;
        for (const [looked, further] of looks) {
          expect(countsOnce(memory, looked, first + index)).toBe(countsOnce(fresh, looked, index));
          index += further;
        }
      }
    }),
    { seed: 17, numRuns: 300 },
  );
});
