import { holdsTooMany } from "./json-refusal.ts";
import { endOfScalar } from "./json-scalar.ts";
import { numberText } from "./number-text.ts";

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const colon = 0x3a;
const space = 0x20;

/** A string, a member's name or a number, with its place in a JSON text. */
export interface TextToken {
  readonly start: number;
  readonly end: number;
  /** Unescaped text of a string; {@link numberText} of a number. */
  readonly text: string;
  /** Whether it is the value of a member, whose name is the token before it. */
  readonly isNamed: boolean;
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
  /** The last byte that is no blank. */
  let before = 0;
  for (let at = 0; at < json.length;) {
    if (at >= restAt) {
      restAt = at + stepBytes;
      yield;
    }
    const byte = json[at] ?? 0;
    const isNumber = byte === 0x2d || (byte >= 0x30 && byte <= 0x39);
    if (byte !== quote && !isNumber) {
      if (byte > space) before = byte;
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
      isNamed: before === colon,
    });
    before = byte;
    at = end;
  }
  return tokens;
}

/**
 * Replaces tokens of the text by other strings, in order; all other bytes stay. A member's new name that its object has already
 * gets a number, so that no value is lost.
 */
export function* replaceTextTokensInSteps(
  json: Buffer,
  tokens: readonly TextToken[],
  texts: readonly string[],
): Generator<void, Buffer> {
  const pieces: Buffer[] = [];
  let copied = 0;
  const names = yield* distinctNames(json, tokens, texts);
  for (const [index, { start, end, text }] of tokens.entries()) {
    const replacement = names.get(index) ?? texts[index] ?? text;
    if (replacement === text) continue;
    pieces.push(json.subarray(copied, start), Buffer.from(JSON.stringify(replacement)));
    copied = end;
    if (pieces.length % stepPieces === 0) yield;
  }
  return Buffer.concat([...pieces, json.subarray(copied)]);
}

/** Names to use instead of replacements that their object has already, by the index of their token. */
function* distinctNames(
  json: Buffer,
  tokens: readonly TextToken[],
  texts: readonly string[],
): Generator<void, ReadonlyMap<number, string>> {
  const distinct = new Map<number, string>();
  for (const members of yield* membersByObject(json, tokens, texts)) {
    const isReplaced = (index: number): boolean => texts[index] !== undefined && texts[index] !== tokens[index]?.text;
    const taken = new Map<string, number>();
    for (const index of members) if (!isReplaced(index)) taken.set(tokens[index]?.text ?? "", 1);
    for (const index of members) {
      if (!isReplaced(index)) continue;
      const name = texts[index] ?? "";
      let count = taken.get(name) ?? 0;
      let free = name;
      while (taken.has(free)) free = `${name} ${(count += 1)}`;
      taken.set(name, Math.max(count, 1)).set(free, 1);
      if (free !== name) distinct.set(index, free);
    }
    yield;
  }
  return distinct;
}

/** Indexes of the tokens that are members' names, for each object in which some are replaced. */
function* membersByObject(
  json: Buffer,
  tokens: readonly TextToken[],
  texts: readonly string[],
): Generator<void, readonly (readonly number[])[]> {
  const found: (readonly number[])[] = [];
  const open: { readonly members: number[]; isReplaced: boolean }[] = [];
  let read = 0;
  for (const [index, { start, end, text }] of tokens.entries()) {
    readBetween(start);
    const object = open.at(-1);
    if (object !== undefined && isName(json, end)) {
      object.members.push(index);
      object.isReplaced ||= texts[index] !== undefined && texts[index] !== text;
    }
    read = end;
    if (index % stepPieces === stepPieces - 1) yield;
  }
  readBetween(json.length);
  return found;

  function readBetween(until: number): void {
    for (; read < until; read += 1) {
      if (json[read] === openBrace) open.push({ members: [], isReplaced: false });
      if (json[read] !== closeBrace) continue;
      const object = open.pop();
      if (object?.isReplaced === true) found.push(object.members);
    }
  }
}

function isName(json: Buffer, end: number): boolean {
  let at = end;
  while (at < json.length && (json[at] ?? 0) <= space) at += 1;
  return json[at] === colon;
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
