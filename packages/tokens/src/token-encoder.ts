import { BytePairs } from "./byte-pairs.ts";
import type { Encoder } from "./token-count.ts";
import { readVocabulary } from "./vocabulary.ts";

let encoder: Encoder | undefined;

/**
 * Tokens of a text in OpenAI's current encoding (o200k_base); an estimate for models that use another. The vocabulary, 5 MB, is read
 * with the first call and once in a thread.
 */
export function loadEncoder(): Encoder {
  if (encoder === undefined) {
    const pairs = new BytePairs(readVocabulary("o200k_base"));
    encoder = (text) => pairs.count(text);
  }
  return encoder;
}
