import { alphabetSide, inOrder, letterBits, type LetterStatistics, nat, orderMask } from "./letter-statistics.ts";
import { type Reading, ReadingBuilder, type Span } from "./reading.ts";
import type { ScratchBuffers } from "./scratch-buffers.ts";

/** Evidence, in nats, that a passage must bring before it is read another way. */
const switchCost = 8 * nat;
const WAY_COUNT = 3;
const PLAIN = 0;
const ROT13 = 1;
const REVERSED = 2;

/** Words of ASCII letters as ranges: start and end of word `i` at `2 * i` and `2 * i + 1`. */
interface Words {
  readonly ranges: Int32Array;
  readonly count: number;
}

/** A reading with its scrambled passages turned. */
interface Unscrambled {
  /** Unit for unit as long as the input, and the input itself where nothing was turned. */
  readonly reading: Reading;
  /** The ranges that were turned, ascending. */
  readonly turned: readonly Span[];
}

/**
 * Rewrites passages of ASCII letters that are rot13 or reversed; other text stays as it is. Looks within the ranges, which ascend, are
 * apart and part no word. Linear in their length. With a scratch, see there how long the reading lasts.
 */
export function unscramble(
  input: Reading,
  statistics: LetterStatistics,
  ranges: readonly Span[],
  scratch?: ScratchBuffers,
): Unscrambled {
  let output: ReadingBuilder | undefined;
  let copied = 0;
  const turned: Span[] = [];
  for (const range of ranges) {
    const words = asciiWords(input, range);
    const ways = likeliestWays(input, words, statistics);
    if (ways.every((way) => way === PLAIN)) continue;
    output ??= new ReadingBuilder(input.length, scratch);
    output.copyRange(input, copied, range.start);
    for (const piece of rewrite(input, output, { words, ways, range })) turned.push(piece);
    copied = range.end;
  }
  if (output === undefined) return { reading: input, turned };
  output.copyRange(input, copied, input.length);
  return { reading: output.build(), turned };
}

function letterAt(input: Reading, index: number): number {
  const code = (input.codes[index] ?? 0) - 0x60;
  return index < input.length && code >= 1 && code <= 26 ? code : 0;
}

function asciiWords({ codes }: Reading, { start, end }: Span): Words {
  const ranges = new Int32Array(end - start + 3);
  let count = 0;
  let before = 0;
  for (let index = start; index < end; index += 1) {
    const letter = (codes[index] ?? 0) - 0x61;
    const isLetter = letter >= 0 && letter < 26 ? 1 : 0;
    // Starts and ends of words alternate; a slot is overwritten until its boundary is found.
    ranges[count] = index;
    count += isLetter ^ before;
    before = isLetter;
  }
  ranges[count] = end;
  return { ranges, count: (count + before) >> 1 };
}

/** Place in the alphabet to the place of its rot13 partner; the edge of a word stays. */
const partners = Uint8Array.from({ length: alphabetSide }, (_, letter) =>
  letter === 0 ? 0 : ((letter + 12) % 26) + 1,
);

/** Scores the word `[start, end)` of ASCII letters in each of the ways to read it. */
function scoreWord(input: Uint16Array, start: number, end: number, { order, scores }: Scoring): void {
  let [plain, turned, reversed] = [0, 0, 0];
  let [plainLetters, turnedLetters, reversedLetters] = [0, 0, 0];
  for (let at = start, back = end - 1; at <= end; at += 1, back -= 1) {
    const ahead = at === end ? 0 : (input[at] ?? 0) - 0x60;
    const behind = at === end ? 0 : (input[back] ?? 0) - 0x60;
    plainLetters = ((plainLetters << letterBits) | ahead) & orderMask;
    turnedLetters = ((turnedLetters << letterBits) | (partners[ahead] ?? 0)) & orderMask;
    reversedLetters = ((reversedLetters << letterBits) | behind) & orderMask;
    plain += order[plainLetters] ?? 0;
    turned += order[turnedLetters] ?? 0;
    reversed += order[reversedLetters] ?? 0;
  }
  scores[PLAIN] = plain;
  scores[ROT13] = turned;
  scores[REVERSED] = reversed;
}

/** The statistics of letters, and memory for the score of one word in each way. */
interface Scoring {
  readonly order: Int8Array;
  readonly scores: Int32Array;
}

/** Viterbi over words: the way of reading each that explains the letters best, changing rarely. */
function likeliestWays(input: Reading, { ranges, count }: Words, statistics: LetterStatistics): Uint8Array {
  const scoring: Scoring = { order: inOrder(statistics), scores: new Int32Array(WAY_COUNT) };
  const best = Int32Array.of(0, -switchCost, -switchCost);
  const cameFrom = new Uint8Array(count * WAY_COUNT);
  for (let number = 0; number < count; number += 1) {
    scoreWord(input.codes, ranges[number * 2] ?? 0, ranges[number * 2 + 1] ?? 0, scoring);
    const leader = leaderOf(best);
    const change = (best[leader] ?? 0) - switchCost;
    for (let way = 0; way < WAY_COUNT; way += 1) {
      const stay = best[way] ?? 0;
      cameFrom[number * WAY_COUNT + way] = stay >= change ? way : leader;
      best[way] = Math.max(stay, change) + (scoring.scores[way] ?? 0);
    }
  }
  const ways = new Uint8Array(count);
  let way = leaderOf(best);
  for (let number = count - 1; number >= 0; number -= 1) {
    ways[number] = way;
    way = cameFrom[number * WAY_COUNT + way] ?? 0;
  }
  return ways;
}

function leaderOf(scores: Int32Array): number {
  let leader = 0;
  for (let way = 1; way < scores.length; way += 1) {
    if ((scores[way] ?? 0) > (scores[leader] ?? 0)) leader = way;
  }
  return leader;
}

/** Words of a range, and the way to read each. */
interface Judged {
  readonly words: Words;
  readonly ways: Uint8Array;
  readonly range: Span;
}

/** Writes a range with its words read in their ways; gives the ranges that were turned. */
function rewrite(input: Reading, output: ReadingBuilder, { words, ways, range }: Judged): readonly Span[] {
  const turned: Span[] = [];
  let copied = range.start;
  let number = 0;
  while (number < words.count) {
    const way = ways[number] ?? 0;
    let last = number;
    while (last + 1 < words.count && ways[last + 1] === way) last += 1;
    const start = words.ranges[number * 2] ?? 0;
    const end = words.ranges[last * 2 + 1] ?? start;
    output.copyRange(input, copied, start);
    if (way === PLAIN) output.copyRange(input, start, end);
    else turned.push({ start, end });
    const units = way === PLAIN ? 0 : end - start;
    for (let step = 0; step < units; step += 1) {
      const at = way === REVERSED ? end - 1 - step : start + step;
      const letter = letterAt(input, at);
      output.copy(input, at, way === ROT13 && letter > 0 ? ((letter + 12) % 26) + 0x61 : (input.codes[at] ?? 0));
    }
    copied = end;
    number = last + 1;
  }
  output.copyRange(input, copied, range.end);
  return turned;
}
