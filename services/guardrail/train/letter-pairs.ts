import { letterPairsSide, type LetterPairs } from "../src/domain/text/scrambled.ts";
import { readText } from "../src/domain/text/readings.ts";
import type { Example } from "./corpus.ts";

/** How usual letter pairs are in texts of Latin letters, as log-probabilities in 1/16 nats. */
export function learnLetterPairs(examples: readonly Example[]): LetterPairs {
  const counts = new Float64Array(letterPairsSide * letterPairsSide).fill(0.5);
  for (const { text } of examples) {
    const { codes, length } = readText(text).folded;
    let previous = 0;
    for (let index = 0; index < length; index += 1) {
      const raw = (codes[index] ?? 0) - 0x60;
      const letter = raw >= 1 && raw <= 26 ? raw : 0;
      if (letter > 0 || previous > 0)
        counts[previous * letterPairsSide + letter] = (counts[previous * letterPairsSide + letter] ?? 0) + 1;
      previous = letter;
    }
  }
  const pairs = new Int8Array(counts.length);
  for (let row = 0; row < letterPairsSide; row += 1) {
    const from = row * letterPairsSide;
    const total = counts.slice(from, from + letterPairsSide).reduce((sum, count) => sum + count, 0);
    for (let column = 0; column < letterPairsSide; column += 1) {
      pairs[from + column] = Math.max(-127, Math.round(16 * Math.log((counts[from + column] ?? 1) / total)));
    }
  }
  // No letter after no letter says nothing.
  pairs[0] = 0;
  return pairs;
}
