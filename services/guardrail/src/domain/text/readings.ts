import { decodeNumberLists } from "./decode-numbers.ts";
import { decode } from "./decode.ts";
import { mayHoldExponent, writeExponentsOut } from "./exponents.ts";
import { fold, type Folded } from "./fold.ts";
import { type PieceOfJson, readJsonEscapes } from "./json-escapes.ts";
import type { LetterStatistics } from "./letter-statistics.ts";
import { type Letters, lettersOf } from "./letters.ts";
import { type LongRows, longRowsOf } from "./long-rows.ts";
import { decodeMorse } from "./morse.ts";
import { normalize } from "./normalize.ts";
import { plainReading, type Reading, type Span } from "./reading.ts";
import { repairWords } from "./repair-words.ts";
import type { ScratchBuffers } from "./scratch-buffers.ts";
import { turnPassages } from "./turn-passages.ts";

/** Deeper nesting than this stays encoded. Each level at least halves, so the work stays linear. */
const encodingDepthMax = 3;

/**
 * By unit: 1 for what keeps a text from being read as it stands. That is all but printable ASCII, tabs and line ends, and signs of
 * escapes.
 */
const needsReading = new Uint8Array(0x1_0000).fill(1).fill(0, 0x20, 0x7f);
for (const char of "\t\n\r") needsReading[char.charCodeAt(0)] = 0;
for (const char of "%&\\") needsReading[char.charCodeAt(0)] = 1;

/** One text, read for the detectors. All three map back to the text as sent. */
export interface Readings {
  readonly source: string;
  /** Normalised, escaped blanks of JSON read, still encoded: what credentials are looked for in. */
  readonly plain: Reading;
  /** Normalised and decoded, case kept: what personal data is looked for in. */
  readonly canonical: Reading;
  /** Long rows of characters in both, where they are the same reading. */
  readonly rows: LongRows | undefined;
  /** Canonical text in lower case with spelling tricks undone: what words and instructions are looked for in. */
  readonly folded: Reading;
  /** The folded reading before passages were turned (rot13, reversed, shifted); the same object where none was. */
  readonly asWritten: Reading;
  /** Ranges of the latter in which they differ, ascending and apart; undefined where they may differ everywhere. */
  readonly turned: readonly Span[] | undefined;
  /** Whether the folded reading has half of a pictograph. */
  readonly hasPictographs: boolean;
  /** The letters and words of the folded reading. */
  readonly letters: Letters;
  /** The folded reading with misspelt words repaired, in which injection is looked for; the same object where none was. */
  readonly repaired: Reading;
  /** The letters and words of that. */
  readonly repairedLetters: Letters;
}

/**
 * Reads a text once for all detectors; folds it when a detector first asks for that. Never throws, whatever the text; linear. With a
 * scratch, see there how long it lasts; `piece` is given for a piece of a stream.
 */
export function readText(
  source: string,
  statistics?: LetterStatistics,
  scratch?: ScratchBuffers,
  piece?: PieceOfJson,
): Readings {
  return new ReadText(source, readCanonical(source, scratch, piece), { statistics, scratch });
}

interface FoldOptions {
  readonly statistics: LetterStatistics | undefined;
  readonly scratch: ScratchBuffers | undefined;
}

/** Repairs words as they were written first, since passages without vowels look turned; then turned ones. */
function repair({ folded, asWritten, odd }: Folded, { statistics, scratch }: FoldOptions): Reading {
  const repaired = repairWords(asWritten, odd, scratch);
  if (folded === asWritten || statistics === undefined) return repaired;
  // Turned passages are where they were but for letters that were repeated.
  if (repaired === asWritten) return repairWords(folded, odd, scratch);
  const whole = { start: 0, end: repaired.length };
  return turnPassages(repaired, { stretches: [whole], isUnusual: true }, statistics, scratch).folded;
}

/** Accessors of a class: those of an object would take longer to make than a short text takes to read. */
class ReadText implements Readings {
  readonly source: string;
  readonly plain: Reading;
  readonly canonical: Reading;
  readonly rows: LongRows | undefined;
  readonly #options: FoldOptions;
  #foldedOnce: Folded | undefined;
  #lettersOnce: Letters | undefined;
  #repairedOnce: Reading | undefined;

  constructor(source: string, { plain, canonical, rows }: CanonicalReadings, options: FoldOptions) {
    this.source = source;
    this.plain = plain;
    this.canonical = canonical;
    this.rows = rows;
    this.#options = options;
  }

  get folded(): Reading {
    return this.#fold.folded;
  }

  get asWritten(): Reading {
    return this.#fold.asWritten;
  }

  get turned(): readonly Span[] | undefined {
    return this.#fold.turned;
  }

  get hasPictographs(): boolean {
    return this.#fold.hasPictographs;
  }

  get letters(): Letters {
    return (this.#lettersOnce ??= lettersOf(this.folded, this.#options.scratch));
  }

  get repaired(): Reading {
    return (this.#repairedOnce ??= repair(this.#fold, this.#options));
  }

  get repairedLetters(): Letters {
    return this.repaired === this.folded ? this.letters : lettersOf(this.repaired);
  }

  get #fold(): Folded {
    return (this.#foldedOnce ??= fold(this.canonical, this.#options.statistics, this.#options.scratch));
  }
}

type CanonicalReadings = Pick<Readings, "plain" | "canonical" | "rows">;

/** The readings that personal data and credentials need, without the folded one. With a scratch, see there how long they last. */
export function readCanonical(source: string, scratch?: ScratchBuffers, piece?: PieceOfJson): CanonicalReadings {
  scratch?.startText();
  const sent = plainReading(source, scratch);
  const isPlain = isPlainAscii(sent);
  const plain = isPlain ? sent : normalize(readJsonEscapes(sent, piece, scratch), scratch);
  const spoken = decodeMorse(decodeNumberLists(plain, source), source);
  const rows = spoken === plain ? longRowsOf(plain, scratch) : undefined;
  const decoded = decodeAll(decode(spoken, { mayHaveEscapes: !isPlain, rows }, scratch), plain, scratch);
  const canonical = mayHoldExponent(source) ? writeExponentsOut(decoded) : decoded;
  return { plain, canonical, rows: canonical === plain ? rows : undefined };
}

/** Decodes what decoding brought to light, down to a depth. */
function decodeAll(first: Reading, plain: Reading, scratch?: ScratchBuffers): Reading {
  if (first === plain) return plain;
  let canonical = normalize(first, scratch);
  for (let depth = 1; depth < encodingDepthMax; depth += 1) {
    const decoded = decode(canonical, {}, scratch);
    if (decoded === canonical) break;
    canonical = normalize(decoded, scratch);
  }
  return canonical;
}

/** Nothing to normalise and no escapes: ASCII without controls. */
function isPlainAscii({ codes, length }: Reading): boolean {
  for (let start = 0; start < length; start += lookLength) {
    const end = Math.min(length, start + lookLength);
    let needs = 0;
    for (let index = start; index < end; index += 1) needs |= needsReading[codes[index] ?? 0] ?? 0;
    if (needs !== 0) return false;
  }
  return true;
}

/** Units that are looked over together, since a branch for each costs as much as the look. */
const lookLength = 512;
