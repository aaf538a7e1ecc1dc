/** Replacement of a range in a masked text. */
export interface MaskSpan {
  /** Shown in square brackets. */
  readonly label: string;
  readonly start: number;
  readonly end: number;
  /** The label stands as it is, without brackets. */
  readonly isVerbatim?: boolean;
}

/** Replaces each span by its label in square brackets. Spans must be ordered and apart. */
export function maskText(source: string, spans: readonly MaskSpan[]): string {
  let masked = "";
  let copied = 0;
  for (const { label, start, end, isVerbatim } of spans) {
    masked += source.slice(copied, start) + (isVerbatim === true ? label : `[${label}]`);
    copied = end;
  }
  return masked + source.slice(copied);
}

/** Puts spans in order; of such as overlap one is left, with the label of the first. */
export function orderSpans(spans: readonly MaskSpan[]): MaskSpan[] {
  const ordered: MaskSpan[] = [];
  for (const span of spans.toSorted((left, right) => left.start - right.start || right.end - left.end)) {
    const last = ordered.at(-1);
    if (last === undefined || span.start >= last.end) ordered.push(span);
    else ordered[ordered.length - 1] = { ...last, end: Math.max(last.end, span.end) };
  }
  return ordered;
}
