import { type Reading, ReadingBuilder } from "./reading.ts";
import { inOrder, letterBits, type LetterStatistics, orderMask } from "./scrambled.ts";

const alphabet = 26;
/** Letters that are looked at: enough to tell languages from ciphers. */
const sampleMax = 256;
const lettersMin = 20;
/** How much likelier, in 1/16 nats a letter, the letters must become before they are turned. */
const gainMin = 20;
/** Ways to turn a letter: the shifts by 1 to 25, and the alphabet backwards. */
const ways: readonly ((letter: number) => number)[] = [
  ...Array.from({ length: alphabet - 1 }, (_, shift) => (letter: number) => ((letter + shift) % alphabet) + 1),
  (letter: number) => alphabet + 1 - letter,
];

/** Turns a text whose Latin letters are shifted along the alphabet, or mirrored in it, back. Other texts stay. Linear. */
export function undoShift(input: Reading, statistics: LetterStatistics): Reading {
  const order = inOrder(statistics);
  const plain = likelihood(input, order, (letter) => letter);
  if (plain === undefined) return input;
  let best: ((letter: number) => number) | undefined;
  let most = plain + gainMin;
  for (const way of ways) {
    const score = likelihood(input, order, way) ?? Number.NEGATIVE_INFINITY;
    if (score > most) [best, most] = [way, score];
  }
  if (best === undefined) return input;
  const output = new ReadingBuilder(input.length);
  for (let index = 0; index < input.length; index += 1) {
    const letter = letterOf(input.codes[index] ?? 0);
    output.copy(input, index, letter === 0 ? (input.codes[index] ?? 0) : 0x60 + best(letter));
  }
  return output.build();
}

/** Mean log-probability of a letter in 1/16 nats when the letters are turned; undefined where there are too few. */
function likelihood(input: Reading, order: Int8Array, turn: (letter: number) => number): number | undefined {
  let [letters, sum, count] = [0, 0, 0];
  const length = Math.min(input.length, sampleMax);
  for (let index = 0; index < length; index += 1) {
    const letter = letterOf(input.codes[index] ?? 0);
    letters = ((letters << letterBits) | (letter === 0 ? 0 : turn(letter))) & orderMask;
    sum += order[letters] ?? 0;
    count += letter === 0 ? 0 : 1;
  }
  return count < lettersMin ? undefined : sum / count;
}

/** Place in the Latin alphabet from one, or zero. */
function letterOf(code: number): number {
  return code >= 0x61 && code <= 0x7a ? code - 0x60 : 0;
}
