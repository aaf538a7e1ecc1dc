import { packWeights, summarize, type ScoringWeights, sumScan } from "../src/domain/injection/score.ts";
import { scanLetters } from "../src/domain/injection/scan-letters.ts";
import { bucketCount } from "../src/domain/injection/features.ts";
import type { Encoded } from "./encode.ts";
import { defaultFit, fit, type FitOptions, type Fitted } from "./fit.ts";
import { decide, type Decision, fitDecision, type Observation } from "./decide.ts";

export const folds = 5;
/** Mosscap rows are noisy: many are only odd questions. */
const weakWeight = 0.3;

/** Both sets of weights from the same texts. */
export function learnWeights(examples: readonly Encoded[], options: FitOptions = defaultFit): ScoringWeights {
  const window = quantise(fit(examples, options));
  const whole = quantise(fit(examples, { ...options, whole: true }));
  return { window, whole, packed: packWeights(window.buckets, whole.buckets) };
}

/** Stores weights as signed bytes, which costs no accuracy that can be measured. */
function quantise(fitted: Fitted): ScoringWeights["window"] {
  let largest = 1e-9;
  for (const weight of fitted.buckets) largest = Math.max(largest, Math.abs(weight));
  // The few largest weights are clipped so that the many small ones keep their digits.
  const scale = (largest * 0.6) / 127;
  const buckets = new Int8Array(bucketCount);
  for (const [index, weight] of fitted.buckets.entries())
    buckets[index] = Math.max(-127, Math.min(127, Math.round(weight / scale)));
  buckets[0] = 0;
  return { buckets, scale, concepts: fitted.concepts, bias: fitted.bias };
}

export function inputsOf(example: Encoded, weights: ScoringWeights): number[] {
  return summarize(sumScan(scanLetters(example.letters, weights.packed), example.concepts, weights), weights);
}

/** Which fold an example belongs to: by its cluster, so that near-duplicates stay together. */
export function foldOf(cluster: string): number {
  let hash = 0x811c_9dc5;
  for (let index = 0; index < cluster.length; index += 1)
    hash = Math.imul(hash ^ cluster.charCodeAt(index), 0x0100_0193);
  return ((hash ^ (hash >>> 13)) >>> 0) % folds;
}

export interface CrossValidated {
  readonly inputs: readonly (readonly number[])[];
  readonly scores: readonly number[];
  readonly decision: Decision;
  /** The weights that each fold was scored with: they have never seen it. */
  readonly weights: readonly ScoringWeights[];
}

/** Scores every example with weights that were learnt without its fold; `own` examples are only ever learnt from. */
export function crossValidate(
  examples: readonly Encoded[],
  own: readonly Encoded[],
  options: FitOptions = defaultFit,
): CrossValidated {
  const inputs: number[][] = [];
  const weights: ScoringWeights[] = [];
  for (let fold = 0; fold < folds; fold += 1) {
    const learnt = learnWeights(
      [...examples.filter(({ example }) => foldOf(example.cluster) !== fold), ...own],
      options,
    );
    weights.push(learnt);
    for (const [index, example] of examples.entries()) {
      if (foldOf(example.example.cluster) === fold) inputs[index] = inputsOf(example, learnt);
    }
  }
  const decision = fitDecision(toObservations(examples, inputs));
  return { inputs, scores: inputs.map((input) => decide(decision, input)), decision, weights };
}

export function toObservations(examples: readonly Encoded[], inputs: readonly (readonly number[])[]): Observation[] {
  return examples.map(({ example }, index) => ({
    inputs: inputs[index] ?? [],
    attack: example.attack,
    weight: example.group === "injection_weak" ? weakWeight : 1,
  }));
}

/** The score that the given share of scores exceeds. */
export function thresholdAt(scores: readonly number[], share: number): number {
  const sorted = [...scores].sort((left, right) => right - left);
  const at = Math.floor(share * sorted.length);
  const above = sorted[at - 1] ?? (sorted[0] ?? 0) + 1;
  // Halfway to the next score, so that one rounding difference does not move a text across.
  return ((sorted[at] ?? above) + above) / 2;
}
