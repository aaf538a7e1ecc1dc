import type { Letters } from "../text/letters.ts";

const prefixLetters = 4;
/** Stems of at least this many letters are known by these. */
const longLetters = 6;
/** Small enough for the processor's nearest memory. */
const mask = 0x3fff;
/** A stem begins so, whatever follows. */
const STEM = 1;
/** A short stem is a whole word: a word must end here. */
const WHOLE = 2;
/** A stem of four letters or more begins so. */
const longerBit = 4;
const LONGER = 1 << longerBit;

/** Latin letters take their last five bits; three of them are one place in a table. */
const latinFirst = 0x60;
const latinBits = 5;
const latinCount = 1 << latinBits;
/** Letters whose beginnings are known together: three. */
const headLetters = 3;

/**
 * Filter on how stems begin: long ones by their first six letters, short ones by all of theirs. May say yes to a word that
 * begins no stem, never no to one that does.
 */
export class StemBeginnings {
  private readonly singles = new Uint8Array(0x1_0000);
  private readonly pairs = new Uint8Array(mask + 1);
  private readonly triples = new Uint8Array(mask + 1);
  private readonly prefixes = new Uint8Array(mask + 1);
  private readonly longs = new Uint8Array(mask + 1);
  /**
   * By three Latin letters, so that one look settles most words: `STEM`, `LONGER`, and from `WHOLE` on a bit for each length
   * of whole words.
   */
  private readonly heads = new Uint8Array(1 << (headLetters * latinBits));

  add(stem: Uint16Array, isWholeWord: boolean): void {
    const [first = 0, second = 0, third = 0, fourth = 0, fifth = 0, sixth = 0] = stem;
    const flag = isWholeWord ? WHOLE : STEM;
    const head = hash(first, second) + hashMore(third, fourth);
    if (stem.length >= longLetters) {
      mark(this.prefixes, head, LONGER);
      mark(this.longs, head + hashLast(fifth, sixth), STEM);
    } else if (stem.length >= prefixLetters) mark(this.prefixes, head, STEM);
    else if (stem.length === 3) mark(this.triples, hash(first, second) + hashMore(third, 0), flag);
    else if (stem.length === 2) mark(this.pairs, hash(first, second), flag);
    else this.singles[first] = (this.singles[first] ?? 0) | flag;
    this.markHeads(stem, isWholeWord);
  }

  /**
   * 1 where a stem may begin at letter `start`, 0 where none does. Without branches, because what a word begins with is unpredictable
   * and a wrong guess costs the processor more than all looks.
   */
  mayBegin({ codes, starts, length }: Letters, start: number): number {
    if (start + longLetters > length) return 1;
    const first = codes[start] ?? 0;
    const second = codes[start + 1] ?? 0;
    const third = codes[start + 2] ?? 0;
    const head = hash(first, second);
    const long = this.mayBeginLong(codes, start, head);
    const ends = (starts[start + 1] ?? 0) | ((starts[start + 2] ?? 0) << 1) | ((starts[start + 3] ?? 0) << 2);
    const one = first ^ latinFirst;
    const two = second ^ latinFirst;
    const three = third ^ latinFirst;
    if ((one | two | three) < latinCount) {
      const flags = this.heads[(((one << latinBits) | two) << latinBits) | three] ?? 0;
      return (flags & STEM) | (-((flags >> 1) & ends) >>> 31) | ((flags >> longerBit) & long);
    }
    const single = this.singles[first] ?? 0;
    const pair = this.pairs[placeOf(head)] ?? 0;
    const triple = this.triples[placeOf(head + hashMore(third, 0))] ?? 0;
    const whole = ((single >> 1) & ends) | ((pair >> 1) & (ends >> 1)) | ((triple >> 1) & (ends >> 2));
    return ((single | pair | triple | whole) & STEM) | long;
  }

  /** Whether a stem of four letters or more may begin there: 0 or 1. */
  private mayBeginLong(codes: Uint16Array, start: number, firstTwo: number): number {
    const head = firstTwo + hashMore(codes[start + 2] ?? 0, codes[start + 3] ?? 0);
    const prefix = this.prefixes[placeOf(head)] ?? 0;
    const long = this.longs[placeOf(head + hashLast(codes[start + 4] ?? 0, codes[start + 5] ?? 0))] ?? 0;
    return (prefix & STEM) | ((prefix >> longerBit) & long);
  }

  private markHeads(stem: Uint16Array, isWholeWord: boolean): void {
    const head = Array.from(stem.subarray(0, headLetters), (code) => code ^ latinFirst);
    if (head.some((letter) => letter >= latinCount)) return;
    const flag = stem.length > headLetters ? LONGER : isWholeWord ? WHOLE << (stem.length - 1) : STEM;
    const missing = (headLetters - head.length) * latinBits;
    const from = head.reduce((place, letter) => (place << latinBits) | letter, 0) << missing;
    for (let place = from; place < from + (1 << missing); place += 1)
      this.heads[place] = (this.heads[place] ?? 0) | flag;
  }
}

function mark(table: Uint8Array, hashed: number, flag: number): void {
  const place = placeOf(hashed);
  table[place] = (table[place] ?? 0) | flag;
}

function hash(first: number, second: number): number {
  return Math.imul(first | (second << 16), 0x85eb_ca6b);
}

function hashMore(third: number, fourth: number): number {
  return Math.imul(third | (fourth << 16), 0x9e37_79b1);
}

function hashLast(fifth: number, sixth: number): number {
  return Math.imul(fifth | (sixth << 16), 0xc2b2_ae35);
}

function placeOf(hashed: number): number {
  return (hashed ^ (hashed >>> 15) ^ (hashed >>> 7)) & mask;
}
