import { charClasses, LETTER, WORD } from "./char-class.ts";
import { looseLatinOf, strictLatinOf } from "./look-alikes.ts";
import type { Reading } from "./reading.ts";
import { nextMarked } from "./runs.ts";

/**
 * Rewrites look-alike letters to Latin in words that mix Latin with another alphabet and in words of nothing but
 * look-alikes. A word with one letter that has no Latin twin is left alone: it is a real word of its alphabet. Returns the same
 * reading when there is nothing to do.
 */
export function replaceLookAlikes(reading: Reading): Reading {
  const { length, starts, ends } = reading;
  let codes: Uint16Array | undefined;
  let done = 0;
  for (let index = nextForeign(reading, 0); index < length; index = nextForeign(reading, done)) {
    const word = wordAround(reading, index, done);
    const table = tableFor(reading.codes, word);
    done = word.end;
    if (table === undefined) continue;
    codes ??= reading.codes.slice(0, length);
    for (let at = word.start; at < word.end; at += 1) codes[at] = table.get(codes[at] ?? 0) ?? codes[at] ?? 0;
  }
  return codes === undefined ? reading : { codes, length, starts, ends };
}

/** A range of units. */
interface Word {
  readonly start: number;
  readonly end: number;
}

let foreign: Uint8Array | undefined;

/** Index of the next unit of a word that is not ASCII. */
function nextForeign({ codes, length }: Reading, from: number): number {
  foreign ??= charClasses().map((flags, code) => (code >= 0x80 && (flags & WORD) !== 0 ? 1 : 0));
  return nextMarked(codes, { from, length }, foreign);
}

/** The word around a unit, which begins at `floor` or later. */
function wordAround({ codes, length }: Reading, index: number, floor: number): Word {
  const classes = charClasses();
  let start = index;
  while (start > floor && ((classes[codes[start - 1] ?? 0] ?? 0) & WORD) !== 0) start -= 1;
  let end = index + 1;
  while (end < length && ((classes[codes[end] ?? 0] ?? 0) & WORD) !== 0) end += 1;
  return { start, end };
}

const LOOSE = 1;
const STRICT = 2;
let twins: Uint8Array | undefined;

/** Per code unit whether it is in the loose and the strict table. */
function twinKinds(): Uint8Array {
  if (twins !== undefined) return twins;
  twins = new Uint8Array(0x1_0000);
  for (const code of looseLatinOf().keys()) twins[code] = (twins[code] ?? 0) | LOOSE;
  for (const code of strictLatinOf().keys()) twins[code] = (twins[code] ?? 0) | STRICT;
  return twins;
}

function tableFor(codes: Uint16Array, { start, end }: Word): ReadonlyMap<number, number> | undefined {
  const classes = charClasses();
  const kinds = twinKinds();
  let latin = false;
  let letters = 0;
  let every = LOOSE | STRICT;
  for (let index = start; index < end; index += 1) {
    const code = codes[index] ?? 0;
    if (((classes[code] ?? 0) & LETTER) === 0) continue;
    if (code < 0x250 && code !== 0x131) latin = true;
    else {
      letters += 1;
      every &= kinds[code] ?? 0;
      if (every === 0) return undefined;
    }
  }
  if (letters === 0) return undefined;
  if (latin) return (every & LOOSE) === 0 ? undefined : looseLatinOf();
  return letters > 1 && (every & STRICT) !== 0 ? strictLatinOf() : undefined;
}
