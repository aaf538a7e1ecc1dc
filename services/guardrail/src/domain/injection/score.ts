import type { ScratchBuffers } from "../text/scratch-buffers.ts";
import type { ConceptFeatures } from "./concepts.ts";
import type { LetterScan } from "./scan-letters.ts";

/** Letters in a window, smallest first. A short attack fills the first, whatever surrounds it. */
export const windowSizes = [48, 96, 192, 384] as const;
/**
 * Inputs of the final decision: the best window of each size, the mean, the length, the best window of the ideas alone, all ideas,
 * and how many precise patterns occur.
 */
export const summaryLength = windowSizes.length + 5;
/** Letters in the window in which ideas are added up by themselves. */
const ideaWindow = 192;

/** Linear weights: one per hashed bucket and one per concept feature. */
export interface FeatureWeights {
  /** Quantised weights; the value is `buckets[i] * scale`. */
  readonly buckets: Int8Array;
  readonly scale: number;
  readonly concepts: Float32Array;
  readonly bias: number;
}

/** The score of the stretch of a text that scores highest. */
export interface WindowScore {
  readonly value: number;
  /** Letter range `[start, end)`. */
  readonly start: number;
  readonly end: number;
}

/** Sums over the letters of one text. */
export interface Sums {
  /** Running sums of the window weights: entry `i` is the sum over the letters before `i`. Only the first `length + 1` count. */
  readonly running: Float64Array;
  /** Number of letters. */
  readonly length: number;
  /** Sum of the weights of the ideas in the best stretch of `ideaWindow` letters. */
  readonly bestIdeas: number;
  /** Sum of the weights of all ideas. */
  readonly wholeIdeas: number;
}

/** Puts the sums of letters and ideas together. With a scratch, see there how long they last. */
export function sumScan(
  scan: LetterScan,
  concepts: ConceptFeatures,
  weights: FeatureWeights,
  scratch?: ScratchBuffers,
): Sums {
  const { length, added } = scan;
  const { features, ats, count } = concepts;
  const { scale, concepts: ideaWeights } = weights;
  const running = (scratch?.floatsOf("running", length + 1) ?? new Float64Array(length + 1)).fill(0, 0, length + 1);
  let wholeIdeas = 0;
  for (let index = 0; index < count; index += 1) {
    const weight = ideaWeights[features[index] ?? 0] ?? 0;
    const at = (ats[index] ?? 0) + 1;
    running[at] = (running[at] ?? 0) + weight;
    wholeIdeas += weight;
  }
  let ideas = 0;
  let sum = 0;
  for (let index = 1; index <= length; index += 1) {
    ideas += running[index] ?? 0;
    sum += added[index] ?? 0;
    running[index] = sum * scale + ideas;
  }
  return { running, length, bestIdeas: bestIdeas(concepts, ideaWeights), wholeIdeas };
}

/** The most that the ideas of one stretch add up to. Features come in the order of their places. */
function bestIdeas({ features, ats, count }: ConceptFeatures, weights: Float32Array): number {
  let [best, sum, first] = [0, 0, 0];
  for (let index = 0; index < count; index += 1) {
    const at = ats[index] ?? 0;
    sum += weights[features[index] ?? 0] ?? 0;
    for (; at - (ats[first] ?? 0) >= ideaWindow; first += 1) sum -= weights[features[first] ?? 0] ?? 0;
    best = Math.max(best, sum);
  }
  return best;
}

/** The best-scoring window of `size` letters; a shorter text is one window. Windows overlap by three quarters. */
export function bestWindow({ running, length }: Sums, size: number, bias: number): WindowScore {
  if (length <= size) return { value: windowValue(running, 0, length) + bias, start: 0, end: length };
  const stride = size / 4;
  const root = Math.sqrt(size);
  const last = length - size;
  let [best, found] = [Number.NEGATIVE_INFINITY, 0];
  for (let start = 0; ; start += stride) {
    const from = Math.min(start, last);
    const value = ((running[from + size] ?? 0) - (running[from] ?? 0)) / root + bias;
    if (value > best) [best, found] = [value, from];
    if (from === last) return { value: best, start: found, end: found + size };
  }
}

/** Score of the letters `[start, end)`: their sum over the square root of their number. */
function windowValue(sums: Float64Array, start: number, end: number): number {
  if (end <= start) return 0;
  return ((sums[end] ?? 0) - (sums[start] ?? 0)) / Math.sqrt(end - start);
}

/** The inputs of the final decision. */
export function summarize(sums: Sums, weights: FeatureWeights, patterns: number): number[] {
  const { running, length } = sums;
  const best = (size: number): number => bestWindow(sums, size, weights.bias).value;
  const mean = windowValue(running, 0, length) * Math.sqrt(windowSizes[3] / Math.max(windowSizes[3], length));
  // In one literal, since this is done for every text: a list that grows is copied.
  return [
    best(windowSizes[0]),
    best(windowSizes[1]),
    best(windowSizes[2]),
    best(windowSizes[3]),
    mean + weights.bias,
    // Longer texts are left to `lengthAllowance`: nothing was learnt from them.
    Math.log2(Math.min(longLetters, Math.max(16, length))) - 8,
    sums.bestIdeas / Math.sqrt(ideaWindow),
    sums.wholeIdeas / Math.sqrt(Math.max(ideaWindow, length)),
    Math.min(patterns, patternsMax),
  ];
}

/** More precise patterns than this in one text say nothing more. */
export const patternsMax = 2;

/** Puts another number of precise patterns into the inputs of a decision. */
export function setPatterns(inputs: number[], patterns: number): void {
  inputs[summaryLength - 1] = Math.min(patterns, patternsMax);
}

/** Letters from which on a text is long: about 4 KB of prose. */
const longLetters = 3300;
const rise = 0.35;

/**
 * Rise of the line for a long text: its best window is the best of ever more, so that with a fixed line most harmless books
 * would be flagged. A fixed amount for each doubling keeps the share of false alarms.
 */
export function lengthAllowance(letters: number): number {
  return rise * Math.max(0, Math.log2(letters / longLetters));
}
