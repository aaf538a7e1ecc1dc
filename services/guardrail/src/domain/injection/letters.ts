import { charClasses, LETTER, UNSPACED } from "../text/char-class.ts";
import type { Reading } from "../text/reading.ts";

/** The letters of a folded reading without anything between them, so that joined and spaced-out words look the same. */
export interface Letters {
  readonly codes: Uint16Array;
  /** Index of each letter in the folded reading. */
  readonly positions: Int32Array;
  /** Per letter: bit 1 = a word starts here, bit 2 = a word ends here. Unspaced scripts have both on every letter. */
  readonly edges: Uint8Array;
  readonly length: number;
}

export const WORD_START = 1;
export const WORD_END = 2;

/** Collects the letters of a folded reading. Linear. */
export function lettersOf(folded: Reading): Letters {
  const classes = charClasses();
  const { codes, length } = folded;
  const letters = new Uint16Array(length);
  const positions = new Int32Array(length);
  const edges = new Uint8Array(length);
  let count = 0;
  let inWord = false;
  for (let index = 0; index < length; index += 1) {
    const code = codes[index] ?? 0;
    const flags = classes[code] ?? 0;
    if ((flags & LETTER) === 0) {
      if (inWord) edges[count - 1] = (edges[count - 1] ?? 0) | WORD_END;
      inWord = false;
      continue;
    }
    letters[count] = code;
    positions[count] = index;
    if ((flags & UNSPACED) !== 0) {
      if (inWord) edges[count - 1] = (edges[count - 1] ?? 0) | WORD_END;
      edges[count] = WORD_START | WORD_END;
      inWord = false;
    } else {
      if (!inWord) edges[count] = WORD_START;
      inWord = true;
    }
    count += 1;
  }
  if (inWord) edges[count - 1] = (edges[count - 1] ?? 0) | WORD_END;
  return { codes: letters, positions, edges, length: count };
}
