import { nationalIdCountries, piiEntities, piiLabels, type PiiSelection } from "../pii/entity.ts";
import { findPii } from "../pii/find-pii.ts";
import type { CompiledPattern } from "../policy/compile-policy.ts";
import { secretLabelOf } from "../secrets/compile-formats.ts";
import { findSecretSpans } from "../secrets/find-secrets.ts";
import type { LetterStatistics } from "../text/letter-statistics.ts";
import { maskText, type MaskSpan, orderSpans } from "../text/mask-text.ts";
import { type Reading, readingText, toSourceSpan } from "../text/reading.ts";
import { readText } from "../text/readings.ts";
import { ScratchBuffers } from "../text/scratch-buffers.ts";

/** UTF-16 units around a find that are looked at, so that no value is cut where the excerpt begins. */
const lookedAround = 512;
/** UTF-16 units of an excerpt on either side of its find, and of a find that is shown itself. */
const shownAround = 60;
const shownInside = 120;

const everything: PiiSelection = { entities: new Set(piiEntities), countries: new Set(nationalIdCountries) };
const scratch = new ScratchBuffers();

/** A place in a text. */
interface ExcerptPlace {
  readonly start: number;
  readonly end: number;
  /** The label in place of the find; undefined where the find itself is shown, masked like the rest. */
  readonly label: string | undefined;
  /** Spans found beside it that must not be shown, such as those masked by an own pattern. */
  readonly hidden?: readonly MaskSpan[];
}

/** The means by which values are found that an excerpt must not show. */
export interface MaskingRules {
  readonly statistics: LetterStatistics;
  /** Own patterns whose matches are hidden, besides the spans that are known. */
  readonly patterns: readonly CompiledPattern[];
}

/**
 * A line around a find for people to judge it by. Every kind of personal data and of credentials that is known is masked in it,
 * whatever the policy looks for, and what the policy hides.
 */
export function excerptOf(
  text: string,
  { start, end, label, hidden = [] }: ExcerptPlace,
  { statistics, patterns }: MaskingRules,
): string {
  const from = Math.max(0, start - lookedAround);
  const until = Math.min(text.length, Math.max(start, Math.min(end, start + 4 * shownInside)) + lookedAround);
  const looked = text.slice(from, until);
  const inside = { start: start - from, end: Math.min(end, until) - from };
  const own = label === undefined ? [] : [{ ...inside, label }];
  const spans = [...own, ...within(hidden, from, until), ...knownSpans(looked, statistics, patterns)];
  const ordered = orderSpans(spans);
  const before = maskText(looked.slice(0, inside.start), within(ordered, 0, inside.start));
  const behind = maskText(looked.slice(inside.end), within(ordered, inside.end, looked.length));
  const found = maskText(looked.slice(inside.start, inside.end), within(ordered, inside.start, inside.end));
  const shown = `${lastOf(before, shownAround)}${firstOf(found, shownInside)}${firstOf(behind, shownAround)}`;
  return shown
    .toWellFormed()
    .replaceAll(/[\p{C}\p{Z}]+/gu, " ")
    .trim();
}

/** A text with every kind of personal data and of credentials that is known masked. */
export function maskEverything(text: string, statistics: LetterStatistics): string {
  return maskText(text, orderSpans(knownSpans(text, statistics)));
}

function knownSpans(text: string, statistics: LetterStatistics, patterns: readonly CompiledPattern[] = []): MaskSpan[] {
  const readings = readText(text, statistics, scratch);
  return [
    ...patterns.flatMap((pattern) => matchesOf(pattern, readings.canonical)),
    ...findPii(readings, everything).map((find) => ({ ...find, label: piiLabels[find.entity] })),
    ...findSecretSpans(readings, "all").map((find) => ({ ...find, label: secretLabelOf(find.kind) })),
  ];
}

function matchesOf({ document, single }: CompiledPattern, canonical: Reading): MaskSpan[] {
  const spans: MaskSpan[] = [];
  const matcher = single?.matcher(readingText(canonical));
  while (matcher?.find() === true) {
    const span = toSourceSpan(canonical, matcher.start(), matcher.end());
    if (span.end > span.start) spans.push({ ...span, label: document.name });
  }
  return spans;
}

/** Parts of spans that lie in a part of the text, in its own places. */
function within(spans: readonly MaskSpan[], from: number, until: number): MaskSpan[] {
  return spans
    .filter(({ start, end }) => start < until && end > from)
    .map(({ label, start, end }) => ({ label, start: Math.max(start, from) - from, end: Math.min(end, until) - from }));
}

function lastOf(text: string, length: number): string {
  return text.length <= length ? text : `…${text.slice(-length)}`;
}

function firstOf(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}
