import { charClasses, LETTER, UNSPACED } from "./char-class.ts";
import type { Reading } from "./reading.ts";
import type { ScratchBuffers } from "./scratch-buffers.ts";

/**
 * First units of the pairs of pictographs (U+1F000 to U+1FFFF), without the last two bits. Halves of pairs count as letters, for some
 * letters are pairs; pictographs are not letters, and words stand apart on either side of one.
 */
const pictographs = 0xd83c >> 2;

/** Kinds of a unit, as bits. A word starts at and behind each letter that is apart, those of unspaced scripts. */
const IS_LETTER = 1;
const IS_APART = 2;
/** First unit of a pictograph, whose second one is no letter either. */
const HIDES_NEXT = 4;

let kinds: Uint8Array | undefined;

/** By unit. One table, since what a unit is decides what it and its neighbours are. */
function letterKinds(): Uint8Array {
  kinds ??= charClasses().map((flags, code) => {
    if (code >> 2 === pictographs) return HIDES_NEXT;
    return ((flags & LETTER) === 0 ? 0 : IS_LETTER) | ((flags & UNSPACED) === 0 ? 0 : IS_APART);
  });
  return kinds;
}

/** The letters of a folded reading without anything between them, so that joined and spaced-out words look the same. */
export interface Letters {
  readonly codes: Uint16Array;
  /** Index of each letter in the folded reading. */
  readonly positions: Int32Array;
  /** Per letter: 1 when a word starts there, as one does after the last letter. In unspaced scripts every letter does. */
  readonly starts: Uint8Array;
  /** Letter at which each word starts; only the first `wordCount` count. */
  readonly wordStarts: Int32Array;
  readonly wordCount: number;
  readonly length: number;
}

/**
 * Collects the letters and words of a folded reading. Linear. The loop has no branches on purpose: where words end is
 * unpredictable, and a wrong guess costs the processor more than all the work here.
 */
export function lettersOf(folded: Reading, scratch?: ScratchBuffers): Letters {
  const unitKinds = letterKinds();
  const { codes, length } = folded;
  const letters = scratch?.unitsOf("letters", length + 1) ?? new Uint16Array(length + 1);
  const positions = scratch?.numbersOf("positions", length + 1) ?? new Int32Array(length + 1);
  const starts = scratch?.bytesOf("starts", length + 1) ?? new Uint8Array(length + 1);
  const wordStarts = scratch?.numbersOf("wordStarts", length + 1) ?? new Int32Array(length + 1);
  let count = 0;
  let words = 0;
  let before = 0;
  for (let index = 0; index < length; index += 1) {
    const code = codes[index] ?? 0;
    const kind = (unitKinds[code] ?? 0) & (((before >> 2) - 1) | HIDES_NEXT);
    const isLetter = kind & IS_LETTER;
    // A word starts at a letter after something else, and at and after every letter that is apart.
    const isStart = isLetter & (~before | ((kind | before) >> 1));
    letters[count] = code;
    positions[count] = index;
    wordStarts[words] = count;
    starts[count] = isStart;
    count += isLetter;
    words += isStart;
    before = kind;
  }
  starts[count] = 1;
  return { codes: letters, positions, starts, wordStarts, wordCount: words, length: count };
}
