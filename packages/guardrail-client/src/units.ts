import { GatewayError } from "@gatehouse/errors";
import { beginsAsJson } from "@gatehouse/json";

/** A text to inspect: one of a caller's, or several small ones of one place joined. */
export interface Unit {
  readonly role: string;
  readonly text: string;
  /** Tool of its texts. */
  readonly tool?: string;
  /** UTF-16 units between its texts, all of ASCII. */
  readonly addedLength?: number;
  /** Whether all of its texts are {@link Segment.isAside}. */
  readonly isAside?: boolean;
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
  /** Whether it is a value whose name is the segment before it: checks that read names see both. */
  readonly isNamed?: boolean;
  /** Whether it is no content of its message: content goes on behind it. */
  readonly isAside?: boolean;
}

/** Units of a request, beyond one for each message and a few for its parameters. */
const textsMax = 1_024;
/** UTF-16 units: shorter texts of the parameters are joined, mainly names and values of schemas. */
const tinyLengthMax = 64;
/** UTF-16 units of joined texts; bounds the number of units together with the body's size. */
const joinedLengthMin = 1_024;
/** UTF-16 units: shorter words are joined to their names, mainly credentials. */
const namedLengthMax = 512;

/** Units that are joined, or masked, in one step: a fraction of a millisecond. */
const stepUnits = 32;

/** Ends words and numbers, so that joining creates no findings. */
const separator = "\n";
/** Between a name and its value, which stands in quotes as in JSON: the first that it does not have. */
const nameEnd = ": ";
const quotes = ['"', "'", "`"];

/**
 * Joins small neighbours, so that the number of units is bounded: always in the parameters, in messages where there are more than
 * {@link textsMax} texts. Small values are joined to their names everywhere.
 */
export function* toUnitsInSteps(segments: readonly Segment[]): Generator<void, Unit[]> {
  const isCrowded = segments.length > textsMax;
  const units: Unit[] = [];
  let first = 0;
  while (first < segments.length) {
    const end = endOfUnit(segments, first, isCrowded);
    const { role = "", text = "", tool } = segments[first] ?? {};
    const joined = end === first + 1 ? { text } : joinSegments(segments.slice(first, end));
    const isAside = isAsideIn(segments, first, end);
    units.push({ role, first, end, ...joined, ...(tool !== undefined && { tool }), ...(isAside && { isAside }) });
    first = end;
    if (units.length % stepUnits === 0) yield;
  }
  return units;
}

function isAsideIn(segments: readonly Segment[], first: number, end: number): boolean {
  for (let index = first; index < end; index += 1) if (segments[index]?.isAside !== true) return false;
  return true;
}

function endOfUnit(segments: readonly Segment[], first: number, isCrowded: boolean): number {
  const { place, role, tool, isJoinable = role === "parameter" } = segments[first] ?? {};
  const isJoined = isCrowded || isJoinable;
  if (!isCrowded && beginsAsJson(segments[first]?.text ?? "")) return first + 1;
  const joinableMax = isCrowded ? joinedLengthMin : tinyLengthMax;
  const mayJoin = (segment: Segment): boolean =>
    segment.place === place &&
    segment.tool === tool &&
    (segment.text.length <= joinableMax || isNamedWord(segment)) &&
    (isCrowded || !beginsAsJson(segment.text));
  let length = segments[first]?.text.length ?? 0;
  let end = first + 1;
  const second = segments[end];
  if (length > joinableMax) return end;
  if (!isJoined) return second?.isNamed === true && mayJoin(second) ? end + 1 : end;
  for (; length < joinedLengthMin; end += 1) {
    const next = segments[end];
    if (next === undefined || !mayJoin(next)) return end;
    length += separator.length + next.text.length;
  }
  // A name goes with its value.
  const next = segments[end];
  return next?.isNamed === true && end > first + 1 && mayJoin(next) ? end - 1 : end;
}

/** A longer value of several words is judged alone. */
function isNamedWord({ isNamed, text }: Segment): boolean {
  return isNamed === true && text.length <= namedLengthMax && !/\s/u.test(text);
}

/** The texts of a unit as one. */
function joinSegments(segments: readonly Segment[]): Required<Pick<Unit, "text" | "addedLength">> {
  let joined = "";
  let length = 0;
  for (const [index, segment] of segments.entries()) {
    const { before, after } = marksAround(segment, index);
    joined += before + segment.text + after;
    length += segment.text.length;
  }
  return { text: joined, addedLength: joined.length - length };
}

/** Marks around a text of a unit, by its place there. */
function marksAround(
  { text, isNamed = false }: Segment,
  index: number,
): { readonly before: string; readonly after: string } {
  if (index === 0) return { before: "", after: "" };
  if (!isNamed) return { before: separator, after: "" };
  const quote = quotes.find((mark) => !text.includes(mark)) ?? "";
  return { before: `${nameEnd}${quote}`, after: quote };
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
  segments: readonly Segment[],
  masked: string,
  spans: readonly MaskedSpan[],
): readonly string[] | undefined {
  const { text: joined } = joinSegments(segments);
  if (replaceSpans(joined, spans) !== masked) return undefined;
  let offset = 0;
  let next = 0;
  let labelled = -1;
  return segments.map((segment, index) => {
    const { before, after } = marksAround(segment, index);
    const start = offset + before.length;
    const end = start + segment.text.length;
    offset = end + after.length;
    let result = "";
    let copied = start;
    // A span that continues in the next text is processed there again.
    for (let span = spans[next]; span !== undefined && span.start < end; span = spans[next]) {
      result += joined.slice(copied, Math.max(copied, span.start));
      if (labelled < next) result += labelText(span);
      labelled = next;
      copied = Math.max(copied, Math.min(span.end, end));
      if (span.end > end) {
        if (span.isVerbatim === true) throw new GatewayError("guardrail_blocked", unplaceable);
        break;
      }
      next += 1;
    }
    return result + joined.slice(copied, end);
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
  const sent = segments.slice(first, end);
  if (masked === text) return sent.map((segment) => segment.text);
  const split = splitMasked(sent, masked, spans);
  if (split !== undefined) return split;
  throw new GatewayError(
    "guardrail_blocked",
    "Request blocked: personal data detected in input, in more places than can be masked. Send fewer, longer texts.",
  );
}
