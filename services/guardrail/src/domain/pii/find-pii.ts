import { type Reading, toSourceSpan } from "../text/reading.ts";
import { type PiiEntity, piiLabels, type PiiSelection } from "./entity.ts";
import { scanPii } from "./scan.ts";

/** One entity in the source text. */
export interface PiiSpan {
  readonly entity: PiiEntity;
  readonly start: number;
  readonly end: number;
}

/** What stands in a masked text in place of a range. */
export interface MaskSpan {
  readonly entity: PiiEntity;
  readonly start: number;
  readonly end: number;
}

const keysOnly: PiiSelection = { entities: new Set<PiiEntity>(["api_key"]), countries: new Set() };

/**
 * Finds personal data in both readings of a text: credentials before decoding (a JSON web token is base64 itself), and
 * everything after it. Spans are in the source, ordered, without overlaps: of two that touch, the union counts once.
 */
export function findPii(
  readings: { readonly plain: Reading; readonly canonical: Reading },
  selection: PiiSelection,
): PiiSpan[] {
  const { plain, canonical } = readings;
  const spans = toSpans(canonical, selection);
  if (plain !== canonical && selection.entities.has("api_key")) spans.push(...toSpans(plain, keysOnly));
  return mergeOverlaps(spans);
}

/** Replaces each span by its label in square brackets. Spans must be ordered and apart. */
export function maskText(source: string, spans: readonly MaskSpan[]): string {
  let masked = "";
  let copied = 0;
  for (const { entity, start, end } of spans) {
    masked += `${source.slice(copied, start)}[${piiLabels[entity]}]`;
    copied = end;
  }
  return masked + source.slice(copied);
}

function toSpans(reading: Reading, selection: PiiSelection): PiiSpan[] {
  return scanPii(reading, selection).map(({ entity, start, end }) => ({
    entity,
    ...toSourceSpan(reading, start, end),
  }));
}

function mergeOverlaps(spans: PiiSpan[]): PiiSpan[] {
  const merged: PiiSpan[] = [];
  for (const span of spans.sort((left, right) => left.start - right.start || right.end - left.end)) {
    const last = merged.at(-1);
    if (last !== undefined && span.start < last.end)
      merged[merged.length - 1] = { ...last, end: Math.max(last.end, span.end) };
    else merged.push(span);
  }
  return merged;
}
