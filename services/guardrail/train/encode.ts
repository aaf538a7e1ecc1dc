import { type ConceptFeature, conceptFeatures } from "../src/domain/injection/concepts.ts";
import { featureBuckets } from "../src/domain/injection/features.ts";
import { lettersOf } from "../src/domain/injection/letters.ts";
import { scanLetters } from "../src/domain/injection/scan-letters.ts";
import type { Reading } from "../src/domain/text/reading.ts";
import { readText } from "../src/domain/text/readings.ts";
import type { LetterPairs } from "../src/domain/text/scrambled.ts";
import type { Example } from "./corpus.ts";

/** An example with its features worked out once. */
export interface Encoded {
  readonly example: Example;
  readonly folded: Reading;
  readonly length: number;
  readonly buckets: Uint32Array;
  readonly concepts: readonly ConceptFeature[];
}

const noWeights = new Int16Array(0);

export function encode(example: Example, pairs?: LetterPairs): Encoded {
  const { folded } = readText(example.text, pairs);
  const letters = lettersOf(folded);
  return {
    example,
    folded,
    length: letters.length,
    buckets: featureBuckets(letters),
    concepts: conceptFeatures(scanLetters(folded, noWeights).hits),
  };
}
