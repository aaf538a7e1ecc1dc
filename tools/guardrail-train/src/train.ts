import { createHash } from "node:crypto";
import type { InjectionModel, ModelHeader } from "@gatehouse/guardrail/training";
import type { Example } from "./corpus.ts";
import { encode } from "./encode.ts";
import { defaultFits, type FitOptions } from "./fit-options.ts";
import { crossValidate, learnWeights, thresholdAt } from "./learner.ts";
import { learnLetterStatistics } from "./letter-statistics.ts";

/** Share of harmless texts that each operating point may flag, measured by cross-validation. */
export const operatingPoints = { strict: 0.01, default: 0.0044, quiet: 0.0005 } as const;

/** A trained model, with the header of its file. */
export interface Trained {
  readonly model: InjectionModel;
  readonly header: ModelHeader;
  /** Share of attacks above each threshold, by cross-validation. */
  readonly recall: Readonly<Record<keyof typeof operatingPoints, number>>;
}

/** Trains a model: thresholds and decision by cross-validation, weights from everything. Deterministic. */
export function train(
  corpus: readonly Example[],
  own: readonly Example[],
  fits: readonly FitOptions[] = defaultFits,
): Trained {
  const letterStatistics = learnLetterStatistics(corpus.filter(({ attack }) => !attack));
  const examples = corpus.map((example) => encode(example, letterStatistics));
  const made = own.map((example) => encode(example, letterStatistics));
  const { decisions, scores } = crossValidate({ examples, own: made, statistics: letterStatistics }, fits);
  const scoresOf = (wanted: (example: Example) => boolean): number[] =>
    scores.filter((_, index) => wanted(corpus[index] as Example));
  const harmless = scoresOf(({ attack, group }) => !attack && group !== "overdefense");
  const thresholds = {
    strict: thresholdAt(harmless, operatingPoints.strict),
    default: thresholdAt(harmless, operatingPoints.default),
    quiet: thresholdAt(harmless, operatingPoints.quiet),
  };
  const attacks = scoresOf(
    ({ attack, group }) => attack && group !== "injection_weak" && group !== "injection_multilingual",
  );
  const share = (line: number): number => attacks.filter((score) => score > line).length / Math.max(1, attacks.length);
  const weights = learnWeights([...examples, ...made], fits);
  const header: ModelHeader = {
    format: 3,
    seed: fits[0]?.seed ?? 0,
    corpusSha256: hashOf(corpus),
    examples: corpus.length + own.length,
    scale: weights.scale,
    bias: weights.bias,
    decisions,
    thresholds,
  };
  return {
    model: { weights, decisions, thresholds, letterStatistics },
    header,
    recall: { strict: share(thresholds.strict), default: share(thresholds.default), quiet: share(thresholds.quiet) },
  };
}

function hashOf(corpus: readonly Example[]): string {
  const hash = createHash("sha256");
  for (const { text, attack } of corpus) hash.update(`${attack ? 1 : 0} ${text}\n`);
  return hash.digest("hex");
}
