import { type Reading, readingText } from "../text/reading.ts";
import { ibanLengths, isIban } from "./checksums.ts";
import type { PiiMatch } from "./entity.ts";
import { isAlphanumeric, isDash, isDigit, isGlued, withHyphens } from "./numbers.ts";

/** The IBAN that begins at a unit, with blanks, dots, dashes or line ends between its groups, or nothing. Bounded work. */
export function ibanAt(reading: Reading, start: number): PiiMatch | undefined {
  if (isGlued(reading, start - 1)) return undefined;
  const { codes } = reading;
  // Two letters and two digits: code before text, for most words are something else.
  if (!isDigit(codes[start + 2] ?? 0) || !isDigit(codes[start + 3] ?? 0)) return undefined;
  const wanted = ibanLengths[readingText(reading, start, start + 2).toUpperCase()];
  if (wanted === undefined) return undefined;
  let index = start;
  let found = 0;
  while (index < reading.length && found < wanted) {
    const code = codes[index] ?? 0;
    if (isAlphanumeric(code)) found += 1;
    else if (!isIbanGap(code) || !(isAlphanumeric(codes[index - 1] ?? 0) || isLineEnd(codes, index))) return undefined;
    index += 1;
  }
  if (found < wanted || isGlued(reading, index)) return undefined;
  const compact = withHyphens(readingText(reading, start, index))
    .replaceAll(/[ .\r\n-]/gu, "")
    .toUpperCase();
  return isIban(compact) ? { entity: "iban", start, end: index } : undefined;
}

/** A blank, dot or dash between the groups of an IBAN, or the end of its line. */
function isIbanGap(code: number): boolean {
  return code === 0x20 || code === 0x2e || code === 0x0a || code === 0x0d || isDash(code);
}

/** Whether a unit is the second of a line end that has two. */
function isLineEnd(codes: Uint16Array, index: number): boolean {
  return codes[index] === 0x0a && codes[index - 1] === 0x0d;
}
