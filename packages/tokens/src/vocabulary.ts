import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { hasCode } from "@gatehouse/errors";

/**
 * Byte sequences of an encoding's tokens in typed arrays: the library's tables of strings take 70 MB in each thread, these 5. A
 * token's number is its rank, by which the BPE prefers it.
 *
 * File format, little-endian 32-bit numbers: the count of tokens, the slots of the hash table, the start of each token's bytes
 * and the end of the last, the table, the bytes. A slot is 0, or has the number + 1 in its low bits and bits of the hash in the
 * others, so that most texts that are not tokens are recognised without comparing bytes; open addressing.
 */
export interface Vocabulary {
  readonly bytes: Uint8Array;
  /** Starts of tokens: token n is `bytes` from `starts[n]` to `starts[n + 1]`. */
  readonly starts: Uint32Array;
  readonly table: Uint32Array;
}

const headerNumbers = 2;
const bytesPerNumber = 4;
/** Least table slots per token: most look-ups are of texts that are not tokens, and end at the first empty slot. */
const slotsPerToken = 2;

/** Bits of a slot for the number + 1. */
const numberBits = 18;
const numberMask = 2 ** numberBits - 1;

/** Reads a file written by `pnpm generate`. @throws Error that names the missing file. */
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

/** File of a vocabulary, from the tokens' bytes in the order of their numbers. @throws RangeError for more tokens than a slot can number */
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

/** Result of a look-up for bytes that are no token; less than every rank. */
export const noToken = -1;

/** Number of the token whose bytes are `text` from `start` to `end`, or `noToken`. */
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

/** Bytes of a token; undefined for an unknown number. */
export function bytesOf({ bytes, starts }: Vocabulary, number: number): Uint8Array | undefined {
  const isToken = Number.isInteger(number) && number >= 0 && number < starts.length - 1;
  return isToken ? bytes.subarray(starts[number], starts[number + 1]) : undefined;
}

/** FNV-1a of 32 bits; its halves are mixed, since the table uses the low bits. */
function hash(text: Uint8Array, start: number, end: number): number {
  let value = 0x81_1c_9d_c5;
  for (let at = start; at < end; at += 1) value = Math.imul(value ^ (text[at] ?? 0), 0x01_00_01_93);
  return value ^ (value >>> 15);
}
