import { GatewayError } from "@gatehouse/errors";

/** A text under inspection: one of a caller's, or several small ones of one place joined. */
export interface Unit {
  readonly role: string;
  readonly text: string;
  /** The tool of its texts. */
  readonly tool?: string;
  /** Indexes of the texts in it, first and behind the last. */
  readonly first: number;
  readonly end: number;
}

/** One text of a caller. */
export interface Segment {
  readonly role: string;
  /** Texts of one place only are joined. */
  readonly place: string;
  readonly text: string;
  /** The tool whose arguments or result it is; texts of one tool only are joined. */
  readonly tool?: string;
  /** Small neighbours are joined, as those of the parameters always are. */
  readonly isJoinable?: boolean;
}

/** Units that a request is inspected in, beyond one for each message and a few for its parameters. */
const textsMax = 1_024;
/** UTF-16 units: shorter texts of the parameters are joined, names and values of a schema above all. */
const tinyLengthMax = 64;
/** UTF-16 units of joined texts; with the size of a body this bounds the number of units where texts are many. */
const joinedLengthMin = 1_024;

/** Units that are joined, or masked, in one step: a fraction of a millisecond. */
const stepUnits = 32;

/** Ends words and numbers, so that no find comes from the joining alone. */
const separator = "\n";

/**
 * Joins small neighbours, so that a request of very many texts is a bounded number of units: in the parameters always, in
 * messages where there are more than {@link textsMax} texts in all.
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
  /** The label stands as it is, without brackets. */
  readonly isVerbatim?: boolean;
}

/** The text that stands in place of a span. */
export function labelText({ label, isVerbatim }: MaskedSpan): string {
  return isVerbatim === true ? label : `[${label}]`;
}

/**
 * The masked texts of a unit's segments, exactly where they came from: of a find that covers several, the first gets the label and
 * the others lose their part; what a guardrail elsewhere has written is not cut to pieces so. Undefined where `spans`, ordered and apart, are not what `masked` was made with.
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
    // A span that goes on in the next text is looked at there again.
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

/** The refusal where a guardrail elsewhere has replaced several texts at once: the replacement belongs to none of them. */
const unplaceable =
  "Request blocked: a guardrail has replaced several short texts at once, which cannot be taken apart.";

/** A text with its spans, ordered and apart, replaced. */
export function replaceSpans(text: string, spans: readonly MaskedSpan[]): string {
  let replaced = "";
  let copied = 0;
  for (const span of spans) {
    replaced += `${text.slice(copied, span.start)}${labelText(span)}`;
    copied = span.end;
  }
  return replaced + text.slice(copied);
}

/** Replacements that the guardrails made in the texts of an inspection. */
export interface Masking {
  /** In the order of the inspection's texts. */
  readonly texts: readonly string[];
  /** Places in which they differ from the texts that were sent. */
  readonly spans: readonly MaskedSpan[];
}

/**
 * The texts of the segments that {@link toUnitsInSteps} made units of, masked.
 * @throws GatewayError `guardrail_blocked` where it is not known which of several joined texts a find, or a replacement, belongs to.
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

/** Spans that are looked at in one step. */
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
