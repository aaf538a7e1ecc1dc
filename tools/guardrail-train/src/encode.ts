import {
  bucketCount,
  conceptFeatures,
  type ConceptFeatures,
  featureBuckets,
  type Letters,
  type LetterStatistics,
  lettersWithoutMarkup,
  matchPatterns,
  readText,
  scanLetters,
} from "@gatehouse/guardrail/training";
import type { Example } from "./corpus.ts";

/** Example with its features, computed once for all passes. `buckets` has `slotsPerLetter` entries for each letter. */
export interface Encoded {
  readonly example: Example;
  readonly letters: Letters;
  readonly length: number;
  readonly buckets: Uint32Array;
  readonly concepts: ConceptFeatures;
  readonly patterns: number;
}

const noWeights = new Int8Array(bucketCount);

/** Reads a text as the detector does, once for all rounds of training. */
export function encode(example: Example, statistics?: LetterStatistics): Encoded {
  const readings = readText(example.text, statistics);
  const letters = lettersWithoutMarkup(readings.folded, readings.letters);
  const { hits } = scanLetters(letters, noWeights);
  return {
    example,
    letters,
    length: letters.length,
    buckets: featureBuckets(letters),
    concepts: trimmed(conceptFeatures(hits)),
    patterns: matchPatterns(readings.folded, letters, hits).length,
  };
}

/** Removes the unused capacity after the last feature. */
function trimmed({ features, ats, count }: ConceptFeatures): ConceptFeatures {
  return { features: features.slice(0, count), ats: ats.slice(0, count), count };
}
