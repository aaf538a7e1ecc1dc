import { type Reading, readingText } from "../text/reading.ts";

/** A run of digit groups with separators between them, such as a phone number, a card or a date. */
export interface NumberRun {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Ranges of the digit groups, as offsets in `text`. */
  readonly groups: readonly { readonly start: number; readonly end: number }[];
}

const groupsMax = 24;
const runLengthMax = 80;

/** Reads the run that starts at `start` (a digit, `+` or `(`). Bounded: a longer run is read piece by piece. */
export function numberRunAt(reading: Reading, start: number): NumberRun {
  const groups: { start: number; end: number }[] = [];
  const limit = Math.min(reading.length, start + runLengthMax);
  let index = start;
  let end = start;
  let gap = 0;
  while (index < limit && groups.length < groupsMax) {
    const code = reading.codes[index] ?? 0;
    if (isDigit(code)) {
      const from = index;
      while (index < limit && isDigit(reading.codes[index] ?? 0)) index += 1;
      groups.push({ start: from - start, end: index - start });
      end = index;
      gap = 0;
    } else if (isSeparator(code) && gap < 3) {
      gap += 1;
      index += 1;
    } else break;
  }
  return { start, end, text: readingText(reading, start, end), groups };
}

export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Space, no-break space is already a space; hyphen, dot, slash, brackets and plus. */
function isSeparator(code: number): boolean {
  return (
    code === 0x20 ||
    code === 0x2d ||
    code === 0x2e ||
    code === 0x28 ||
    code === 0x29 ||
    code === 0x2b ||
    code === 0x2f ||
    code === 0x2010 ||
    code === 0x2013
  );
}
