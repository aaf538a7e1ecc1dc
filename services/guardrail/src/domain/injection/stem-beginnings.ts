import type { Letters } from "../text/letters.ts";

const prefixLetters = 4;
/** Small enough for the processor's nearest memory. */
const mask = 0x3fff;
/** A stem begins so, whatever follows. */
const STEM = 1;
/** A short stem is a whole word: a word must end here. */
const WHOLE = 2;

/**
 * Filter on how stems begin: long ones by their first four letters, short ones by all of theirs. May say yes to a word that
 * begins no stem, never no to one that does.
 */
export class StemBeginnings {
  private readonly singles = new Uint8Array(0x1_0000);
  private readonly pairs = new Uint8Array(mask + 1);
  private readonly triples = new Uint8Array(mask + 1);
  private readonly prefixes = new Uint8Array(mask + 1);

  add(stem: Uint16Array, isWholeWord: boolean): void {
    const [first = 0, second = 0, third = 0, fourth = 0] = stem;
    const flag = isWholeWord ? WHOLE : STEM;
    if (stem.length >= prefixLetters) mark(this.prefixes, hash(first, second) + hashMore(third, fourth), STEM);
    else if (stem.length === 3) mark(this.triples, hash(first, second) + hashMore(third, 0), flag);
    else if (stem.length === 2) mark(this.pairs, hash(first, second), flag);
    else this.singles[first] = (this.singles[first] ?? 0) | flag;
  }

  /**
   * Whether a stem may begin at letter `start`. Without branches, because what a word begins with is unpredictable and a
   * wrong guess costs the processor more than all four looks.
   */
  mayBegin({ codes, starts, length }: Letters, start: number): boolean {
    if (start + prefixLetters > length) return true;
    const first = codes[start] ?? 0;
    const third = codes[start + 2] ?? 0;
    const head = hash(first, codes[start + 1] ?? 0);
    const single = this.singles[first] ?? 0;
    const pair = this.pairs[placeOf(head)] ?? 0;
    const triple = this.triples[placeOf(head + hashMore(third, 0))] ?? 0;
    const prefix = this.prefixes[placeOf(head + hashMore(third, codes[start + 3] ?? 0))] ?? 0;
    const whole =
      ((single >> 1) & (starts[start + 1] ?? 0)) |
      ((pair >> 1) & (starts[start + 2] ?? 0)) |
      ((triple >> 1) & (starts[start + 3] ?? 0));
    return (((single | pair | triple | prefix) & STEM) | whole) !== 0;
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

function placeOf(hashed: number): number {
  return (hashed ^ (hashed >>> 15) ^ (hashed >>> 7)) & mask;
}
