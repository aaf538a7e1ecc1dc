import { endOfPiece } from "./pieces.ts";
import { findToken, noToken, type Vocabulary } from "./vocabulary.ts";

/** Most UTF-8 bytes of one UTF-16 unit. */
const bytesPerCharacterMax = 3;
const firstBeyondAscii = 0x80;
/** Rank of a pair that is not a token. */
const noRank = 0x7f_ff_ff_ff;

/**
 * Counts tokens of texts by byte pair encoding in o200k_base. Text that looks like a control token is text. Takes time quadratic
 * in a piece's length, which the caller bounds.
 */
export class BytePairs {
  readonly #vocabulary: Vocabulary;
  readonly #utf8 = new TextEncoder();
  /** Scratch, grown to the longest piece: its bytes, the starts of its parts, and the rank of each part joined with the next. */
  #bytes = new Uint8Array(0);
  #starts = new Uint32Array(0);
  #ranks = new Uint32Array(0);

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  count(text: string): number {
    let tokens = 0;
    for (let start = 0; start < text.length;) {
      const end = endOfPiece(text, start);
      tokens += this.#countPiece(text, start, end);
      start = end;
    }
    return tokens;
  }

  #countPiece(text: string, start: number, end: number): number {
    this.#reserve((end - start) * bytesPerCharacterMax);
    const length = this.#write(text, start, end);
    if (length === 1 || findToken(this.#vocabulary, this.#bytes, 0, length) !== noToken) return 1;
    return this.#merge(length);
  }

  /** Joins the pair of lowest rank until no pair is a token; returns the number of parts left. */
  #merge(length: number): number {
    const starts = this.#starts;
    const ranks = this.#ranks;
    for (let part = 0; part <= length; part += 1) starts[part] = part;
    let parts = length;
    for (let part = 0; part < parts; part += 1) ranks[part] = this.#rankOf(part, parts);
    for (;;) {
      let lowest = noRank;
      let at = 0;
      for (let part = 0; part < parts - 1; part += 1) {
        const rank = ranks[part] ?? noRank;
        if (rank < lowest) {
          lowest = rank;
          at = part;
        }
      }
      if (lowest === noRank) return parts;
      starts.copyWithin(at + 1, at + 2, parts + 1);
      ranks.copyWithin(at + 1, at + 2, parts);
      parts -= 1;
      ranks[at] = this.#rankOf(at, parts);
      if (at > 0) ranks[at - 1] = this.#rankOf(at - 1, parts);
    }
  }

  #rankOf(part: number, parts: number): number {
    if (part + 2 > parts) return noRank;
    const rank = findToken(this.#vocabulary, this.#bytes, this.#starts[part] ?? 0, this.#starts[part + 2] ?? 0);
    return rank === noToken ? noRank : rank;
  }

  #write(text: string, start: number, end: number): number {
    const bytes = this.#bytes;
    for (let at = start; at < end; at += 1) {
      const code = text.charCodeAt(at);
      if (code >= firstBeyondAscii) return this.#utf8.encodeInto(text.slice(start, end), bytes).written;
      bytes[at - start] = code;
    }
    return end - start;
  }

  #reserve(length: number): void {
    if (this.#bytes.length >= length) return;
    this.#bytes = new Uint8Array(2 * length);
    this.#starts = new Uint32Array(2 * length + 1);
    this.#ranks = new Uint32Array(2 * length + 1);
  }
}
