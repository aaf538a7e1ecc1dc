import { conceptFeatureCount } from "./concepts.ts";
import { bucketCount } from "./features.ts";
import { packWeights, type ScoringWeights, summaryLength } from "./score.ts";
import { letterStatisticsLength, type LetterStatistics } from "../text/scrambled.ts";

/** What is learnt: the weights, how they are put together, and where to draw the line. */
export interface InjectionModel {
  readonly weights: ScoringWeights;
  /** Two ways to decide, of which the higher counts: on the text as a whole, and on its windows alone. */
  readonly decisions: readonly Decision[];
  /** Lines by name, in units of the final score. */
  readonly thresholds: Readonly<Record<"strict" | "default" | "quiet", number>>;
  readonly letterStatistics: LetterStatistics;
}

/** One coefficient for each input of `summarize`, and a constant. */
export interface Decision {
  readonly coefficients: readonly number[];
  readonly constant: number;
}

/** The final score: the highest logit of the decisions. */
export function decideAll(decisions: readonly Decision[], inputs: readonly number[]): number {
  let highest = Number.NEGATIVE_INFINITY;
  for (const { coefficients, constant } of decisions) {
    let logit = constant;
    for (let index = 0; index < inputs.length; index += 1) logit += (inputs[index] ?? 0) * (coefficients[index] ?? 0);
    highest = Math.max(highest, logit);
  }
  return highest;
}

/** Facts stored beside the weights, for people and for the check on loading. */
export interface ModelHeader {
  readonly format: 2;
  readonly seed: number;
  readonly corpusSha256: string;
  readonly examples: number;
  readonly scales: readonly [number, number];
  readonly biases: readonly [number, number];
  readonly decisions: readonly Decision[];
  readonly thresholds: { readonly strict: number; readonly default: number; readonly quiet: number };
}

const magic = "GHINJ002";
const payloadLength = 2 * bucketCount + 2 * conceptFeatureCount * 4 + letterStatisticsLength;

/** Writes the model file: magic, header length, JSON header, then int8 buckets, float32 concept weights, letter statistics. */
export function encodeModel(header: ModelHeader, model: InjectionModel): Uint8Array {
  const head = new TextEncoder().encode(JSON.stringify(header));
  const bytes = new Uint8Array(magic.length + 4 + head.length + payloadLength);
  const view = new DataView(bytes.buffer);
  bytes.set(new TextEncoder().encode(magic));
  view.setUint32(magic.length, head.length, true);
  let at = magic.length + 4;
  bytes.set(head, at);
  at += head.length;
  for (const { buckets } of [model.weights.window, model.weights.whole]) {
    for (let index = 0; index < bucketCount; index += 1) view.setInt8(at + index, buckets[index] ?? 0);
    at += bucketCount;
  }
  for (const { concepts } of [model.weights.window, model.weights.whole]) {
    for (let index = 0; index < conceptFeatureCount; index += 1)
      view.setFloat32(at + index * 4, concepts[index] ?? 0, true);
    at += conceptFeatureCount * 4;
  }
  for (let index = 0; index < letterStatisticsLength; index += 1)
    view.setInt8(at + index, model.letterStatistics[index] ?? 0);
  return bytes;
}

/** Reads a model file. Throws when it is cut short, of another format, or made for other features. */
export function decodeModel(bytes: Uint8Array): InjectionModel {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (new TextDecoder().decode(bytes.subarray(0, magic.length)) !== magic)
    throw new Error("not an injection model file");
  const headLength = view.getUint32(magic.length, true);
  let at = magic.length + 4 + headLength;
  if (bytes.length !== at + payloadLength) throw new Error("injection model file has the wrong length");
  const header: ModelHeader = JSON.parse(new TextDecoder().decode(bytes.subarray(magic.length + 4, at)));
  if (header.decisions.some(({ coefficients }) => coefficients.length !== summaryLength))
    throw new Error("injection model was made for another version");
  const readBuckets = (): Int8Array => {
    const buckets = new Int8Array(bucketCount);
    for (let index = 0; index < bucketCount; index += 1) buckets[index] = view.getInt8(at + index);
    at += bucketCount;
    return buckets;
  };
  const readConcepts = (): Float32Array => {
    const concepts = new Float32Array(conceptFeatureCount);
    for (let index = 0; index < conceptFeatureCount; index += 1)
      concepts[index] = view.getFloat32(at + index * 4, true);
    at += conceptFeatureCount * 4;
    return concepts;
  };
  const [windowBuckets, wholeBuckets] = [readBuckets(), readBuckets()];
  const [windowConcepts, wholeConcepts] = [readConcepts(), readConcepts()];
  const letterStatistics = new Int8Array(letterStatisticsLength);
  for (let index = 0; index < letterStatisticsLength; index += 1) letterStatistics[index] = view.getInt8(at + index);
  return {
    weights: {
      window: { buckets: windowBuckets, scale: header.scales[0], concepts: windowConcepts, bias: header.biases[0] },
      whole: { buckets: wholeBuckets, scale: header.scales[1], concepts: wholeConcepts, bias: header.biases[1] },
      packed: packWeights(windowBuckets, wholeBuckets),
    },
    decisions: header.decisions,
    thresholds: header.thresholds,
    letterStatistics,
  };
}
