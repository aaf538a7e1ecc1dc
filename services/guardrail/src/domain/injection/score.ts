import type { ConceptFeature } from "./concepts.ts";
import { slotsPerLetter } from "./features.ts";

/** Letters in a window, smallest first. A short attack fills the first, whatever surrounds it. */
export const windowSizes = [48, 96, 192, 384] as const;
/** Inputs of the final decision: the best window of each size, the mean, the length, and the whole text. */
export const summaryLength = windowSizes.length + 3;

/** Linear weights: one per hashed bucket and one per concept feature. */
export interface FeatureWeights {
  /** Quantised weights; the value is `buckets[i] * scale`. */
  readonly buckets: Int8Array | Float32Array;
  readonly scale: number;
  readonly concepts: Float32Array;
  readonly bias: number;
}

/** Two sets of weights over the same features: one learnt from windows, one from whole texts. */
export interface ScoringWeights {
  readonly window: FeatureWeights;
  readonly whole: FeatureWeights;
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

/** What the letters of a text add to the score. Linear. */
export function sumWeights(
  features: { readonly buckets: Uint32Array; readonly concepts: readonly ConceptFeature[]; readonly length: number },
  weights: ScoringWeights,
): Sums {
  const { buckets, length } = features;
  const running = new Float64Array(length + 1);
  let whole = 0;
  for (const { feature, at } of features.concepts) {
    running[at + 1] = (running[at + 1] ?? 0) + (weights.window.concepts[feature] ?? 0);
    whole += weights.whole.concepts[feature] ?? 0;
  }
  const windowTable = weights.window.buckets;
  const wholeTable = weights.whole.buckets;
  let sum = 0;
  let wholeRaw = 0;
  for (let index = 0; index < length; index += 1) {
    const from = index * slotsPerLetter;
    let raw = 0;
    // Bucket 0 is the empty slot; its weight is never learnt and stays 0.
    for (let slot = from; slot < from + slotsPerLetter; slot += 1) {
      const bucket = buckets[slot] ?? 0;
      raw += windowTable[bucket] ?? 0;
      wholeRaw += wholeTable[bucket] ?? 0;
    }
    sum += raw * weights.window.scale + (running[index + 1] ?? 0);
    running[index + 1] = sum;
  }
  return { running, whole: whole + wholeRaw * weights.whole.scale };
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
