import { decode } from "./decode.ts";
import { fold } from "./fold.ts";
import { normalize } from "./normalize.ts";
import { plainReading, type Reading } from "./reading.ts";
import type { LetterPairs } from "./scrambled.ts";

/** Deeper nesting than this stays encoded. Each level at least halves, so the work stays linear. */
const encodingDepthMax = 3;

/** One text, read for the detectors. All three map back to the text as sent. */
export interface Readings {
  readonly source: string;
  /** Normalised, still encoded: what credentials are looked for in. */
  readonly plain: Reading;
  /** Normalised and decoded, case kept: what personal data is looked for in. */
  readonly canonical: Reading;
  /** Canonical text in lower case with spelling tricks undone: what words and instructions are looked for in. */
  readonly folded: Reading;
}

/** Reads a text once for all detectors. Never throws, whatever the text; linear in its length. */
export function readText(source: string, pairs?: LetterPairs): Readings {
  const { plain, canonical } = readCanonical(source);
  return { source, plain, canonical, folded: fold(canonical, pairs) };
}

/** The readings that personal data and credentials need, without the folded one. */
export function readCanonical(source: string): { plain: Reading; canonical: Reading } {
  const plain = normalize(plainReading(source));
  let canonical = plain;
  for (let depth = 0; depth < encodingDepthMax; depth += 1) {
    const decoded = decode(canonical);
    if (decoded === canonical) break;
    canonical = normalize(decoded);
  }
  return { plain, canonical };
}
