import { latinPlaceOf } from "./char-class.ts";
import { inOrder, letterBits, type LetterStatistics, orderMask } from "./letter-statistics.ts";
import { type Reading, ReadingBuilder } from "./reading.ts";
import type { ScratchBuffers } from "./scratch-buffers.ts";

const alphabet = 26;
/** Letters that are looked at: enough to tell languages from ciphers. */
const sampleMax = 256;
const lettersMin = 20;
/** Gain in likelihood, in 1/16 nats a letter, from which on letters are turned. */
const gainMin = 20;
/** Ways to turn a letter, by its place in the alphabet: none, the shifts by 1 to 25, and the alphabet backwards. */
const ways: readonly Uint8Array[] = [
  ...Array.from({ length: alphabet }, (_, shift) => wayOf((letter) => ((letter + shift - 1) % alphabet) + 1)),
  wayOf((letter) => alphabet + 1 - letter),
];

function wayOf(turn: (letter: number) => number): Uint8Array {
  return Uint8Array.from({ length: alphabet + 1 }, (_, letter) => (letter === 0 ? 0 : turn(letter)));
}

const sample = new Uint8Array(sampleMax);

/**
 * Turns a text whose Latin letters are shifted along the alphabet, or mirrored in it, back. Other texts stay. Linear. With a scratch,
 * see there how long the reading lasts.
 */
export function undoShift(input: Reading, statistics: LetterStatistics, scratch?: ScratchBuffers): Reading {
  const order = inOrder(statistics);
  const length = Math.min(input.length, sampleMax);
  let count = 0;
  for (let index = 0; index < length; index += 1) {
    const letter = latinPlaceOf(input.codes[index] ?? 0);
    sample[index] = letter;
    count += letter === 0 ? 0 : 1;
  }
  const [plain] = ways;
  if (count < lettersMin || plain === undefined) return input;
  let best = plain;
  // The first way is to leave the letters.
  let most = likelihood(sample.subarray(0, length), order, plain) / count + gainMin;
  for (const way of ways) {
    const score = likelihood(sample.subarray(0, length), order, way) / count;
    if (score > most) [best, most] = [way, score];
  }
  if (best === plain) return input;
  const output = new ReadingBuilder(input.length, scratch);
  for (let index = 0; index < input.length; index += 1) {
    const letter = latinPlaceOf(input.codes[index] ?? 0);
    output.copy(input, index, letter === 0 ? (input.codes[index] ?? 0) : 0x60 + (best[letter] ?? 0));
  }
  return output.build();
}

/** Log-probability of letters in 1/16 nats when they are turned. */
function likelihood(places: Uint8Array, order: Int8Array, way: Uint8Array): number {
  let letters = 0;
  let sum = 0;
  for (let index = 0; index < places.length; index += 1) {
    letters = ((letters << letterBits) | (way[places[index] ?? 0] ?? 0)) & orderMask;
    sum += order[letters] ?? 0;
  }
  return sum;
}
