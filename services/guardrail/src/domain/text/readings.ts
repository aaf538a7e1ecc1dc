import { decodeNumberLists, mayHoldNumberList } from "./decode-numbers.ts";
import { decode } from "./decode.ts";
import { fold } from "./fold.ts";
import { type Letters, lettersOf } from "./letters.ts";
import { decodeMorse, mayHoldMorse } from "./morse.ts";
import { normalize } from "./normalize.ts";
import { plainReading, type Reading, type Span } from "./reading.ts";
import type { LetterStatistics } from "./scrambled.ts";
import type { ScratchBuffers } from "./scratch-buffers.ts";

/** Deeper nesting than this stays encoded. Each level at least halves, so the work stays linear. */
const encodingDepthMax = 3;

/**
 * Characters that keep ASCII text from being read as it stands: controls other than tab and line ends, and signs of escapes.
 */
// oxlint-disable-next-line no-control-regex -- controls are what it looks for
const needsReading = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f%&\\]/;

/** One text, read for the detectors. All three map back to the text as sent. */
export interface Readings {
  readonly source: string;
  /** Normalised, still encoded: what credentials are looked for in. */
  readonly plain: Reading;
  /** Normalised and decoded, case kept: what personal data is looked for in. */
  readonly canonical: Reading;
  /** Canonical text in lower case with spelling tricks undone: what words and instructions are looked for in. */
  readonly folded: Reading;
  /** The folded reading before passages were turned (rot13, reversed, shifted); the same object where none was. */
  readonly asWritten: Reading;
  /** Ranges of the latter in which they differ, ascending and apart; undefined where they may differ everywhere. */
  readonly turned: readonly Span[] | undefined;
  /** The letters and words of the folded reading. */
  readonly letters: Letters;
}

/** Reads a text once for all detectors. Never throws, whatever the text; linear. With a scratch, see there how long it lasts. */
export function readText(source: string, statistics?: LetterStatistics, scratch?: ScratchBuffers): Readings {
  const { plain, canonical } = readCanonical(source, scratch);
  const read = fold(canonical, statistics, scratch);
  return { source, plain, canonical, ...read, letters: lettersOf(read.folded, scratch) };
}

/** The readings that personal data and credentials need, without the folded one. With a scratch, see there how long they last. */
export function readCanonical(source: string, scratch?: ScratchBuffers): { plain: Reading; canonical: Reading } {
  scratch?.startText();
  const sent = plainReading(source, scratch);
  const isPlain = isPlainAscii(source);
  const plain = isPlain ? sent : normalize(sent, scratch);
  const counted = mayHoldNumberList(source) ? decodeNumberLists(plain) : plain;
  const spoken = mayHoldMorse(source) ? decodeMorse(counted) : counted;
  return { plain, canonical: decodeAll(decode(spoken, !isPlain, scratch), plain, scratch) };
}

/** Decodes what decoding brought to light, down to a depth. */
function decodeAll(first: Reading, plain: Reading, scratch?: ScratchBuffers): Reading {
  if (first === plain) return plain;
  let canonical = normalize(first, scratch);
  for (let depth = 1; depth < encodingDepthMax; depth += 1) {
    const decoded = decode(canonical, true, scratch);
    if (decoded === canonical) break;
    canonical = normalize(decoded, scratch);
  }
  return canonical;
}

/** Nothing to normalise and no escapes: ASCII without controls. Both looks are native and far faster than a loop. */
function isPlainAscii(source: string): boolean {
  return Buffer.byteLength(source, "utf8") === source.length && !needsReading.test(source);
}
