import { holdsTooMany } from "./json-refusal.ts";
import { endOfScalar } from "./json-scalar.ts";
import { numberText } from "./number-text.ts";

const quote = 0x22;
const backslash = 0x5c;

/** A string, a member's name or a number, with its place in a JSON text. */
export interface TextToken {
  readonly start: number;
  readonly end: number;
  /** Unescaped text of a string; {@link numberText} of a number. */
  readonly text: string;
}

/** Bytes read in one step: a fraction of a millisecond. */
const stepBytes = 16 * 1_024;
/** Pieces of a text written in one step, two for each token. */
const stepPieces = 512;

/**
 * All strings, names and numbers of a JSON text in order, including members with equal keys, so that any parser's result is
 * covered. The text must be JSON (checked by `OutlineReader`).
 * @throws JsonRefusal `too_many_values`
 */
export function* readTextTokensInSteps(json: Buffer, tokensMax: number): Generator<void, TextToken[]> {
  const tokens: TextToken[] = [];
  let restAt = stepBytes;
  for (let at = 0; at < json.length;) {
    if (at >= restAt) {
      restAt = at + stepBytes;
      yield;
    }
    const byte = json[at] ?? 0;
    const isNumber = byte === 0x2d || (byte >= 0x30 && byte <= 0x39);
    if (byte !== quote && !isNumber) {
      at += 1;
      continue;
    }
    const end = isNumber ? (endOfScalar(json, at) ?? at + 1) : endOfString(json, at);
    if (tokens.length >= tokensMax) {
      throw holdsTooMany(tokensMax, "texts");
    }
    tokens.push({
      start: at,
      end,
      text: isNumber ? numberText(json.toString("latin1", at, end)) : stringOf(json, at, end),
    });
    at = end;
  }
  return tokens;
}

/** Replaces tokens of the text by other strings, in order; all other bytes stay. */
export function* replaceTextTokensInSteps(
  json: Buffer,
  tokens: readonly TextToken[],
  texts: readonly string[],
): Generator<void, Buffer> {
  const pieces: Buffer[] = [];
  let copied = 0;
  for (const [index, { start, end, text }] of tokens.entries()) {
    const replacement = texts[index] ?? text;
    if (replacement === text) continue;
    pieces.push(json.subarray(copied, start), Buffer.from(JSON.stringify(replacement)));
    copied = end;
    if (pieces.length % stepPieces === 0) yield;
  }
  return Buffer.concat([...pieces, json.subarray(copied)]);
}

function endOfString(json: Buffer, start: number): number {
  for (let at = start + 1; at < json.length; at += 1) {
    if (json[at] === quote) return at + 1;
    if (json[at] === backslash) at += 1;
  }
  return json.length;
}

/** Most strings have no escapes, and need no parser. */
function stringOf(json: Buffer, start: number, end: number): string {
  const text = json.toString("utf8", start + 1, end - 1);
  return text.includes("\\") ? (JSON.parse(json.toString("utf8", start, end)) as string) : text;
}
