import { expect, test } from "vitest";
import { randomFrom } from "../../../test/random-key.ts";
import {
  countedInOrder,
  inOrder,
  isUnusual,
  letterStatisticsLength,
  orderMask,
  stretchLength,
} from "./letter-statistics.ts";

const random = randomFrom(8);
const statistics = Int8Array.from({ length: letterStatisticsLength }, () => Math.floor(random() * 256) - 128);

/** The judgement by a score and a number of letters apart. */
function isUnusualApart(histories: readonly number[]): boolean {
  let [score, letters] = [0, 0];
  for (const history of histories) {
    score += inOrder(statistics)[history] ?? 0;
    letters += (history & 1023) === 0 ? 0 : 1;
  }
  return letters >= 10 && score < -2.95 * 16 * letters;
}

test("one sum of a stretch has its score and its letters", () => {
  const verdicts = new Set<boolean>();
  for (let round = 0; round < 4_000; round += 1) {
    const length = 1 + Math.floor(random() * stretchLength);
    // Few letters, or unlikely ones, in some of the stretches.
    const share = random();
    const histories = Array.from({ length }, () => (random() < share ? Math.floor(random() * (orderMask + 1)) : 0));
    const sum = histories.reduce((total, history) => total + (countedInOrder(statistics)[history] ?? 0), 0);
    expect(isUnusual(sum)).toBe(isUnusualApart(histories));
    verdicts.add(isUnusual(sum));
  }
  expect(verdicts.size).toBe(2);
});

test.each([
  [-128, true],
  [-48, true],
  [-47, false],
  [127, false],
])("a stretch of letters of %i each", (score, isExpected) => {
  const same = new Int8Array(letterStatisticsLength).fill(score);
  const each = countedInOrder(same)[0x421] ?? 0;
  expect(isUnusual(each * stretchLength)).toBe(isExpected);
  expect(isUnusual(each * 10)).toBe(isExpected);
  expect(isUnusual(each * 9)).toBe(false);
});
