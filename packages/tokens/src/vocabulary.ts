import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { hasCode } from "@gatehouse/errors";

/**
 * The byte sequences of an encoding's tokens, in typed arrays: the library's own tables of strings take 70 MB in each thread, these 5.
 * A token's number is its rank, by which the BPE prefers it.
 *
 * A file of it, numbers of 32 bits little-endian: the count of tokens, the slots of the hash table, the start of each token's bytes
 * and the end of the last, the table, the bytes. A slot of the table is 0, or has the number + 1 in its low bits and bits of the hash in
 * the others, so that most of what is no token is known without a look at the bytes; open addressing.
 */
export interface Vocabulary {
  readonly bytes: Uint8Array;
  /** Beginnings of tokens: n is `bytes` from `starts[n]` to `starts[n + 1]`. */
  readonly starts: Uint32Array;
  readonly table: Uint32Array;
}

const headerNumbers = 2;
const bytesPerNumber = 4;
/** Slots of the table for each token, at least: most questions are about what is no token, and end at the first empty slot. */
const slotsPerToken = 2;

/** Bits of a slot for the number + 1. */
const numberBits = 18;
const numberMask = 2 ** numberBits - 1;

/** Reads a file that `pnpm generate` has written. @throws Error that names the file where it has not. */
export function readVocabulary(name: "o200k_base" | "cl100k_base"): Vocabulary {
  const { buffer, byteOffset } = readGenerated(fileURLToPath(new URL(`../gen/${name}.bin`, import.meta.url)));
  if (byteOffset !== 0) throw new Error("A file of megabytes has a buffer that is its alone.");
  const [tokens = 0, slots = 0] = new Uint32Array(buffer, 0, headerNumbers);
  const startsAt = headerNumbers * bytesPerNumber;
  const tableAt = startsAt + (tokens + 1) * bytesPerNumber;
  const bytesAt = tableAt + slots * bytesPerNumber;
  return {
    starts: new Uint32Array(buffer, startsAt, tokens + 1),
    table: new Uint32Array(buffer, tableAt, slots),
    bytes: new Uint8Array(buffer, bytesAt),
  };
}

function readGenerated(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (err) {
    if (!hasCode(err, "ENOENT")) throw err;
    throw new Error(`${path} is missing. Run \`pnpm generate\`, which makes it.`, { cause: err });
  }
}

/**
 * The file of a vocabulary whose tokens' bytes are given in the order of their numbers.
 * @throws RangeError for more tokens than a slot can number
 */
export function encodeVocabulary(tokens: readonly Uint8Array[]): Uint8Array {
  if (tokens.length >= numberMask) throw new RangeError(`A vocabulary has fewer than ${numberMask} tokens.`);
  const bytes = Buffer.concat(tokens);
  const starts = new Uint32Array(tokens.length + 1);
  tokens.forEach((token, number) => (starts[number + 1] = (starts[number] ?? 0) + token.length));
  const table = new Uint32Array(2 ** Math.ceil(Math.log2(tokens.length * slotsPerToken)));
  tokens.forEach((token, number) => {
    const code = hash(token, 0, token.length);
    let slot = code & (table.length - 1);
    while (table[slot] !== 0) slot = (slot + 1) & (table.length - 1);
    table[slot] = (code & ~numberMask) | (number + 1);
  });
  const header = Uint32Array.of(tokens.length, table.length);
  return Buffer.concat([header, starts, table].map(({ buffer }) => new Uint8Array(buffer)).concat(bytes));
}

/** No token has this number. */
export const noToken = -1;

/** The number of the token whose bytes are `text` from `start` to `end`, or `noToken`. */
export function findToken({ bytes, starts, table }: Vocabulary, text: Uint8Array, start: number, end: number): number {
  const last = table.length - 1;
  const code = hash(text, start, end);
  for (let slot = code & last; ; slot = (slot + 1) & last) {
    const found = table[slot] ?? 0;
    if (found === 0) return noToken;
    if (((found ^ code) & ~numberMask) !== 0) continue;
    const number = (found & numberMask) - 1;
    const from = starts[number] ?? 0;
    if ((starts[number + 1] ?? 0) - from !== end - start) continue;
    let at = start;
    while (at < end && bytes[from + at - start] === text[at]) at += 1;
    if (at === end) return number;
  }
}

/** The bytes of a token; undefined for an unknown number. */
export function bytesOf({ bytes, starts }: Vocabulary, number: number): Uint8Array | undefined {
  const isToken = Number.isInteger(number) && number >= 0 && number < starts.length - 1;
  return isToken ? bytes.subarray(starts[number], starts[number + 1]) : undefined;
}

/** FNV-1a of 32 bits, its halves mixed since the table looks at the low ones. */
function hash(text: Uint8Array, start: number, end: number): number {
  let value = 0x81_1c_9d_c5;
  for (let at = start; at < end; at += 1) value = Math.imul(value ^ (text[at] ?? 0), 0x01_00_01_93);
  return value ^ (value >>> 15);
}
