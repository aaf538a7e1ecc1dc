import { letterStatisticsLength, type LetterStatistics } from "../text/letter-statistics.ts";
import { conceptFeatureCount } from "./concepts.ts";
import { bucketCount } from "./features.ts";
import { type FeatureWeights, summaryLength } from "./score.ts";

/** The learnt model: weights, their combination and the threshold. */
export interface InjectionModel {
  readonly weights: FeatureWeights;
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
  readonly format: 3;
  readonly seed: number;
  readonly corpusSha256: string;
  readonly examples: number;
  readonly scale: number;
  readonly bias: number;
  readonly decisions: readonly Decision[];
  readonly thresholds: { readonly strict: number; readonly default: number; readonly quiet: number };
}

const magic = "GHINJ003";
const payloadLength = bucketCount + conceptFeatureCount * 4 + letterStatisticsLength;

/** A model in bytes: magic, header length, JSON header, int8 buckets, float32 ideas, letter statistics. */
export function encodeModel(header: ModelHeader, model: InjectionModel): Uint8Array {
  const head = new TextEncoder().encode(JSON.stringify(header));
  const start = magic.length + 4 + head.length;
  const bytes = new Uint8Array(start + payloadLength);
  const view = new DataView(bytes.buffer);
  bytes.set(new TextEncoder().encode(magic));
  view.setUint32(magic.length, head.length, true);
  bytes.set(head, magic.length + 4);
  bytes.set(bytesOf(model.weights.buckets), start);
  const ideas = start + bucketCount;
  for (let index = 0; index < conceptFeatureCount; index += 1)
    view.setFloat32(ideas + index * 4, model.weights.concepts[index] ?? 0, true);
  bytes.set(bytesOf(model.letterStatistics), ideas + conceptFeatureCount * 4);
  return bytes;
}

/** Most bytes that a model has, so that a damaged file cannot ask for more when it is decompressed. */
export const modelBytesMax = payloadLength + 65_536;

/** Reads the bytes of a model. Throws when they are cut short, of another format, or made for other features. */
export function decodeModel(bytes: Uint8Array): InjectionModel {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (new TextDecoder().decode(bytes.subarray(0, magic.length)) !== magic)
    throw new Error("not an injection model file");
  const start = magic.length + 4 + view.getUint32(magic.length, true);
  if (bytes.length !== start + payloadLength) throw new Error("injection model file has the wrong length");
  const header: ModelHeader = JSON.parse(new TextDecoder().decode(bytes.subarray(magic.length + 4, start)));
  if (header.decisions.some(({ coefficients }) => coefficients.length !== summaryLength))
    throw new Error("injection model was made for another version");
  const ideas = start + bucketCount;
  const concepts = Float32Array.from({ length: conceptFeatureCount }, (_, index) =>
    view.getFloat32(ideas + index * 4, true),
  );
  return {
    weights: {
      buckets: Int8Array.from(bytes.subarray(start, ideas)),
      scale: header.scale,
      concepts,
      bias: header.bias,
    },
    decisions: header.decisions,
    thresholds: header.thresholds,
    letterStatistics: Int8Array.from(bytes.subarray(ideas + conceptFeatureCount * 4)),
  };
}

function bytesOf(numbers: Int8Array): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}
