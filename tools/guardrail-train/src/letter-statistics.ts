import { alphabetSide, type LetterStatistics, letterStatisticsLength, readText } from "@gatehouse/guardrail/training";
import type { Example } from "./corpus.ts";

/** Weight of the preceding letter relative to the two preceding ones, in occurrences. */
const backoff = 6;

/** Frequency of each letter after two others in these texts, as log-probabilities in 1/16 nats. */
export function learnLetterStatistics(examples: readonly Example[]): LetterStatistics {
  const triples = new Float64Array(letterStatisticsLength);
  const pairs = new Float64Array(alphabetSide * alphabetSide).fill(0.5);
  for (const { text } of examples) {
    const { codes, length } = readText(text).folded;
    let letter = 0;
    let context = 0;
    for (let index = 0; index < length; index += 1) {
      const raw = (codes[index] ?? 0) - 0x60;
      const next = raw >= 1 && raw <= 26 ? raw : 0;
      if (letter + next > 0) {
        triples[context * alphabetSide + next] = (triples[context * alphabetSide + next] ?? 0) + 1;
        pairs[letter * alphabetSide + next] = (pairs[letter * alphabetSide + next] ?? 0) + 1;
      }
      context = letter * alphabetSide + next;
      letter = next;
    }
  }
  return toLogarithms(triples, pairs);
}

function toLogarithms(triples: Float64Array, pairs: Float64Array): LetterStatistics {
  const statistics = new Int8Array(letterStatisticsLength);
  for (let context = 0; context < alphabetSide * alphabetSide; context += 1) {
    const letter = context % alphabetSide;
    const row = pairs.subarray(letter * alphabetSide, (letter + 1) * alphabetSide);
    const rowTotal = row.reduce((sum, count) => sum + count, 0);
    const seen = triples.subarray(context * alphabetSide, (context + 1) * alphabetSide);
    const total = seen.reduce((sum, count) => sum + count, 0);
    for (let next = 0; next < alphabetSide; next += 1) {
      const share = ((seen[next] ?? 0) + (backoff * (row[next] ?? 0)) / rowTotal) / (total + backoff);
      // No letter after no letter has no meaning.
      statistics[context * alphabetSide + next] =
        letter + next === 0 ? 0 : Math.max(-127, Math.round(16 * Math.log(share)));
    }
  }
  return statistics;
}
