import { compilePolicyWith } from "./domain/policy/compile-given-policy.ts";
import type { CompiledPolicy } from "./domain/policy/compile-policy.ts";
import { loadModel } from "./model-file.ts";

/** The features, the model and the detectors, for what learns the weights and measures them: `tools/guardrail-train`. */
export { conceptFeatureCount, type ConceptFeatures, conceptFeatures } from "./domain/injection/concepts.ts";
export { detectInjection, isDataRole } from "./domain/injection/detect.ts";
export { bucketCount, featureBuckets, slotsPerLetter } from "./domain/injection/features.ts";
export { lettersWithoutMarkup } from "./domain/injection/markup.ts";
export { matchPatterns } from "./domain/injection/match-patterns.ts";
export {
  decideAll,
  type Decision,
  encodeModel,
  type InjectionModel,
  type ModelHeader,
} from "./domain/injection/model.ts";
export { scanLetters } from "./domain/injection/scan-letters.ts";
export { type FeatureWeights, lengthAllowance, summarize, sumScan, windowSizes } from "./domain/injection/score.ts";
export {
  contextEntities,
  nationalIdCountries,
  piiEntities,
  type PiiEntity,
  type PiiSelection,
} from "./domain/pii/entity.ts";
export { findPii } from "./domain/pii/find-pii.ts";
export { type CompiledPolicy } from "./domain/policy/compile-policy.ts";
export { inspect } from "./domain/policy/inspect.ts";
export { type Letters } from "./domain/text/letters.ts";
export { readCanonical, readText } from "./domain/text/readings.ts";
export { alphabetSide, type LetterStatistics, letterStatisticsLength } from "./domain/text/letter-statistics.ts";
export { loadModel, modelFileUrl, packModelFile } from "./model-file.ts";

/**
 * Checks a policy as it came from outside and makes it ready for `inspect`. Throws `GatewayError("invalid_argument")`
 * naming the field and, in lists, the position.
 */
export function compilePolicy(document: unknown): CompiledPolicy {
  return compilePolicyWith(document, loadModel());
}
