import { detectInjection, type InjectionModel, isDataRole, readText } from "@gatehouse/guardrail/training";
import { type Example, foldOf } from "../corpus.ts";
import { encode } from "../encode.ts";
import { crossValidate, thresholdAt } from "../learner.ts";
import { learnLetterStatistics } from "../letter-statistics.ts";
import { operatingPoints } from "../train.ts";

/** Provides, for each example, a model trained without it and its near-duplicates. */
export interface EvaluationSubject {
  modelFor(example: Example): InjectionModel;
}

/** Logit that the detector gives a text; higher is more like an attack. `role` decides whether the text counts as data. */
export function scoreText(text: string, model: InjectionModel, role = "user"): number {
  return detectInjection(readText(text, model.letterStatistics), model, { isData: isDataRole(role) }).logit;
}

/** Cross-validated models: each fold is scored by weights trained on the others. */
export function crossValidatedSubject(corpus: readonly Example[], own: readonly Example[]): EvaluationSubject {
  const letterStatistics = learnLetterStatistics(corpus.filter(({ attack }) => !attack));
  const examples = corpus.map((example) => encode(example, letterStatistics));
  const { weights, decisions, scores } = crossValidate({
    examples,
    own: own.map((example) => encode(example, letterStatistics)),
    statistics: letterStatistics,
  });
  const harmless = scores.filter(
    (_, index) => corpus[index]?.attack === false && corpus[index]?.group !== "overdefense",
  );
  const thresholds = {
    strict: thresholdAt(harmless, operatingPoints.strict),
    default: thresholdAt(harmless, operatingPoints.default),
    quiet: thresholdAt(harmless, operatingPoints.quiet),
  };
  const models = weights.map((fold) => ({ weights: fold, decisions, thresholds, letterStatistics }));
  return {
    modelFor({ cluster }) {
      const model = models[foldOf(cluster)];
      if (model === undefined) throw new Error("no model for this fold");
      return model;
    },
  };
}
