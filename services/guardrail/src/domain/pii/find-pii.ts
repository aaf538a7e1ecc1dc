import { findSecretSpans } from "../secrets/find-secrets.ts";
import { readEscapedBlanks } from "../text/escaped-blanks.ts";
import { type Reading, toSourceSpan, withText } from "../text/reading.ts";
import type { Readings } from "../text/readings.ts";
import type { ScratchBuffers } from "../text/scratch-buffers.ts";
import { findContext } from "./context/find-context.ts";
import { contextEntities, type PiiEntity, type PiiMatch, type PiiSelection } from "./entity.ts";
import { scanPii } from "./scan.ts";
import { spokenEmails } from "./spoken-emails.ts";

/** One entity in the source text. */
interface PiiSpan {
  readonly entity: PiiEntity;
  readonly start: number;
  readonly end: number;
}

/**
 * Finds personal data in both readings of a text: credentials before decoding (a JSON web token is base64 itself), and
 * everything after it. Spans are in the source, ordered, without overlaps: of two that touch, the union counts once. The scratch is
 * that of the readings.
 */
export function findPii(
  readings: Pick<Readings, "plain" | "canonical"> & Partial<Pick<Readings, "rows">>,
  selection: PiiSelection,
  scratch?: ScratchBuffers,
): PiiSpan[] {
  const reading = withText(readEscapedBlanks(readings.canonical, scratch));
  const spans = toSpans(reading, selection);
  if (contextEntities.some((entity) => selection.entities.has(entity))) {
    for (const match of findContext(reading, selection.entities)) spans.push(toPiiSpan(reading, match));
  }
  if (selection.entities.has("api_key")) {
    for (const { start, end } of findSecretSpans(readings, "issued")) spans.push({ entity: "api_key", start, end });
  }
  return mergeOverlaps(spans);
}

function toSpans(reading: Reading, selection: PiiSelection): PiiSpan[] {
  const spoken = selection.entities.has("email") ? spokenEmails(reading) : [];
  const matches = scanPii(reading, selection);
  return (spoken.length === 0 ? matches : matches.concat(spoken)).map((match) => toPiiSpan(reading, match));
}

/** Named members, since a spread costs as much as finding an address, and a text may have a hundred thousand. */
function toPiiSpan(reading: Reading, { entity, start: from, end: to }: PiiMatch): PiiSpan {
  const { start, end } = toSourceSpan(reading, from, to);
  return { entity, start, end };
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
