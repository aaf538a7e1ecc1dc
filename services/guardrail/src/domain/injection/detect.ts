import { type Letters, lettersOf } from "../text/letters.ts";
import { type Reading, type Span, toSourceSpan } from "../text/reading.ts";
import type { Readings } from "../text/readings.ts";
import { repairClosely } from "../text/repair-words.ts";
import type { ScratchBuffers } from "../text/scratch-buffers.ts";
import { addressedMax, dataAllowance, patternAllowance } from "./addressed.ts";
import { conceptFeatureName, conceptFeatures } from "./concepts.ts";
import { lettersWithoutMarkup } from "./markup.ts";
import { matchAddressed, matchPatterns } from "./match-patterns.ts";
import { decideAll, type InjectionModel } from "./model.ts";
import { scanLetters } from "./scan-letters.ts";
import {
  bestWindow,
  lengthAllowance,
  patternsMax,
  setPatterns,
  summarize,
  sumScan,
  type WindowScore,
  windowSizes,
} from "./score.ts";

const explanationsMax = 5;

/** Score of a text as an attack on the model's instructions, with its reasons. */
interface InjectionResult {
  /** Logit of the linear model. */
  readonly logit: number;
  /** Names of the precise patterns, and of the forms of orders inside data, that occur. */
  readonly patterns: readonly string[];
  /** Place and reasons of the finding, computed only on demand. */
  explain(): InjectionExplanation;
}

/** The reasons of a score. */
export interface InjectionExplanation {
  /** The window that weighs most, in the source text. */
  readonly span: Span;
  /** Ideas and pairs of ideas in that window. Never text. */
  readonly ideas: readonly string[];
}

/** Facts about a text besides its words. */
interface InjectionContext {
  /** Whether the text is data that a tool brought, where orders to a model have no place; false where absent. */
  readonly isData?: boolean | undefined;
  /**
   * The line that the score is compared with, for a caller who needs no exact score below it: patterns are then not looked for where
   * none could lift the text above it.
   */
  readonly line?: number | undefined;
  readonly scratch?: ScratchBuffers;
}

/** Roles whose texts tools bring. */
const dataRoles: ReadonlySet<string> = new Set(["tool", "function"]);

/** Whether texts of a role are data: results of tools, with the mails, pages and code in them. */
export function isDataRole(role: string): boolean {
  return dataRoles.has(role);
}

/**
 * Scores one text. A doubtful one is read once more with every misspelt word repaired, for one such word may be what it lacks. Linear in
 * its length; no side effects.
 */
export function detectInjection(
  readings: Readings,
  model: InjectionModel,
  context: InjectionContext = {},
): InjectionResult {
  const { repaired } = readings;
  const first = scoreReading({ reading: repaired, letters: readings.repairedLetters }, model, context);
  if (first.logit < doubtfulMin || first.logit > model.thresholds.quiet) return first;
  const closely = repairClosely(repaired);
  if (closely === repaired) return first;
  // The first result explains itself from the scratch.
  const { isData, line } = context;
  const second = scoreReading({ reading: closely, letters: lettersOf(closely) }, model, { isData, line });
  return second.logit > first.logit ? second : first;
}

/** Scores from which on a text is doubtful; one short ordinary text in two hundred is. */
const doubtfulMin = 0;

interface LetteredReading {
  readonly reading: Reading;
  readonly letters: Letters;
}

function scoreReading(
  { reading, letters: allLetters }: LetteredReading,
  model: InjectionModel,
  { isData = false, line = -Infinity, scratch }: InjectionContext,
): InjectionResult {
  const letters = lettersWithoutMarkup(reading, allLetters, scratch);
  if (saysNothing(letters)) return { logit: -Infinity, patterns: [], explain: () => nothing(reading) };
  const scan = scanLetters(letters, model.weights.buckets, scratch);
  const concepts = conceptFeatures(scan.hits, scratch);
  const sums = sumScan(scan, concepts, model.weights, scratch);
  const inputs = summarize(sums, model.weights, 0);
  const allowance = lengthAllowance(letters.length);
  const decide = (patternCount: number): number => {
    setPatterns(inputs, patternCount);
    const ofData = isData ? (patternCount > 0 ? patternAllowance : dataAllowance) : 0;
    return decideAll(model.decisions, inputs) - allowance - ofData;
  };
  const addedMax = isData ? addressedMax : 0;
  const isBelow = (decided: number): boolean => decided + addedMax <= line;
  const plain = decide(0);
  if (isBelow(plain) && isBelow(decide(1)) && isBelow(decide(patternsMax)))
    return { logit: plain, patterns: [], explain: () => nothing(reading) };
  const patterns = matchPatterns(reading, letters, scan.hits);
  const decided = decide(patterns.length);
  const addressed = isData && !isBelow(decided) ? matchAddressed(reading, letters, scan.hits) : undefined;
  const logit = decided + (addressed?.weight ?? 0);
  const explain = (): InjectionExplanation => {
    const best = bestWindow(sums, windowSizes[1], model.weights.bias);
    const { features, ats, count } = conceptFeatures(scan.hits);
    const inside = features.subarray(0, count).filter((feature, index) => {
      const at = ats[index] ?? 0;
      return at >= best.start && at < best.end && (model.weights.concepts[feature] ?? 0) > 0;
    });
    const names = Array.from(inside).flatMap((feature) => conceptFeatureName(feature) ?? []);
    const ideas = [...new Set(names)].slice(0, explanationsMax);
    return { span: letterSpan(reading, letters, best), ideas };
  };
  return { logit, patterns: [...patterns, ...(addressed?.names ?? [])], explain };
}

/**
 * Whether a text has fewer than four different letters, too few to give an instruction in any language. The model has never seen
 * such texts, and a million times one letter adds up to any score.
 */
function saysNothing({ codes, length }: Letters): boolean {
  const first = codes[0] ?? 0;
  let [second, third] = [first, first];
  for (let index = 1; index < length; index += 1) {
    const letter = codes[index] ?? 0;
    if (letter === first || letter === second || letter === third) continue;
    if (second === first) second = letter;
    else if (third === first) third = letter;
    else return false;
  }
  return true;
}

function nothing(reading: Reading): InjectionExplanation {
  return { span: toSourceSpan(reading, 0, 0), ideas: [] };
}

/** Source span of a range of letters. */
function letterSpan(folded: Reading, letters: Letters, range: WindowScore): Span {
  if (range.end <= range.start) return toSourceSpan(folded, 0, 0);
  return toSourceSpan(folded, letters.positions[range.start] ?? 0, (letters.positions[range.end - 1] ?? 0) + 1);
}
