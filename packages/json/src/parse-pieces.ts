import { JsonRefusal } from "./json-refusal.ts";
import type { LargeValue, PiecePlan } from "./piece-plan.ts";

const stepElements = 512;

/** Parses a text piece by piece, and yields after each. @throws JsonRefusal `malformed` */
export function* parsePieces(
  text: string,
  { root, brokenAt }: PiecePlan,
  pieceLength: number,
): Generator<void, unknown> {
  if (brokenAt >= 0) throw malformed(brokenAt);
  if (root === undefined) return parsePiece(text, { from: 0, to: text.length });
  return yield* parseLarge(text, root, pieceLength);
}

interface Span {
  readonly from: number;
  readonly to: number;
}

function parseLarge(text: string, value: LargeValue, pieceLength: number): Generator<void, unknown> {
  if (value.kind === "string") return parseString(text, value, pieceLength);
  return value.kind === "array" ? parseArray(text, value, pieceLength) : parseObject(text, value, pieceLength);
}

function* parseArray(text: string, { parts }: LargeValue, pieceLength: number): Generator<void, unknown[]> {
  const array: unknown[] = [];
  for (const part of parts) {
    if (part.large === undefined) {
      const items = parsePiece(text, part, "[]") as unknown[];
      if (items.length === 0 && parts.length > 1) throw malformed(part.to);
      for (let at = 0; at < items.length; at += 1) array.push(items[at]);
    } else {
      parsePiece(text, { from: part.from, to: part.large.start }, ["[", "null]"]);
      array.push(yield* parseLarge(text, part.large, pieceLength));
    }
    yield;
  }
  return array;
}

function* parseObject(text: string, { parts }: LargeValue, pieceLength: number): Generator<void, object> {
  const object = {};
  for (const part of parts) {
    if (part.large === undefined) {
      const members = Object.entries(parsePiece(text, part, "{}") as object);
      if (members.length === 0 && parts.length > 1) throw malformed(part.to);
      for (const [index, [key, value]] of members.entries()) {
        setMember(object, key, value);
        if (index % stepElements === stepElements - 1) yield;
      }
    } else {
      const [key = ""] = Object.keys(
        parsePiece(text, { from: part.from, to: part.large.start }, ["{", "null}"]) as object,
      );
      setMember(object, key, yield* parseLarge(text, part.large, pieceLength));
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

function* parseString(text: string, { start, end }: LargeValue, pieceLength: number): Generator<void, string> {
  const pieces: string[] = [];
  const last = end - 1;
  for (let from = start + 1; from < last;) {
    const to = from + pieceLength >= last ? last : outsideEscape(text, from, from + pieceLength);
    pieces.push(parsePiece(text, { from, to }, '""') as string);
    from = to;
    yield;
  }
  return pieces.join("");
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
function parsePiece(
  text: string,
  { from, to }: Span,
  [open = "", close = ""]: string | readonly string[] = [],
): unknown {
  try {
    return JSON.parse(`${open}${text.slice(from, to)}${close}`) as unknown;
  } catch (cause) {
    const position = positionOf(cause);
    throw malformed(position === undefined ? undefined : position + from - open.length, cause);
  }
}

/** V8's message may quote the text; only the position is taken from it. */
function positionOf(err: unknown): number | undefined {
  const [, position] = /at position (\d+)/.exec(err instanceof Error ? err.message : "") ?? [];
  return position === undefined ? undefined : Number(position);
}

function malformed(at: number | undefined, cause?: unknown): JsonRefusal {
  const place = at === undefined ? "" : ` (at character ${at})`;
  return new JsonRefusal("malformed", `is not valid JSON${place}.`, { cause });
}

/** Parses a text as a whole. @throws JsonRefusal `malformed` */
export function parseWhole(text: string): unknown {
  return parsePiece(text, { from: 0, to: text.length });
}
