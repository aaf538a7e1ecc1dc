import {
  bucketCount,
  decideAll,
  type Decision,
  type FeatureWeights,
  lengthAllowance,
  type LetterStatistics,
  scanLetters,
  summarize,
  sumScan,
} from "@gatehouse/guardrail/training";
import { type Example, foldOf, folds } from "./corpus.ts";
import { fitDecision, type Observation } from "./decide.ts";
import { hostsByFold, hostText, insertInto } from "./dilute.ts";
import { encode, type Encoded } from "./encode.ts";
import { defaultFits, type FitOptions } from "./fit-options.ts";
import { fitMean, type Fitted } from "./fit.ts";

/** Weight of noisy Mosscap rows: many are only odd questions. */
const weakWeight = 0.3;

/** Trains the weights in their shipped form. */
export function learnWeights(examples: readonly Encoded[], fits: readonly FitOptions[] = defaultFits): FeatureWeights {
  return quantise(fitMean(examples, fits));
}

/** Stores weights as signed bytes, without a measurable loss of accuracy. */
function quantise(fitted: Fitted): FeatureWeights {
  let largest = 1e-9;
  for (const weight of fitted.buckets) largest = Math.max(largest, Math.abs(weight));
  // The few largest weights are clipped to keep the precision of the many small ones.
  const scale = (largest * 0.6) / 127;
  const buckets = new Int8Array(bucketCount);
  for (const [index, weight] of fitted.buckets.entries())
    buckets[index] = Math.max(-127, Math.min(127, Math.round(weight / scale)));
  buckets[0] = 0;
  return { buckets, scale, concepts: fitted.concepts, bias: fitted.bias };
}

/** Inputs of the last layer: the sums of a text's features under these weights. */
export function inputsOf(example: Encoded, weights: FeatureWeights): number[] {
  const sums = sumScan(scanLetters(example.letters, weights.buckets), example.concepts, weights);
  return summarize(sums, weights, example.patterns);
}

interface CrossValidated {
  readonly inputs: readonly (readonly number[])[];
  readonly scores: readonly number[];
  readonly decisions: readonly Decision[];
  /** Weights that scored each fold, trained without it. */
  readonly weights: readonly FeatureWeights[];
  /** Synthetic texts, scored by weights trained without their families. */
  readonly unseen: readonly Observation[];
  /** Attacks hidden in prose, and that prose alone, scored by weights trained without them. */
  readonly hidden: readonly Observation[];
}

interface CrossValidation {
  readonly examples: readonly Encoded[];
  readonly own: readonly Encoded[];
  readonly statistics: LetterStatistics;
}

/** Weight of all synthetic texts together relative to the corpus, when the decisions are fitted. */
const ownAgainstCorpus = 0.3;

/**
 * Folds hold out families of English texts, and each line written by hand with all its wordings; the other languages are always
 * trained on, since each is a small family.
 */
function familyFold({ source, cluster }: Example): number {
  if (source.startsWith("own-written-")) return foldOf(cluster);
  return source.startsWith("own-en-") && source !== "own-en-passage" ? foldOf(source) : -1;
}

/** Scores every example with weights trained without its fold, and without a fifth of the synthetic families. */
export function crossValidate(
  { examples, own, statistics }: CrossValidation,
  fits: readonly FitOptions[] = defaultFits,
): CrossValidated {
  const inputs: number[][] = [];
  const ownInputs: number[][] = [];
  const weights: FeatureWeights[] = [];
  for (let fold = 0; fold < folds; fold += 1) {
    const others = examples.filter(({ example }) => foldOf(example.cluster) !== fold);
    const families = own.filter(({ example }) => familyFold(example) !== fold);
    const learnt = learnWeights([...others, ...families], fits);
    weights.push(learnt);
    for (const [index, example] of own.entries()) {
      if (familyFold(example.example) === fold) ownInputs[index] = inputsOf(example, learnt);
    }
    for (const [index, example] of examples.entries()) {
      if (foldOf(example.example.cluster) === fold) inputs[index] = inputsOf(example, learnt);
    }
  }
  const hidden = hiddenObservations(examples, weights, statistics);
  const heldOut = own.map((_, index) => index).filter((index) => ownInputs[index] !== undefined);
  const share = (ownAgainstCorpus * examples.length) / Math.max(1, heldOut.length);
  const unseen = heldOut.map((index) => ({
    inputs: ownInputs[index] ?? [],
    attack: own[index]?.example.attack === true,
    weight: share,
  }));
  const decisions = fitDecisions([...toObservations(examples, inputs), ...unseen], hidden);
  return {
    unseen,
    inputs,
    scores: inputs.map((input, index) => decideAll(decisions, input) - lengthAllowance(examples[index]?.length ?? 0)),
    decisions,
    weights,
    hidden,
  };
}

/**
 * Inputs of the decision on windows: all but the widest window. The mean and the ideas of the whole text give the topic, against
 * which a window stands out.
 */
const windowInputs = [true, true, true, false, true, true, true, true, true];
/** Bias of the decision on windows: its fit is made on prompts, which are closer to attacks than prose. */
const windowLead = 0.3;

/** One decision for whole texts, one for windows that is also trained on attacks hidden in prose. */
export function fitDecisions(plain: readonly Observation[], hidden: readonly Observation[]): Decision[] {
  const masked = ({ inputs, ...rest }: Observation): Observation => ({
    ...rest,
    inputs: inputs.map((input, index) => (windowInputs[index] === true ? input : 0)),
  });
  const windows = fitDecision([...hidden, ...plain.filter(({ attack }) => !attack)].map(masked));
  return [fitDecision(plain), { ...windows, constant: windows.constant + windowLead }].map(withPatterns);
}

/** Least weight of a precise pattern, which never lowers the score. */
const patternsMin = 1;

function withPatterns({ coefficients, constant }: Decision): Decision {
  const last = coefficients.length - 1;
  return { coefficients: coefficients.with(last, Math.max(patternsMin, coefficients[last] ?? 0)), constant };
}

const hiddenLengthMax = 300;
const hostSizes = [1024, 2048, 8192];

function hiddenObservations(
  examples: readonly Encoded[],
  weights: readonly FeatureWeights[],
  statistics: LetterStatistics,
): Observation[] {
  const hosts = hostsByFold(examples.map(({ example }) => example));
  const attacks = examples.filter(
    ({ example }) => example.group === "injection" && example.text.length <= hiddenLengthMax,
  );
  return attacks.flatMap(({ example }, index) => {
    const fold = foldOf(example.cluster);
    const learnt = weights[fold];
    const pool = hosts.get(fold);
    if (learnt === undefined || pool === undefined) return [];
    const host = hostText(pool, hostSizes[index % hostSizes.length] ?? 0, index + hostSeed);
    const observe = (text: string, attack: boolean): Observation => ({
      inputs: inputsOf(encode({ ...example, text }, statistics), learnt),
      attack,
      weight: 1,
    });
    return [observe(insertInto(host, example.text), true), observe(host, false)];
  });
}

/** Keeps these hosts apart from those of the evaluation. */
const hostSeed = 100_000;

/** Examples with their inputs, in the same order; weakly labelled examples have less weight. */
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
  // Halfway to the next score, so that rounding does not move a text across.
  return ((sorted[at] ?? above) + above) / 2;
}
