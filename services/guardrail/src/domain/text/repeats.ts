import { type Reading, ReadingBuilder } from "./reading.ts";

/** Letters of a word that are all doubled: shorter ones may be chance. */
const doubledMin = 4;

/** Undoes "iiggnnoorree" and "ignooore" in words of Latin letters. Returns the same reading when there is nothing to do. Linear. */
export function undoRepeats(input: Reading): Reading {
  const { codes, length } = input;
  let output: ReadingBuilder | undefined;
  let copied = 0;
  let done = 0;
  for (let pair = nextPair(input, 1); pair < length; pair = nextPair(input, done + 1)) {
    let start = pair - 1;
    while (start > done && isLatin(codes[start - 1] ?? 0)) start -= 1;
    let end = pair + 1;
    while (end < length && isLatin(codes[end] ?? 0)) end += 1;
    const isDoubled = isAllDoubled(codes, start, end);
    for (let index = start + 1; index < end; index += 1) {
      const isSame = codes[index] === codes[index - 1];
      if (!isSame || !(isDoubled ? (index - start) % 2 === 1 : isInRun(codes, index, { start, end }))) continue;
      output ??= new ReadingBuilder(length);
      output.copyRange(input, copied, index);
      copied = index + 1;
    }
    done = end;
  }
  if (output === undefined) return input;
  output.copyRange(input, copied, length);
  return output.build();
}

/** Index of the next letter that is the same as the one before it. */
function nextPair({ codes, length }: Reading, from: number): number {
  for (let index = from; index < length; index += 1) {
    if (codes[index] === codes[index - 1] && isLatin(codes[index] ?? 0)) return index;
  }
  return length;
}

function isAllDoubled(codes: Uint16Array, start: number, end: number): boolean {
  if (end - start < doubledMin || (end - start) % 2 === 1) return false;
  for (let index = start; index < end; index += 2) if (codes[index] !== codes[index + 1]) return false;
  return true;
}

/** Whether the letter, equal to the one before it, has one more of its kind at either side. */
function isInRun(codes: Uint16Array, index: number, { start, end }: { start: number; end: number }): boolean {
  const letter = codes[index];
  const before = index - 2 >= start && codes[index - 2] === letter;
  const after = index + 1 < end && codes[index + 1] === letter;
  return before || after;
}

function isLatin(code: number): boolean {
  return code >= 0x61 && code <= 0x7a;
}
