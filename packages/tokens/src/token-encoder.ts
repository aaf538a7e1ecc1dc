import { BytePairs } from "./byte-pairs.ts";
import type { Encoder } from "./token-count.ts";
import { readVocabulary } from "./vocabulary.ts";

let encoder: Encoder | undefined;

/**
 * Encoder of OpenAI's current encoding (o200k_base); an estimate for models with another one. The vocabulary, 5 MB, is read once
 * in a thread, on first use.
 */
export function loadEncoder(): Encoder {
  if (encoder === undefined) {
    const pairs = new BytePairs(readVocabulary("o200k_base"));
    encoder = (text) => pairs.count(text);
  }
  return encoder;
}
