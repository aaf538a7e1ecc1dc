import type { Random } from "./random.ts";

/** Longest tried input. Growth with size is tested separately, by pumping. */
export const inputBytesMax = 16 * 1024;

/** Texts that commonly break parsers of text, JSON, streams and URLs. */
const commonWords = [
  ..."{ } [ ] , : \" \\ / ' & = ? # % @ ; . - _ + * | < > ( ) $".split(" "),
  " ",
  "\t",
  "\r\n",
  "\n\n",
  "null",
  "true",
  "1e309",
  "-0",
  "12345678901234567890",
  '"__proto__":',
  "\\u0000",
  "\\ud800",
  "\uFEFF",
  "\uFDFA",
  "\u0301",
  "data: ",
  "event: ",
  "id: ",
  "http://",
  "//",
  "../",
  "%2e",
  "%00",
  "::1",
  "127.0.0.1",
  "{{",
  "}}",
  "${",
].map((word) => Buffer.from(word));

type Mutation = (input: Buffer, context: MutationContext) => Buffer;

interface MutationContext {
  readonly random: Random;
  readonly words: readonly Buffer[];
  readonly corpus: readonly Buffer[];
}

/** Mutates inputs by a few random changes each. */
export class Mutator {
  readonly #random: Random;
  readonly #words: readonly Buffer[];

  constructor(random: Random, words: readonly string[]) {
    this.#random = random;
    this.#words = [...commonWords, ...words.map((word) => Buffer.from(word))];
  }

  /** @param corpus must not be empty */
  mutate(corpus: readonly Buffer[]): Buffer {
    const context = { random: this.#random, words: this.#words, corpus };
    let input = this.#random.pick(corpus);
    const changes = 1 + this.#random.below(4);
    for (let change = 0; change < changes; change += 1) input = this.#random.pick(mutations)(input, context);
    return input.subarray(0, inputBytesMax);
  }
}

const mutations: readonly Mutation[] = [
  function flipBit(input, { random }) {
    const changed = Buffer.from(input);
    if (changed.length > 0) {
      const at = random.below(changed.length);
      changed[at] = (changed[at] ?? 0) ^ (1 << random.below(8));
    }
    return changed;
  },
  function setByte(input, { random }) {
    const changed = Buffer.from(input);
    if (changed.length > 0) changed[random.below(changed.length)] = random.below(256);
    return changed;
  },
  function insertWord(input, { random, words }) {
    return spliced(input, random.below(input.length + 1), { remove: 0, insert: random.pick(words) });
  },
  function overwriteByWord(input, { random, words }) {
    const word = random.pick(words);
    return spliced(input, random.below(input.length + 1), { remove: word.length, insert: word });
  },
  function removePiece(input, { random }) {
    const { start, length } = pieceOf(input, random);
    return spliced(input, start, { remove: length, insert: Buffer.alloc(0) });
  },
  function repeatPiece(input, { random }) {
    const { start, length } = pieceOf(input, random);
    const piece = input.subarray(start, start + length);
    const times = random.pick([1, 1, 2, 8, 64, 512]);
    return spliced(input, start, {
      remove: 0,
      insert: repeated(piece, Math.min(times, Math.ceil(inputBytesMax / (length + 1)))),
    });
  },
  function movePiece(input, { random }) {
    const { start, length } = pieceOf(input, random);
    const piece = input.subarray(start, start + length);
    const rest = spliced(input, start, { remove: length, insert: Buffer.alloc(0) });
    return spliced(rest, random.below(rest.length + 1), { remove: 0, insert: piece });
  },
  function crossOver(input, { random, corpus }) {
    const other = random.pick(corpus);
    return Buffer.concat([
      input.subarray(0, random.below(input.length + 1)),
      other.subarray(random.below(other.length + 1)),
    ]);
  },
  function insertPieceOfOther(input, { random, corpus }) {
    const other = random.pick(corpus);
    const { start, length } = pieceOf(other, random);
    return spliced(input, random.below(input.length + 1), { remove: 0, insert: other.subarray(start, start + length) });
  },
];

function pieceOf(input: Buffer, random: Random): { readonly start: number; readonly length: number } {
  const start = random.below(input.length + 1);
  return { start, length: Math.min(input.length - start, 1 + random.below(random.pick([2, 8, 64, 1_024]))) };
}

function spliced(input: Buffer, at: number, { remove, insert }: { remove: number; insert: Buffer }): Buffer {
  return Buffer.concat([input.subarray(0, at), insert, input.subarray(at + remove)]);
}

function repeated(piece: Buffer, times: number): Buffer {
  return Buffer.concat(Array.from({ length: times }, () => piece));
}

/** Repeats a piece of the input, which reveals work that grows faster than the input. */
export function pump(input: Buffer, random: Random): (bytes: number) => Buffer {
  const { start, length } = pieceOf(input, random);
  const piece = length === 0 ? Buffer.from("a") : input.subarray(start, start + length);
  const [before, after] = [input.subarray(0, start), input.subarray(start + length)];
  return (bytes) => Buffer.concat([before, repeated(piece, Math.ceil(bytes / piece.length)), after]);
}
