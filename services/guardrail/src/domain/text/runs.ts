import type { Reading, Span } from "./reading.ts";

/** Characters of which long rows are looked for, such as the alphabet of base64. */
export interface RunKind {
  /** Per UTF-16 unit: 1 for those characters. */
  readonly members: Uint8Array;
  /** Fewer in a row do not matter. */
  readonly lengthMin: number;
}

/** A kind of run of ASCII characters. */
export function runKindOf(characters: string, lengthMin: number): RunKind {
  const members = new Uint8Array(0x1_0000);
  for (const char of characters) members[char.charCodeAt(0)] = 1;
  return { members, lengthMin };
}

/**
 * Where the next run that is long enough begins, or the end. Looks back from the last place that a run could reach, so that a unit
 * that breaks it spares all looks before (Boyer and Moore's rule); prose costs a look for every third unit.
 */
export function nextRun({ codes, length }: Reading, from: number, { members, lengthMin }: RunKind): number {
  let start = from;
  while (start + lengthMin <= length) {
    let at = start + lengthMin - 1;
    while (at >= start && members[codes[at] ?? 0] === 1) at -= 1;
    if (at < start) return start;
    start = at + 1;
  }
  return length;
}

/** The runs that are long enough, in order. */
export function* runsOf(reading: Reading, kind: RunKind): Generator<Span> {
  for (let start = nextRun(reading, 0, kind); start < reading.length;) {
    const end = endOfRun(reading, start + kind.lengthMin, kind);
    yield { start, end };
    start = nextRun(reading, end, kind);
  }
}

/** Where a run ends that has no gap up to a place. */
export function endOfRun({ codes, length }: Reading, from: number, { members }: RunKind): number {
  let end = from;
  while (end < length && members[codes[end] ?? 0] === 1) end += 1;
  return end;
}

/**
 * The next unit that a table of all units marks, or the end. Nothing else in its loop, which looks at every unit of a text: with the
 * rest of a search in it, it takes two to three times as long.
 */
export function nextMarked(
  codes: Uint16Array,
  { from, length }: { readonly from: number; readonly length: number },
  marks: Uint8Array,
): number {
  let index = from;
  while (index < length && marks[codes[index] ?? 0] === 0) index += 1;
  return Math.min(index, length);
}

/** Units that are looked at one by one: a native search costs as much as some hundred looks, a view of the units included. */
const nearLength = 128;

/** The next unit of a kind in a reading, or the end. */
export function nextUnit({ codes, length }: Reading, unit: number, from: number): number {
  const near = Math.min(length, from + nearLength);
  for (let index = from; index < near; index += 1) if (codes[index] === unit) return index;
  if (near === length) return length;
  const found = codes.subarray(near, length).indexOf(unit);
  return found === -1 ? length : near + found;
}
