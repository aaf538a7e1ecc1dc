import { charClasses, SPACE } from "../text/char-class.ts";
import { type Reading, sliceOf, type Span } from "../text/reading.ts";
import { isHyphen } from "./symbols.ts";

/** A piece of a reading around passages of it. */
interface Slice {
  readonly reading: Reading;
  /** Units of the slice at which a keyword that touches a passage may begin. */
  readonly within: Span;
}

/**
 * Pieces of a reading around ranges, which ascend and are apart, each with `reach` symbols on either side: enough for every keyword
 * that touches a range, however wide its blanks. Linear, whatever the ranges.
 */
export function slicesAround(reading: Reading, ranges: readonly Span[], reach: number): readonly Slice[] {
  const slices: Slice[] = [];
  let group: { start: number; end: number } | undefined;
  for (const { start, end } of ranges) {
    if (group !== undefined && walk(reading, { from: group.end, step: 1, until: start }, 2 * reach) === start) {
      group.end = end;
      continue;
    }
    if (group !== undefined) slices.push(sliceAround(reading, group, reach));
    group = { start, end };
  }
  if (group !== undefined) slices.push(sliceAround(reading, group, reach));
  return slices;
}

function sliceAround(reading: Reading, { start, end }: Span, reach: number): Slice {
  const from = walk(reading, { from: start, step: -1, until: 0 }, reach);
  const to = walk(reading, { from: end, step: 1, until: reading.length }, reach);
  // The unit before the first is not seen, so no keyword is looked for at the first.
  return { reading: sliceOf(reading, from, to), within: { start: Math.min(1, from), end: end - from } };
}

/** Goes over a number of symbols and the blanks and hyphens between them; gives the place that it reached. */
function walk(
  { codes }: Reading,
  { from, step, until }: { readonly from: number; readonly step: 1 | -1; readonly until: number },
  symbols: number,
): number {
  const classes = charClasses();
  let passed = 0;
  let at = from;
  for (; at !== until && passed < symbols; at += step) {
    const code = codes[step === 1 ? at : at - 1] ?? 0;
    if (((classes[code] ?? 0) & SPACE) === 0 && !isHyphen(code)) passed += 1;
  }
  return at;
}
