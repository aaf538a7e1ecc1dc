import { isSmallLatin } from "./char-class.ts";
import { type Reading, ReadingBuilder, type Span } from "./reading.ts";
import { Removals } from "./removals.ts";
import type { ScratchBuffers } from "./scratch-buffers.ts";

/** Letters of a word that are all doubled: shorter ones may be chance. */
const doubledMin = 4;

/** A reading without letters that are repeated as disguise. */
interface Single {
  /** The input itself where there was nothing to do. */
  readonly reading: Reading;
  /** The words that lost letters, in the places of the input, ascending. */
  readonly changed: readonly Span[];
  readonly removals: Removals;
}

/**
 * Undoes "iiggnnoorree" and "ignooore" in words of Latin letters. Looks within the ranges, which ascend, are apart and part no word.
 * Linear in their length. With a scratch, see there how long the reading lasts.
 */
export function undoRepeats(input: Reading, ranges: readonly Span[], scratch?: ScratchBuffers): Single {
  const { codes, length } = input;
  const changed: Span[] = [];
  const removals = new Removals();
  let output: ReadingBuilder | undefined;
  let copied = 0;
  for (const range of ranges) {
    let done = range.start;
    for (
      let pair = nextPair(codes, done + 1, range.end);
      pair < range.end;
      pair = nextPair(codes, done + 1, range.end)
    ) {
      let start = pair - 1;
      while (start > done && isSmallLatin(codes[start - 1] ?? 0)) start -= 1;
      let end = pair + 1;
      while (end < range.end && isSmallLatin(codes[end] ?? 0)) end += 1;
      const isDoubled = isAllDoubled(codes, start, end);
      for (let index = start + 1; index < end; index += 1) {
        const isSame = codes[index] === codes[index - 1];
        if (!isSame || !(isDoubled ? (index - start) % 2 === 1 : isInRun(codes, index, { start, end }))) continue;
        output ??= new ReadingBuilder(length, scratch);
        output.copyRange(input, copied, index);
        copied = index + 1;
        removals.add(copied, 1);
        if (changed.at(-1)?.start !== start) changed.push({ start, end });
      }
      done = end;
    }
  }
  if (output === undefined) return { reading: input, changed, removals };
  output.copyRange(input, copied, length);
  return { reading: output.build(), changed, removals };
}

/** Index of the next letter that is the same as the one before it. */
function nextPair(codes: Uint16Array, from: number, end: number): number {
  for (let index = from; index < end; index += 1) {
    if (codes[index] === codes[index - 1] && isSmallLatin(codes[index] ?? 0)) return index;
  }
  return end;
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
