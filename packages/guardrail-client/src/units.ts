import { GatewayError } from "@gatehouse/errors";

/** A text to inspect: one of a caller's, or several small ones of one place joined. */
export interface Unit {
  readonly role: string;
  readonly text: string;
  /** Tool of its texts. */
  readonly tool?: string;
  /** Indexes of its texts, first and after the last. */
  readonly first: number;
  readonly end: number;
}

/** One text of a request or reply before small neighbours are joined into a {@link Unit}. */
export interface Segment {
  readonly role: string;
  /** Only texts of one place are joined. */
  readonly place: string;
  readonly text: string;
  /** Tool whose arguments or result it is; only texts of one tool are joined. */
  readonly tool?: string;
  /** Whether it may be joined with small neighbours, as texts of parameters always are. */
  readonly isJoinable?: boolean;
}

/** Units of a request, beyond one for each message and a few for its parameters. */
const textsMax = 1_024;
/** UTF-16 units: shorter texts of the parameters are joined, mainly names and values of schemas. */
const tinyLengthMax = 64;
/** UTF-16 units of joined texts; bounds the number of units together with the body's size. */
const joinedLengthMin = 1_024;

/** Units that are joined, or masked, in one step: a fraction of a millisecond. */
const stepUnits = 32;

/** Ends words and numbers, so that joining creates no findings. */
const separator = "\n";

/**
 * Joins small neighbours, so that the number of units is bounded: always in the parameters, in messages where there are more than
 * {@link textsMax} texts.
 */
export function* toUnitsInSteps(segments: readonly Segment[]): Generator<void, Unit[]> {
  const isCrowded = segments.length > textsMax;
  const units: Unit[] = [];
  let first = 0;
  while (first < segments.length) {
    const end = endOfUnit(segments, first, isCrowded);
    const { role = "", text = "", tool } = segments[first] ?? {};
    const joined = end === first + 1 ? text : segments.slice(first, end).map(textOf).join(separator);
    units.push(tool === undefined ? { role, text: joined, first, end } : { role, text: joined, tool, first, end });
    first = end;
    if (units.length % stepUnits === 0) yield;
  }
  return units;
}

function endOfUnit(segments: readonly Segment[], first: number, isCrowded: boolean): number {
  const { place, role, tool, isJoinable = role === "parameter" } = segments[first] ?? {};
  const isJoined = isCrowded || isJoinable;
  const joinableMax = isCrowded ? joinedLengthMin : tinyLengthMax;
  let length = segments[first]?.text.length ?? 0;
  let end = first + 1;
  if (!isJoined || length > joinableMax) return end;
  for (; length < joinedLengthMin; end += 1) {
    const next = segments[end];
    if (next === undefined || next.place !== place || next.tool !== tool || next.text.length > joinableMax) break;
    length += separator.length + next.text.length;
  }
  return end;
}

function textOf({ text }: Segment): string {
  return text;
}

/** Replacement of a part of a unit, in UTF-16 offsets of its text. */
export interface MaskedSpan {
  readonly textIndex: number;
  readonly start: number;
  readonly end: number;
  /** Without its brackets. */
  readonly label: string;
  /** Whether the label is inserted without brackets. */
  readonly isVerbatim?: boolean;
}

/** Replacement text of a span. */
export function labelText({ label, isVerbatim }: MaskedSpan): string {
  return isVerbatim === true ? label : `[${label}]`;
}

/**
 * Masked texts of a unit's segments. A finding that covers several puts the label in the first and removes its part of the
 * others; an external guardrail's replacement is not split. Undefined where `spans`, ordered without overlaps, do not produce
 * `masked`.
 */
function splitMasked(
  texts: readonly string[],
  masked: string,
  spans: readonly MaskedSpan[],
): readonly string[] | undefined {
  const joined = texts.join(separator);
  if (replaceSpans(joined, spans) !== masked) return undefined;
  let offset = 0;
  let next = 0;
  let labelled = -1;
  return texts.map((text) => {
    const end = offset + text.length;
    let result = "";
    let copied = offset;
    // A span that continues in the next text is processed there again.
    for (let span = spans[next]; span !== undefined && span.start < end; span = spans[next]) {
      result += joined.slice(copied, Math.max(copied, span.start));
      if (labelled < next) result += labelText(span);
      labelled = next;
      copied = Math.min(span.end, end);
      if (span.end > end) {
        if (span.isVerbatim === true) throw new GatewayError("guardrail_blocked", unplaceable);
        break;
      }
      next += 1;
    }
    result += joined.slice(copied, end);
    offset = end + separator.length;
    return result;
  });
}

/** Message where an external guardrail replaced several texts at once, so that the replacement belongs to none of them. */
const unplaceable =
  "Request blocked: a guardrail replaced several short texts with one, which cannot be divided among them. Send one longer text.";

/** Replaces spans, ordered without overlaps, in a text. */
export function replaceSpans(text: string, spans: readonly MaskedSpan[]): string {
  let replaced = "";
  let copied = 0;
  for (const span of spans) {
    replaced += `${text.slice(copied, span.start)}${labelText(span)}`;
    copied = span.end;
  }
  return replaced + text.slice(copied);
}

/** Replacements made by the guardrails in inspected texts. */
export interface Masking {
  /** In the order of the inspected texts. */
  readonly texts: readonly string[];
  /** Differences from the original texts. */
  readonly spans: readonly MaskedSpan[];
}

/**
 * Masked texts of the segments that {@link toUnitsInSteps} joined.
 * @throws GatewayError `guardrail_blocked` where a finding or replacement cannot be assigned to one of several joined texts.
 */
export function* maskSegmentsInSteps(
  segments: readonly Segment[],
  { texts: masked, spans }: Masking,
): Generator<void, string[]> {
  const units = yield* toUnitsInSteps(segments);
  if (masked.length !== units.length)
    throw new Error("The guardrails have answered with other texts than they were sent.");
  const spansByUnit = yield* groupByUnit(spans);
  const replaced: string[] = [];
  for (const [index, unit] of units.entries()) {
    for (const text of maskUnit(segments, { unit, masked: masked[index] ?? "", spans: spansByUnit.get(index) ?? [] })) {
      replaced.push(text);
    }
    if (index % stepUnits === stepUnits - 1) yield;
  }
  return replaced;
}

const stepSpans = 1_024;

function* groupByUnit(spans: readonly MaskedSpan[]): Generator<void, ReadonlyMap<number, readonly MaskedSpan[]>> {
  const groups = new Map<number, MaskedSpan[]>();
  for (const [index, span] of spans.entries()) {
    const group = groups.get(span.textIndex);
    if (group === undefined) groups.set(span.textIndex, [span]);
    else group.push(span);
    if (index % stepSpans === stepSpans - 1) yield;
  }
  return groups;
}

interface MaskedUnit {
  readonly unit: Unit;
  readonly masked: string;
  readonly spans: readonly MaskedSpan[];
}

function maskUnit(segments: readonly Segment[], { unit, masked, spans }: MaskedUnit): readonly string[] {
  const { first, end, text } = unit;
  if (end === first + 1) return [masked];
  const sent = segments.slice(first, end).map((segment) => segment.text);
  if (masked === text) return sent;
  const split = splitMasked(sent, masked, spans);
  if (split !== undefined) return split;
  throw new GatewayError(
    "guardrail_blocked",
    "Request blocked: personal data detected in input, in more places than can be masked. Send fewer, longer texts.",
  );
}
