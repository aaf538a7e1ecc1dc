import { type ConceptFeature, conceptFeatures, findConcepts } from "../src/domain/injection/concepts.ts";
import { featureBuckets } from "../src/domain/injection/features.ts";
import { lettersOf } from "../src/domain/injection/letters.ts";
import { readText } from "../src/domain/text/readings.ts";
import type { LetterPairs } from "../src/domain/text/scrambled.ts";
import type { Example } from "./corpus.ts";

/** An example with its features worked out once. */
export interface Encoded {
  readonly example: Example;
  readonly length: number;
  readonly buckets: Uint32Array;
  readonly concepts: readonly ConceptFeature[];
}

export function encode(example: Example, pairs?: LetterPairs): Encoded {
  const letters = lettersOf(readText(example.text, pairs).folded);
  return {
    example,
    length: letters.length,
    buckets: featureBuckets(letters),
    concepts: conceptFeatures(findConcepts(letters)),
  };
}
