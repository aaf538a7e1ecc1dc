import type { Task } from "@gatehouse/workers";
import { countTexts } from "./token-count.ts";
import { loadEncoder } from "./token-encoder.ts";

/** A count for a worker thread. */
export interface CountTaskInput {
  readonly texts: readonly string[];
  readonly tokensMax: number | undefined;
  /** When the rest is estimated instead. */
  readonly timeMsMax: number;
}

const encode = loadEncoder();

/** The task of a worker thread: tokens of each text, or fewer where a bound ended the count. */
export const run: Task<CountTaskInput, readonly number[]> = ({ texts, tokensMax, timeMsMax }) => {
  const lateAt = performance.now() + timeMsMax;
  return countTexts(texts, encode, { tokensMax, isLate: () => performance.now() > lateAt });
};
