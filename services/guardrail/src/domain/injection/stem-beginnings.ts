import type { Letters } from "../text/letters.ts";

const prefixLetters = 4;
const mask = 0xffff;

/**
 * Filter on how stems begin: by their first four letters; short whole words by all their letters; other short stems, most
 * of them ideographs, by their first letter. May say yes to a word that begins no stem, never no to one that does.
 */
export class StemBeginnings {
  private readonly prefixes = new Uint8Array(mask + 1);
  private readonly shortWords = new Uint8Array(mask + 1);
  private readonly firstLetters = new Uint8Array(mask + 1);

  add(stem: Uint16Array, isWholeWord: boolean): void {
    if (stem.length >= prefixLetters) this.prefixes[placeOf(stem, 0, prefixLetters)] = 1;
    else if (isWholeWord) this.shortWords[placeOf(stem, 0, stem.length)] = 1;
    else this.firstLetters[stem[0] ?? 0] = 1;
  }

  /** Whether a stem may begin at letter `start`. */
  mayBegin({ codes, starts, length }: Letters, start: number): boolean {
    if (start + prefixLetters <= length && this.prefixes[placeOf(codes, start, prefixLetters)] === 1) return true;
    if (this.firstLetters[codes[start] ?? 0] === 1) return true;
    for (let letters = 1; letters < prefixLetters && start + letters <= length; letters += 1) {
      if (starts[start + letters] === 1 && this.shortWords[placeOf(codes, start, letters)] === 1) return true;
    }
    return false;
  }
}

function placeOf(codes: Uint16Array, start: number, letters: number): number {
  let hash = letters;
  for (let index = start; index < start + letters; index += 1)
    hash = Math.imul(hash ^ (codes[index] ?? 0), 0x85eb_ca6b);
  return (hash ^ (hash >>> 15)) & mask;
}
