import { charClasses, LETTER, WORD } from "./char-class.ts";
import { looseLatinOf, strictLatinOf } from "./look-alikes.ts";
import type { Reading } from "./reading.ts";

/**
 * Rewrites look-alike letters to Latin, in place, in words that mix Latin with another alphabet and in words of nothing
 * but look-alikes. A word with one letter that has no Latin twin is left alone: it is a real word of its alphabet.
 */
export function replaceLookAlikes(reading: Reading): void {
  const classes = charClasses();
  const { codes, length } = reading;
  let index = 0;
  while (index < length) {
    if (((classes[codes[index] ?? 0] ?? 0) & WORD) === 0) {
      index += 1;
      continue;
    }
    const start = index;
    let foreign = false;
    while (index < length && ((classes[codes[index] ?? 0] ?? 0) & WORD) !== 0) {
      foreign ||= (codes[index] ?? 0) >= 0x80;
      index += 1;
    }
    if (foreign) replaceInWord(codes, start, index);
  }
}

function replaceInWord(codes: Uint16Array, start: number, end: number): void {
  const table = tableFor(codes, start, end);
  if (table === undefined) return;
  for (let index = start; index < end; index += 1) {
    codes[index] = table.get(codes[index] ?? 0) ?? codes[index] ?? 0;
  }
}

function tableFor(codes: Uint16Array, start: number, end: number): ReadonlyMap<number, number> | undefined {
  const classes = charClasses();
  let latin = false;
  let loose = 0;
  let strict = 0;
  let letters = 0;
  for (let index = start; index < end; index += 1) {
    const code = codes[index] ?? 0;
    if (((classes[code] ?? 0) & LETTER) === 0) continue;
    if (code < 0x250 && code !== 0x131) latin = true;
    else {
      letters += 1;
      if (looseLatinOf().has(code)) loose += 1;
      if (strictLatinOf().has(code)) strict += 1;
    }
  }
  if (letters === 0) return undefined;
  if (latin) return loose === letters ? looseLatinOf() : undefined;
  return letters > 1 && strict === letters ? strictLatinOf() : undefined;
}
