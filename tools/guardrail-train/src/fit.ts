import {
  bucketCount,
  conceptFeatureCount,
  type ConceptFeatures,
  slotsPerLetter,
  windowSizes,
} from "@gatehouse/guardrail/training";
import type { Encoded } from "./encode.ts";
import type { FitOptions } from "./fit-options.ts";
import { createRandom, type Random } from "./random.ts";

/** Weights by bucket and by concept feature, and the bias; of one fit, or the mean of several. */
export interface Fitted {
  readonly buckets: Float32Array;
  readonly concepts: Float32Array;
  readonly bias: number;
}

interface State {
  readonly buckets: Float32Array;
  readonly concepts: Float32Array;
  bias: number;
  readonly bucketSquares: Float32Array;
  readonly conceptSquares: Float32Array;
  biasSquare: number;
  readonly options: FitOptions;
  readonly random: Random;
}

/** The mean of a fit with each of the options. */
export function fitMean(examples: readonly Encoded[], each: readonly FitOptions[]): Fitted {
  const mean = { buckets: new Float64Array(bucketCount), concepts: new Float64Array(conceptFeatureCount), bias: 0 };
  for (const options of each) {
    const { buckets, concepts, bias } = fit(examples, options);
    addScaled(mean.buckets, buckets, 1 / each.length);
    addScaled(mean.concepts, concepts, 1 / each.length);
    mean.bias += bias / each.length;
  }
  return { buckets: Float32Array.from(mean.buckets), concepts: Float32Array.from(mean.concepts), bias: mean.bias };
}

/** Logistic regression by AdaGrad over windows of the texts. Deterministic for a seed. */
function fit(all: readonly Encoded[], options: FitOptions): Fitted {
  const examples = all.filter(({ example }) => ownWeight(example.source, options) > 0);
  const random = createRandom(options.seed);
  const state: State = {
    buckets: new Float32Array(bucketCount),
    concepts: new Float32Array(conceptFeatureCount),
    bias: 0,
    bucketSquares: new Float32Array(bucketCount).fill(1e-3),
    conceptSquares: new Float32Array(conceptFeatureCount).fill(1e-3),
    biasSquare: 1e-3,
    options,
    random,
  };
  const weights = sourceWeights(examples, options);
  const order = examples.map((_, index) => index);
  const average = { buckets: new Float64Array(bucketCount), concepts: new Float64Array(conceptFeatureCount), bias: 0 };
  const averaged = options.passes - options.averageFrom;
  for (let pass = 0; pass < options.passes; pass += 1) {
    random.shuffle(order);
    for (const index of order) {
      const example = examples[index];
      if (example === undefined) continue;
      learn(state, example, { weight: weights.get(example.example.source) ?? 1, random, pass });
    }
    if (pass < options.averageFrom) continue;
    addScaled(average.buckets, state.buckets, 1 / averaged);
    addScaled(average.concepts, state.concepts, 1 / averaged);
    average.bias += state.bias / averaged;
  }
  return {
    buckets: Float32Array.from(average.buckets),
    concepts: Float32Array.from(average.concepts),
    bias: Math.fround(average.bias),
  };
}

function addScaled(target: Float64Array, source: Float32Array, factor: number): void {
  for (let index = 0; index < target.length; index += 1)
    target[index] = (target[index] ?? 0) + (source[index] ?? 0) * factor;
}

/** Weights sources by a power below one of their size, so that no large one dominates; then balances the classes. */
function sourceWeights(examples: readonly Encoded[], options: FitOptions): Map<string, number> {
  const sizes = new Map<string, { count: number; attack: boolean }>();
  for (const { example } of examples) {
    const key = example.source;
    sizes.set(key, { count: (sizes.get(key)?.count ?? 0) + 1, attack: example.attack });
  }
  const totals = { attack: 0, benign: 0 };
  for (const { count, attack } of sizes.values())
    totals[attack ? "attack" : "benign"] += count ** (1 - options.sourcePower);
  const half = examples.length / 2;
  return new Map(
    [...sizes].map(([source, { count, attack }]) => [
      source,
      ((attack ? 1 : options.benignWeight) * ownWeight(source, options) * half * count ** -options.sourcePower) /
        totals[attack ? "attack" : "benign"],
    ]),
  );
}

function ownWeight(source: string, { ownWeight, ownWeights }: FitOptions): number {
  if (!source.startsWith("own-")) return 1;
  return ownWeights[source.slice("own-".length)] ?? ownWeight;
}

interface Lesson {
  readonly weight: number;
  readonly random: Random;
  readonly pass: number;
}

function learn(state: State, example: Encoded, lesson: Lesson): void {
  const { random } = lesson;
  const largest = windowSizes[windowSizes.length - 1] ?? 0;
  if (example.length <= largest) {
    update(state, example, { start: 0, end: example.length, weight: lesson.weight });
  }
  for (const size of windowSizes) {
    if (example.length <= size) continue;
    if (example.example.attack) {
      const start = lesson.pass === 0 ? random.below(example.length - size) : hardest(state, example, size);
      update(state, example, { start, end: start + size, weight: lesson.weight * 0.5 });
      continue;
    }
    const drawn = Math.min(state.options.windowsPerText, Math.ceil(example.length / size));
    const each = (lesson.weight * 0.5) / drawn;
    for (let count = 0; count < drawn; count += 1) {
      const start =
        count === 0 && lesson.pass > 0 ? hardest(state, example, size) : random.below(example.length - size);
      update(state, example, { start, end: start + size, weight: each * (count === 0 ? 2 : 1) });
    }
  }
}

interface Piece {
  readonly start: number;
  readonly end: number;
  readonly weight: number;
}

function update(state: State, example: Encoded, piece: Piece): void {
  const length = piece.end - piece.start;
  if (length === 0) return;
  const value = 1 / Math.sqrt(length);
  const stride = state.random.next() < state.options.joinedShare ? slotsPerLetter : 1;
  const lettersEnd = state.random.next() < state.options.ideasShare ? piece.start : piece.end;
  let sum = 0;
  for (let slot = piece.start * slotsPerLetter; slot < lettersEnd * slotsPerLetter; slot += stride) {
    sum += state.buckets[example.buckets[slot] ?? 0] ?? 0;
  }
  sum += sumOfIdeas(state.concepts, example.concepts, piece);
  const error = (1 / (1 + Math.exp(-(sum * value + state.bias))) - (example.example.attack ? 1 : 0)) * piece.weight;
  if (Math.abs(error) < 1e-4) return;
  apply(state, example, { ...piece, lettersEnd, gradient: error * value, error, stride });
}

function apply(
  state: State,
  example: Encoded,
  step: Piece & { lettersEnd: number; gradient: number; error: number; stride: number },
): void {
  const { buckets, bucketSquares, concepts, conceptSquares, options } = state;
  const { gradient, error } = step;
  for (let slot = step.start * slotsPerLetter; slot < step.lettersEnd * slotsPerLetter; slot += step.stride) {
    const bucket = example.buckets[slot] ?? 0;
    if (bucket === 0) continue;
    const square = (bucketSquares[bucket] ?? 0) + gradient * gradient;
    bucketSquares[bucket] = square;
    const weight = buckets[bucket] ?? 0;
    buckets[bucket] = weight - (options.rate * gradient) / Math.sqrt(square) - options.decay * weight;
  }
  const { features, ats, count } = example.concepts;
  for (let index = 0; index < count; index += 1) {
    const at = ats[index] ?? 0;
    const feature = features[index] ?? 0;
    if (at < step.start || at >= step.end) continue;
    const square = (conceptSquares[feature] ?? 0) + gradient * gradient;
    conceptSquares[feature] = square;
    concepts[feature] = (concepts[feature] ?? 0) - (options.conceptRate * gradient) / Math.sqrt(square);
  }
  state.biasSquare += error * error;
  state.bias -= (0.05 * error) / Math.sqrt(state.biasSquare);
}

/** Sum of the ideas that end in a range of letters. */
function sumOfIdeas(
  weights: Float32Array,
  { features, ats, count }: ConceptFeatures,
  { start, end }: { readonly start: number; readonly end: number },
): number {
  let sum = 0;
  for (let index = 0; index < count; index += 1) {
    const at = ats[index] ?? 0;
    if (at >= start && at < end) sum += weights[features[index] ?? 0] ?? 0;
  }
  return sum;
}

/** Start of the window that currently scores highest as an attack. */
function hardest(state: State, example: Encoded, size: number): number {
  const stride = size / 2;
  let best = 0;
  let bestSum = Number.NEGATIVE_INFINITY;
  for (let start = 0; start + size <= example.length; start += stride) {
    let sum = 0;
    for (let slot = start * slotsPerLetter; slot < (start + size) * slotsPerLetter; slot += 1) {
      sum += state.buckets[example.buckets[slot] ?? 0] ?? 0;
    }
    sum += sumOfIdeas(state.concepts, example.concepts, { start, end: start + size });
    if (sum > bestSum) {
      bestSum = sum;
      best = start;
    }
  }
  return best;
}
