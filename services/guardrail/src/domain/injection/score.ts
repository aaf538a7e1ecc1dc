import type { ConceptFeature } from "./concepts.ts";
import type { LetterScan } from "./scan-letters.ts";

/** Letters in a window, smallest first. A short attack fills the first, whatever surrounds it. */
export const windowSizes = [48, 96, 192, 384] as const;
/** Inputs of the final decision: the best window of each size, the mean, the length, and the whole text. */
export const summaryLength = windowSizes.length + 3;

/** Linear weights: one per hashed bucket and one per concept feature. */
export interface FeatureWeights {
  /** Quantised weights; the value is `buckets[i] * scale`. */
  readonly buckets: Int8Array;
  readonly scale: number;
  readonly concepts: Float32Array;
  readonly bias: number;
}

/** Two sets of weights over the same features: one learnt from windows, one from whole texts. */
export interface ScoringWeights {
  readonly window: FeatureWeights;
  readonly whole: FeatureWeights;
  /** Buckets of both, from `packWeights`. */
  readonly packed: Int16Array;
}

export interface WindowScore {
  readonly value: number;
  /** Letter range `[start, end)`. */
  readonly start: number;
  readonly end: number;
}

export interface Sums {
  /** Running sums of the window weights: entry `i` is the sum over the letters before `i`. */
  readonly running: Float64Array;
  /** Sum of the whole-text weights over all letters. */
  readonly whole: number;
}

/** Puts the sums of letters and ideas together. */
export function sumScan(scan: LetterScan, concepts: readonly ConceptFeature[], weights: ScoringWeights): Sums {
  const letters = scan.length;
  const running = new Float64Array(letters + 1);
  let whole = scan.whole * weights.whole.scale;
  for (const { feature, at } of concepts) {
    running[at + 1] = (running[at + 1] ?? 0) + (weights.window.concepts[feature] ?? 0);
    whole += weights.whole.concepts[feature] ?? 0;
  }
  const { scale } = weights.window;
  const { added } = scan;
  let ideas = 0;
  let sum = 0;
  for (let index = 1; index <= letters; index += 1) {
    ideas += running[index] ?? 0;
    sum += added[index] ?? 0;
    running[index] = sum * scale + ideas;
  }
  return { running, whole };
}

/** Lays the two tables over one another. */
export function packWeights(window: Int8Array, whole: Int8Array): Int16Array {
  return Int16Array.from(window, (weight, index) => ((whole[index] ?? 0) << 8) | (weight & 0xff));
}

/** The best-scoring window of `size` letters; a shorter text is one window. Windows overlap by three quarters. */
export function bestWindow(sums: Float64Array, size: number, bias: number): WindowScore {
  const length = sums.length - 1;
  if (length <= size) return { value: windowValue(sums, 0, length) + bias, start: 0, end: length };
  const stride = size / 4;
  let best: WindowScore = { value: Number.NEGATIVE_INFINITY, start: 0, end: size };
  for (let start = 0; ; start += stride) {
    const from = Math.min(start, length - size);
    const value = windowValue(sums, from, from + size) + bias;
    if (value > best.value) best = { value, start: from, end: from + size };
    if (from === length - size) return best;
  }
}

/** Score of the letters `[start, end)`: their sum over the square root of their number. */
export function windowValue(sums: Float64Array, start: number, end: number): number {
  if (end <= start) return 0;
  return ((sums[end] ?? 0) - (sums[start] ?? 0)) / Math.sqrt(end - start);
}

/** The inputs of the final decision. */
export function summarize(sums: Sums, weights: ScoringWeights): number[] {
  const { running, whole } = sums;
  const length = running.length - 1;
  const values: number[] = windowSizes.map((size) => bestWindow(running, size, weights.window.bias).value);
  const mean = windowValue(running, 0, length) * Math.sqrt(windowSizes[3] / Math.max(windowSizes[3], length));
  values.push(mean + weights.window.bias);
  values.push(Math.log2(Math.max(16, length)) - 8);
  values.push(whole / Math.sqrt(Math.max(1, length)) + weights.whole.bias);
  return values;
}
