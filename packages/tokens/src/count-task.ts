import type { Task } from "@gatehouse/workers";
import { countTexts } from "./token-count.ts";
import { loadEncoder } from "./token-encoder.ts";

/** Input of the worker's task: texts to count, and the total above which the rest is estimated. */
export interface CountTaskInput {
  readonly texts: readonly string[];
  readonly tokensMax: number | undefined;
  /** Time after which the rest is estimated, milliseconds. */
  readonly timeMsMax: number;
}

const encode = loadEncoder();

/** Result of the worker's task: tokens of each text, in order; never fewer than exact ones where time ran out. */
export interface CountTaskOutput {
  readonly counts: readonly number[];
  /** Whether time ran out before the last text ended. */
  readonly isLate: boolean;
}

/** Task of a worker thread: tokens of each text; the last ones are estimated where a bound ended the count. */
export const run: Task<CountTaskInput, CountTaskOutput> = ({ texts, tokensMax, timeMsMax }) => {
  const lateAt = performance.now() + timeMsMax;
  let isLate = false;
  const counts = countTexts(texts, encode, tokensMax, () => (isLate ||= performance.now() > lateAt));
  return { counts, isLate };
};
