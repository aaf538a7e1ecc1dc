import { JsonRefusal } from "./json-refusal.ts";
import type { JsonSource } from "./json-source.ts";
import type { LargeValue, PiecePlan } from "./piece-plan.ts";
import type { WrittenStrings } from "./written-strings.ts";

const stepElements = 512;

/** A text, its pieces, and where its long strings are kept. */
interface PieceParse {
  readonly source: JsonSource;
  readonly pieceLength: number;
  readonly written: WrittenStrings | undefined;
}

/** Parses a text piece by piece, and yields after each. @throws JsonRefusal `malformed` */
export function* parsePieces(parse: PieceParse, { root, brokenAt }: PiecePlan): Generator<void, unknown> {
  const { source } = parse;
  if (brokenAt >= 0) throw malformedAt(source, brokenAt);
  if (root === undefined) return parsePiece(source, { from: 0, to: source.marks.length });
  return yield* parseLarge(parse, root);
}

interface Span {
  readonly from: number;
  readonly to: number;
}

function parseLarge(parse: PieceParse, value: LargeValue): Generator<void, unknown> {
  if (value.kind === "string") return parseString(parse, value);
  return value.kind === "array" ? parseArray(parse, value) : parseObject(parse, value);
}

function* parseArray(parse: PieceParse, { parts }: LargeValue): Generator<void, unknown[]> {
  const { source } = parse;
  const array: unknown[] = [];
  for (const part of parts) {
    if (part.large === undefined) {
      const items = parsePiece(source, part, "[]") as unknown[];
      if (items.length === 0 && parts.length > 1) throw malformedAt(source, part.to);
      for (let at = 0; at < items.length; at += 1) array.push(items[at]);
    } else {
      parsePiece(source, { from: part.from, to: part.large.start }, ["[", "null]"]);
      array.push(yield* parseLarge(parse, part.large));
    }
    yield;
  }
  return array;
}

function* parseObject(parse: PieceParse, { parts }: LargeValue): Generator<void, object> {
  const { source } = parse;
  const object = {};
  for (const part of parts) {
    if (part.large === undefined) {
      const members = Object.entries(parsePiece(source, part, "{}") as object);
      if (members.length === 0 && parts.length > 1) throw malformedAt(source, part.to);
      for (const [index, [key, value]] of members.entries()) {
        setMember(object, key, value);
        if (index % stepElements === stepElements - 1) yield;
      }
    } else {
      const [key = ""] = Object.keys(
        parsePiece(source, { from: part.from, to: part.large.start }, ["{", "null}"]) as object,
      );
      setMember(object, key, yield* parseLarge(parse, part.large));
    }
    yield;
  }
  return object;
}

/** As JSON.parse does: `__proto__` is an ordinary key. */
function setMember(object: object, key: string, value: unknown): void {
  if (key !== "__proto__") (object as Record<string, unknown>)[key] = value;
  else Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

function* parseString({ source, pieceLength, written }: PieceParse, value: LargeValue): Generator<void, string> {
  const { start, end } = value;
  const parsed: string[] = [];
  const pieces: { units: number; bytes: number }[] = [];
  let [units, textUnits] = [0, 0];
  const last = end - 1;
  for (let from = start + 1; from < last;) {
    const next = from + pieceLength;
    const to = next >= last ? last : outsideEscape(source.marks, from, source.outsideCharacter(next));
    const piece = source.slice(from, to);
    const part = parseWrapped(source, { piece, from }, '""') as string;
    parsed.push(part);
    units += piece.length;
    textUnits += part.length;
    if (written !== undefined) pieces.push({ units: textUnits, bytes: to - start });
    from = to;
    yield;
  }
  const text = parsed.join("");
  if (source.bytes !== undefined) written?.add(text, source.bytes(start, end), { pieces, saved: units - textUnits });
  return text;
}

const escapeLengthMax = 6;

/**
 * The index `at`, or the start of an escape that it would split; `from` is outside of any. Looks back only as far as an escape is
 * long, except over a run of backslashes: the platform's search would scan to the start of the text.
 */
function outsideEscape(text: string, from: number, at: number): number {
  const nearest = Math.max(from, at - escapeLengthMax + 1);
  let escape = at - 1;
  while (escape >= nearest && text.charCodeAt(escape) !== backslash) escape -= 1;
  if (escape < nearest) return at;
  let runStart = escape;
  while (runStart > from && text.charCodeAt(runStart - 1) === backslash) runStart -= 1;
  if ((escape - runStart) % 2 === 1) return at;
  const end = escape + (text[escape + 1] === "u" ? escapeLengthMax : 2);
  return end > at ? escape : at;
}

const backslash = 0x5c;

/** Parses a span of the text between an opening and a closing. */
function parsePiece(source: JsonSource, { from, to }: Span, wrapping: string | readonly string[] = []): unknown {
  return parseWrapped(source, { piece: source.slice(from, to), from }, wrapping);
}

interface Piece {
  readonly piece: string;
  /** Its index in the source. */
  readonly from: number;
}

function parseWrapped(
  source: JsonSource,
  { piece, from }: Piece,
  [open = "", close = ""]: string | readonly string[],
): unknown {
  try {
    return JSON.parse(`${open}${piece}${close}`) as unknown;
  } catch (cause) {
    const position = positionOf(cause);
    throw malformed(position === undefined ? undefined : source.unitsIn(0, from) + position - open.length, cause);
  }
}

/** V8's message may quote the text; only the position is taken from it. */
function positionOf(err: unknown): number | undefined {
  const [, position] = /at position (\d+)/.exec(err instanceof Error ? err.message : "") ?? [];
  return position === undefined ? undefined : Number(position);
}

function malformedAt(source: JsonSource, at: number): JsonRefusal {
  return malformed(source.unitsIn(0, at));
}

/** @param at - UTF-16 units before the place */
function malformed(at: number | undefined, cause?: unknown): JsonRefusal {
  const place = at === undefined ? "" : ` (at character ${at})`;
  return new JsonRefusal("malformed", `is not valid JSON${place}.`, { cause });
}

/** Parses a text as a whole. @throws JsonRefusal `malformed` */
export function parseWhole(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw malformed(positionOf(cause), cause);
  }
}
