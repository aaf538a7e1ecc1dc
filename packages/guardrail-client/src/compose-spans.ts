import { labelText, type MaskedSpan, replaceSpans } from "./units.ts";

/** A span, and its place in the text between the rounds. */
interface Placed {
  readonly start: number;
  readonly end: number;
  readonly first?: MaskedSpan;
  readonly later?: MaskedSpan;
}

/**
 * Spans of the original text after two rounds of changes: `first` made `masked`, and `later` are spans of `masked`. Each list
 * belongs to one text, is ordered and free of overlaps. Overlapping changes become one.
 */
export function composeSpans(
  masked: string,
  first: readonly MaskedSpan[],
  later: readonly MaskedSpan[],
): readonly MaskedSpan[] {
  const composed: MaskedSpan[] = [];
  /** Offset of the following spans in `masked` from their places in the original text. */
  let shift = 0;
  for (const group of groupOverlapping(placeSpans(first, later))) {
    const shiftBefore = shift;
    for (const { first: span } of group.members)
      if (span !== undefined) shift += labelText(span).length - (span.end - span.start);
    const changes = group.members.flatMap(({ later: span }) => (span === undefined ? [] : [span]));
    const [only] = group.members;
    if (changes.length === 0) {
      if (only?.first !== undefined) composed.push(only.first);
      continue;
    }
    const [{ textIndex } = { textIndex: 0 }] = changes;
    const { start, end } = group;
    const inside = changes.map((span) => ({ ...span, start: span.start - start, end: span.end - start }));
    const label = replaceSpans(masked.slice(start, end), inside);
    composed.push({ textIndex, start: start - shiftBefore, end: end - shift, label, isVerbatim: true });
  }
  return composed;
}

/** Both rounds' spans at their places in the text between the rounds, in order. */
function placeSpans(first: readonly MaskedSpan[], later: readonly MaskedSpan[]): readonly Placed[] {
  let shift = 0;
  const placed: Placed[] = later.map((span) => ({ start: span.start, end: span.end, later: span }));
  for (const span of first) {
    const start = span.start + shift;
    const end = start + labelText(span).length;
    shift = end - span.end;
    placed.push({ start, end, first: span });
  }
  return placed.toSorted((left, right) => left.start - right.start || left.end - right.end);
}

interface Group {
  readonly start: number;
  end: number;
  readonly members: Placed[];
}

function groupOverlapping(placed: readonly Placed[]): readonly Group[] {
  const groups: Group[] = [];
  for (const entry of placed) {
    const last = groups.at(-1);
    if (last === undefined || entry.start >= last.end) {
      groups.push({ start: entry.start, end: entry.end, members: [entry] });
      continue;
    }
    last.end = Math.max(last.end, entry.end);
    last.members.push(entry);
  }
  return groups;
}
