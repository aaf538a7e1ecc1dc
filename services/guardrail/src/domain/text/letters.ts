import { charClasses, LETTER, UNSPACED } from "./char-class.ts";
import type { Reading } from "./reading.ts";
import type { ScratchBuffers } from "./scratch-buffers.ts";

/**
 * First units of the pairs of pictographs (U+1F000 to U+1FFFF), without the last two bits. Halves of pairs count as letters, for some
 * letters are pairs; pictographs are not letters, and words stand apart on either side of one.
 */
const pictographs = 0xd83c >> 2;

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
  const classes = charClasses();
  const { codes, length } = folded;
  const letters = scratch?.unitsOf("letters", length + 1) ?? new Uint16Array(length + 1);
  const positions = scratch?.numbersOf("positions", length + 1) ?? new Int32Array(length + 1);
  const starts = scratch?.bytesOf("starts", length + 1) ?? new Uint8Array(length + 1);
  const wordStarts = scratch?.numbersOf("wordStarts", length + 1) ?? new Int32Array(length + 1);
  let count = 0;
  let words = 0;
  let before = 0;
  let wasFirst = 0;
  for (let index = 0; index < length; index += 1) {
    const code = codes[index] ?? 0;
    const isFirst = Number(code >> 2 === pictographs);
    // All bits where the unit is no half of a pictograph, none where it is.
    const flags = (classes[code] ?? 0) & ((isFirst | wasFirst) - 1);
    const isLetter = flags & LETTER;
    // A word starts at a letter after something else, and at and after every letter of an unspaced script.
    const isApart = (1 - (before & LETTER)) | (((flags | before) & UNSPACED) >> 5);
    const isStart = isLetter & isApart;
    letters[count] = code;
    positions[count] = index;
    wordStarts[words] = count;
    starts[count] = isStart;
    count += isLetter;
    words += isStart;
    before = flags;
    wasFirst = isFirst;
  }
  starts[count] = 1;
  return { codes: letters, positions, starts, wordStarts, wordCount: words, length: count };
}
