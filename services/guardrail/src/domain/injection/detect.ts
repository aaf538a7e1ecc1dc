import { RE2Set } from "re2js";
import type { Readings } from "../text/readings.ts";
import { readingText, type Span, toSourceSpan } from "../text/reading.ts";
import { conceptFeatureName, conceptFeatures, findConcepts } from "./concepts.ts";
import { featureBuckets } from "./features.ts";
import { lettersOf } from "./letters.ts";
import type { InjectionModel } from "./model.ts";
import { injectionPatterns } from "./patterns.ts";
import { bestWindow, summarize, sumWeights, windowSizes } from "./score.ts";

const explanationsMax = 5;

/** How much a text looks like an attack on the model's instructions, and why. */
export interface InjectionResult {
  /** Logit of the linear model. */
  readonly logit: number;
  /** Names of the precise patterns that occur. */
  readonly patterns: readonly string[];
  /** The window that weighs most, in the source text. */
  readonly span: Span;
  /** Idea pairs in that window, for the person who asks why. Never text. */
  readonly ideas: readonly string[];
}

let patternSet: RE2Set | undefined;

/** Scores one text. Linear in its length; no side effects. */
export function detectInjection(readings: Readings, model: InjectionModel): InjectionResult {
  const letters = lettersOf(readings.folded);
  const concepts = conceptFeatures(findConcepts(letters));
  const sums = sumWeights({ buckets: featureBuckets(letters), concepts, length: letters.length }, model.weights);
  const inputs = summarize(sums, model.weights);
  const { coefficients, constant } = model.decision;
  const logit = inputs.reduce((total, input, index) => total + input * (coefficients[index] ?? 0), constant);
  const best = bestWindow(sums.running, windowSizes[1], model.weights.window.bias);
  const from = letters.positions[best.start] ?? 0;
  const to = best.end > best.start ? (letters.positions[best.end - 1] ?? from) + 1 : from;
  const inside = concepts.filter(
    ({ feature, at }) => at >= best.start && at < best.end && (model.weights.window.concepts[feature] ?? 0) > 0,
  );
  const ideas = [...new Set(inside.map(({ feature }) => conceptFeatureName(feature)))].slice(0, explanationsMax);
  return { logit, patterns: matchPatterns(readings), span: toSourceSpan(readings.folded, from, to), ideas };
}

/** Names of the precise patterns in the folded reading. */
export function matchPatterns(readings: Readings): string[] {
  patternSet ??= buildPatternSet();
  return patternSet.match(readingText(readings.folded)).map((index) => injectionPatterns[index]?.name ?? "");
}

function buildPatternSet(): RE2Set {
  const set = new RE2Set(RE2Set.UNANCHORED, 0);
  for (const { pattern } of injectionPatterns) set.add(`(?s)${pattern}`);
  set.compile();
  return set;
}
