import { type Reading, ReadingBuilder } from "./reading.ts";

/** How usual one letter is after another: 27 by 27 log-probabilities in 1/16 nats; index 0 is the edge of a word. */
export type LetterPairs = Int8Array;

export const letterPairsSide = 27;
const scale = 16;
/** Evidence, in nats, that a passage must bring before it is read another way. */
const switchCost = 9 * scale;
/** Words scoring less than this a letter start the closer look. */
export const unusualPerLetter = -3.3 * scale;
export const unusualLetters = 22;

type Way = 0 | 1 | 2;
const WAYS: readonly Way[] = [0, 1, 2];

interface Word {
  readonly start: number;
  readonly end: number;
}

/** Rewrites passages of ASCII letters that are rot13 or reversed; other text stays as it is. Linear in the length. */
export function unscramble(input: Reading, pairs: LetterPairs): Reading {
  const words = asciiWords(input);
  const ways = likeliestWays(input, words, pairs);
  if (ways.every((way) => way === 0)) return input;
  return rewrite(input, words, ways);
}

function letterAt(input: Reading, index: number): number {
  const code = (input.codes[index] ?? 0) - 0x60;
  return index < input.length && code >= 1 && code <= 26 ? code : 0;
}

function asciiWords(input: Reading): Word[] {
  const words: Word[] = [];
  let start = -1;
  for (let index = 0; index <= input.length; index += 1) {
    const isLetter = index < input.length && letterAt(input, index) > 0;
    if (isLetter && start < 0) start = index;
    if (!isLetter && start >= 0) {
      words.push({ start, end: index });
      start = -1;
    }
  }
  return words;
}

function wordScore(input: Reading, word: Word, options: { pairs: LetterPairs; way: Way }): number {
  const { pairs, way } = options;
  let score = 0;
  let previous = 0;
  for (let step = 0; step <= word.end - word.start; step += 1) {
    const at = way === 2 ? word.end - 1 - step : word.start + step;
    const raw = step === word.end - word.start ? 0 : letterAt(input, at);
    const letter = way === 1 && raw > 0 ? ((raw + 12) % 26) + 1 : raw;
    score += pairs[previous * letterPairsSide + letter] ?? 0;
    previous = letter;
  }
  return score;
}

/** Viterbi over words: the way of reading each that explains the letters best, changing rarely. */
function likeliestWays(input: Reading, words: readonly Word[], pairs: LetterPairs): Way[] {
  let best: number[] = [0, -switchCost, -switchCost];
  const cameFrom = new Uint8Array(words.length * 3);
  for (const [position, word] of words.entries()) {
    const leader = best.indexOf(Math.max(...best));
    const change = (best[leader] ?? 0) - switchCost;
    const next: number[] = [];
    for (const way of WAYS) {
      const stay = best[way] ?? 0;
      cameFrom[position * 3 + way] = stay >= change ? way : leader;
      next.push(Math.max(stay, change) + wordScore(input, word, { pairs, way }));
    }
    best = next;
  }
  const ways: Way[] = [];
  let way = best.indexOf(Math.max(...best));
  for (let position = words.length - 1; position >= 0; position -= 1) {
    ways.push(way === 1 ? 1 : way === 2 ? 2 : 0);
    way = cameFrom[position * 3 + way] ?? 0;
  }
  return ways.toReversed();
}

function rewrite(input: Reading, words: readonly Word[], ways: readonly Way[]): Reading {
  const output = new ReadingBuilder(input.length);
  let copied = 0;
  let position = 0;
  while (position < words.length) {
    const way = ways[position] ?? 0;
    let last = position;
    while (last + 1 < words.length && ways[last + 1] === way) last += 1;
    const start = words[position]?.start ?? 0;
    const end = words[last]?.end ?? start;
    for (; copied < start; copied += 1) output.copy(input, copied, input.codes[copied] ?? 0);
    for (let step = 0; step < end - start; step += 1) {
      const at = way === 2 ? end - 1 - step : start + step;
      const letter = letterAt(input, at);
      output.copy(input, at, way === 1 && letter > 0 ? ((letter + 12) % 26) + 0x61 : (input.codes[at] ?? 0));
    }
    copied = end;
    position = last + 1;
  }
  for (; copied < input.length; copied += 1) output.copy(input, copied, input.codes[copied] ?? 0);
  return output.build();
}
