import { isSmallLatin } from "../text/char-class.ts";
import { type LongRows, rowKind, runSearch } from "../text/long-rows.ts";
import { type Reading, readingText, toSourceSpan, withKnownText, withText } from "../text/reading.ts";
import type { Readings } from "../text/readings.ts";
import { assignmentAt } from "./assignments.ts";
import { anchorPlace, FORMAT, NAME, type PrefixFormat, prefixPlace, secretFormats } from "./compile-formats.ts";
import { formFieldAt } from "./form-fields.ts";
import {
  ANCHOR,
  areInRows,
  COLON,
  DASH,
  kindAt,
  nextPlaceAnywhere,
  nextPlaceInRows,
  type Place,
  TILDE,
  WORD,
} from "./secret-places.ts";
import { loginPasswordAt, saidPasswordAt, urlPasswordAt, userPasswordAt } from "./url-passwords.ts";
import { isIssued, isRandom } from "./values.ts";

/** One credential, as a range of units of the reading it was found in. */
export interface SecretMatch {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

/** `issued`: only credentials that their own form gives away. `all`: also such as are named or sent as one. */
export type SecretScope = "issued" | "all";

/** Readings that credentials are looked for in. */
type Read = Pick<Readings, "plain" | "canonical"> & Partial<Pick<Readings, "rows">>;

/** One credential in the source text. */
interface SecretSpan {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

const usualLength = 640;
const longLength = 8_192;
/** A private key that has not ended by then is masked so far. */
const pemLengthMax = 65_536;
/** Looked at first for the end of a private key; four times as much each time that it is not there. */
const pemLengthFirst = 512;
const pemHeadLength = 100;
/** Looked at behind the first line of a private key to tell a key from a text that mentions the line. */
const pemBeginningLength = 256;
const webTokenPrefix = "eyJ";
/** Fewest and most characters of the first part of a web token behind its beginning, as its format has them. */
const [webTokenHeadMin, webTokenHeadMax] = [10, 2_000];
const beforeLength = 64;
const dotCode = 0x2e;
const headerPattern = /^(?:[Bb]earer|[Bb]asic|[Tt]oken) {1,3}([A-Za-z0-9_.~+/=-]{16,2000})/;

interface Scan extends Place {
  /** With its string once many pieces were asked for. */
  reading: Reading;
  /** Pieces that were made strings. */
  pieces: number;
  readonly scope: SecretScope;
  readonly matches: SecretMatch[];
  /** Nothing before this index may be part of another match. */
  done: number;
  behind: number;
  judged: number;
  /** The run of a web token's characters that was looked at last. */
  readonly run: { start: number; end: number };
  /** The dot behind which no rest of a web token was found. */
  refusedDot: number;
  /** The next capital or digit from the last place that was asked for, or the end. */
  evidence: number;
}

/**
 * Finds credentials in a text: before decoding, since many are encodings themselves, and in what decoding brought to light.
 * Spans are ordered and do not overlap: what the second of two goes on with is kept.
 */
export function findSecretSpans({ plain, canonical, rows }: Read, scope: SecretScope): SecretSpan[] {
  if (canonical === plain) return toSpans(plain, scope, rows);
  // Spans as sent come first of two that overlap, for sorting keeps the order of equals.
  const spans = [...toSpans(plain, scope), ...toSpans(canonical, scope)].sort(
    (left, right) => left.start - right.start,
  );
  const apart: SecretSpan[] = [];
  for (const { kind, start, end } of spans) {
    const last = apart.at(-1);
    if (last === undefined || start >= last.end) apart.push({ kind, start, end });
    else if (end > last.end && kind === last.kind) apart[apart.length - 1] = { ...last, end };
    else if (end > last.end) apart.push({ kind, start: last.end, end });
  }
  return apart;
}

function toSpans(reading: Reading, scope: SecretScope, rows?: LongRows): SecretSpan[] {
  // Few places of a text begin like credentials of issuers; a string of the whole costs more than their pieces.
  const read = scope === "issued" ? withKnownText(reading) : withText(reading);
  return findSecrets(read, scope, rows).map(({ kind, start: from, end: to }) => {
    const { start, end } = toSourceSpan(reading, from, to);
    return { kind, start, end };
  });
}

/**
 * Finds credentials in a reading that was not decoded, in order, without overlaps. Linear: bounded work at each character, and
 * at nearly all of them none.
 */
export function findSecrets(reading: Reading, scope: SecretScope, rows?: LongRows): SecretMatch[] {
  const scan: Scan = {
    reading,
    pieces: 0,
    scope,
    formats: secretFormats(),
    nextRow: runSearch(reading, rowKind, rows),
    matches: [],
    done: 0,
    behind: 0,
    judged: 0,
    run: { start: 0, end: 0 },
    refusedDot: -1,
    evidence: 0,
  };
  const { codes, length } = reading;
  const nextPlace = scope === "issued" && areInRows(reading) ? nextPlaceInRows : nextPlaceAnywhere;
  for (let index = nextPlace(scan, 0); index < length;) {
    const kind = kindAt(codes, index);
    if (kind === WORD) lookAtWord(scan, index);
    else if (index >= scan.done) take(scan, signAt(scan, index, kind));
    // A credential is passed as a whole.
    if (scan.done > index + 1) scan.behind = scan.done;
    index = nextPlace(scan, Math.max(index + 1, scan.behind));
  }
  return scan.matches;
}

/** Looks for a credential that begins with a word, or whose name does. */
function lookAtWord(scan: Scan, index: number): void {
  const { reading, formats } = scan;
  const { codes } = reading;
  const place = prefixPlace(codes[index] ?? 0, codes[index + 1] ?? 0, codes[index + 2] ?? 0);
  const begins = formats.beginnings[place] ?? 0;
  const candidates = (begins & FORMAT) === 0 ? undefined : formats.byPrefix[place];
  if (candidates !== undefined && index >= scan.done)
    take(scan, issuedAt(scan, candidates, { start: index, hasEvidence: hasEvidence(scan, index) }));
  if ((begins & NAME) !== 0 && scan.scope === "all" && index >= scan.done)
    take(scan, isScheme(reading, index) ? headerAt(scan, index) : saidPasswordAt(reading, index));
}

function take(scan: Scan, match: SecretMatch | undefined): void {
  if (match === undefined || match.start < scan.done) return;
  scan.matches.push(match);
  scan.done = match.end;
}

/**
 * Whether a capital or digit stands within reach of a unit. Credentials of known issuers have one, or no letters at all: a text of
 * small letters is spared a long look at each of its words. Linear over a text.
 */
function hasEvidence(scan: Scan, start: number): boolean {
  const { codes, length } = scan.reading;
  if (scan.evidence < start) scan.evidence = start;
  while (scan.evidence < length && !isEvidence(codes[scan.evidence] ?? 0)) scan.evidence += 1;
  return scan.evidence < start + longLength;
}

function isEvidence(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a);
}

function issuedAt(
  scan: Scan,
  formats: readonly PrefixFormat[],
  { start, hasEvidence: isPossible }: { readonly start: number; readonly hasEvidence: boolean },
): SecretMatch | undefined {
  const { reading } = scan;
  let text: string | undefined;
  let best: SecretMatch | undefined;
  const next = reading.codes[start + 3] ?? 0;
  for (const { kind, prefix, fourth, rest } of formats) {
    if (fourth !== 0 && fourth !== next) continue;
    if (!startsWith(reading, start, prefix)) continue;
    if (!isPossible && isSmallLatin(reading.codes[start + prefix.length] ?? 0)) continue;
    const isWebToken = prefix === webTokenPrefix;
    const lengthMax = isWebToken ? webTokenLength(scan, start) : usualLength;
    if (lengthMax === 0) continue;
    text ??= textFrom(scan, start, lengthMax);
    const found = rest.exec(text.slice(prefix.length));
    if (found === null && isWebToken) scan.refusedDot = scan.run.end;
    const end = start + prefix.length + (found?.[0].length ?? 0);
    if (found === null || end <= (best?.end ?? start)) continue;
    if (isIssued(text.slice(0, end - start), prefix.length)) best = { kind, start, end };
  }
  return best;
}

/**
 * Length of the three parts of a web token, and of what follows them, or 0 where there are none. Linear over a text of any number of
 * beginnings: a run of them is passed once, and so is the rest behind its dot.
 */
function webTokenLength(scan: Scan, start: number): number {
  const { reading, run } = scan;
  if (start < run.start || start >= run.end) {
    run.start = start;
    run.end = webRunEnd(reading, start);
  }
  const head = run.end - start - webTokenPrefix.length;
  if (head < webTokenHeadMin || head > webTokenHeadMax || run.end === scan.refusedDot) return 0;
  if (reading.codes[run.end] !== dotCode || !startsWith(reading, run.end + 1, webTokenPrefix)) return 0;
  const bodyEnd = webRunEnd(reading, run.end + 1);
  if (reading.codes[bodyEnd] === dotCode) return Math.min(longLength, webRunEnd(reading, bodyEnd + 1) + 1 - start);
  scan.refusedDot = run.end;
  return 0;
}

/** End of the letters, digits, hyphens and underscores from a place on. */
function webRunEnd({ codes, length }: Reading, start: number): number {
  let end = start;
  while (end < length && isWebCode(codes[end] ?? 0)) end += 1;
  return end;
}

function isWebCode(code: number): boolean {
  return isEvidence(code) || isSmallLatin(code) || code === 0x2d || code === 0x5f;
}

function signAt(scan: Scan, index: number, kind: number): SecretMatch | undefined {
  if (kind === DASH) {
    const issued = pemAt(scan, index) ?? anchoredAt(scan, index);
    return issued ?? (scan.scope === "all" ? loginPasswordAt(scan.reading, index) : undefined);
  }
  // The tilde stands behind the first character of its anchor.
  if (kind === TILDE) return anchoredAt(scan, index - 1);
  if (kind === ANCHOR) return anchoredAt(scan, index) ?? discordAt(scan, index);
  const { reading, scope } = scan;
  const anchored = kind === COLON ? anchoredAt(scan, index) : undefined;
  if (anchored !== undefined || scope === "issued") return anchored;
  const user =
    kind === COLON ? (urlPasswordAt(reading, index) ?? userPasswordAt(reading, index)) : formFieldAt(reading, index);
  return user ?? named(scan, assignmentAt(scan, index));
}

/** A named credential with a known form takes the form's kind. What stands behind it in its value may be another one. */
function named(scan: Scan, match: SecretMatch | undefined): SecretMatch | undefined {
  if (match === undefined) return undefined;
  const { reading, formats } = scan;
  const [first = 0, second = 0, third = 0] = reading.codes.subarray(match.start, match.start + 3);
  const candidates = formats.byPrefix[prefixPlace(first, second, third)];
  const issued = candidates && issuedAt(scan, candidates, { start: match.start, hasEvidence: true });
  if (issued === undefined) return match;
  scan.judged = Math.min(scan.judged, issued.end);
  return issued;
}

function anchoredAt(scan: Scan, index: number): SecretMatch | undefined {
  const { reading, formats } = scan;
  const { codes } = reading;
  const candidates = formats.anchored[anchorPlace(codes[index] ?? 0, codes[index + 1] ?? 0)];
  if (candidates === undefined) return undefined;
  for (const { kind, anchor, before, after } of candidates) {
    if (!startsWith(reading, index, anchor)) continue;
    const head = before.exec(textBefore(scan, index));
    const behind = index + anchor.length;
    const tail = head && after.exec(textFrom(scan, behind, usualLength));
    if (head && tail) return { kind, start: index - head[0].length, end: behind + tail[0].length };
  }
  return undefined;
}

/** A Discord bot token has three parts: an id, a time of six characters, and a signature. */
function discordAt(scan: Scan, index: number): SecretMatch | undefined {
  const { reading } = scan;
  if (reading.codes[index] !== 0x2e || reading.codes[index + 7] !== 0x2e) return undefined;
  const head = /(?:(?<![\w-])|(?<=\\[nrt]))[MNO][\w-]{23,27}$/.exec(textBefore(scan, index));
  const tail = head && /^\.[\w-]{6}\.[\w-]{27,40}(?![\w-])/.exec(textFrom(scan, index, 64));
  return head && tail
    ? { kind: "discord_token", start: index - head[0].length, end: index + tail[0].length }
    : undefined;
}

function pemAt(scan: Scan, index: number): SecretMatch | undefined {
  const { reading } = scan;
  if (reading.codes[index + 1] !== 0x2d || reading.codes[index + 5] !== 0x42) return undefined;
  if (!startsWith(reading, index, "-----BEGIN ")) return undefined;
  const head = pemHead.exec(textFrom(scan, index, pemHeadLength))?.[0];
  if (head === undefined) return undefined;
  if (!keyBeginning.test(textFrom(scan, index + head.length, pemBeginningLength))) return undefined;
  let end = 0;
  for (let length = pemLengthFirst; end === 0; length = Math.min(length * 4, pemLengthMax)) {
    const text = textFrom(scan, index, length);
    const found = pemKeyEnd(text, head.length);
    if (found < text.length || text.length < length || length === pemLengthMax) end = found;
  }
  return { kind: "private_key", start: index, end: index + end };
}

/** Whether `bearer`, `basic` or `token` and a blank stand at a place: by three letters and the blank. */
function isScheme({ codes }: Reading, start: number): boolean {
  const [first, second, last] = [(codes[start] ?? 0) | 0x20, (codes[start + 1] ?? 0) | 0x20, codes[start + 4]];
  if (first === 0x62 && second === 0x65) return last === 0x65 && codes[start + 6] === 0x20;
  if (first === 0x62 && second === 0x61) return last === 0x63 && codes[start + 5] === 0x20;
  return first === 0x74 && second === 0x6f && last === 0x6e && codes[start + 5] === 0x20;
}

/** `Bearer …`, `Basic …` and `Token …`, as headers have them. */
function headerAt(scan: Scan, start: number): SecretMatch | undefined {
  const found = headerPattern.exec(textFrom(scan, start, usualLength));
  const value = found?.[1];
  if (found === null || value === undefined) return undefined;
  const isBasic = /^basic/iu.test(found[0]);
  if (isBasic ? !isBasicCredentials(value) : !isRandom(value)) return undefined;
  const end = start + found[0].length;
  return { kind: isBasic ? "basic_credentials" : "bearer_token", start: end - value.length, end };
}

/** Base64 of `user:password`. */
function isBasicCredentials(value: string): boolean {
  return /^[\x20-\x7e]{1,200}:[\x20-\x7e]{1,200}$/.test(Buffer.from(value, "base64").toString("latin1"));
}

function startsWith({ codes, length }: Reading, start: number, wanted: string): boolean {
  if (start + wanted.length > length) return false;
  for (let at = 0; at < wanted.length; at += 1) if (codes[start + at] !== wanted.charCodeAt(at)) return false;
  return true;
}

/** Pieces of a reading that cost as much as its string. */
const piecesMax = 64;

function textFrom(scan: Scan, start: number, length: number): string {
  scan.pieces += 1;
  if (scan.pieces === piecesMax) scan.reading = withText(scan.reading);
  return readingText(scan.reading, start, Math.min(scan.reading.length, start + length));
}

function textBefore(scan: Scan, end: number): string {
  const start = Math.max(0, end - beforeLength);
  return textFrom(scan, start, end - start);
}

/**
 * Text behind the first line of a key: base64, a header of PEM or PGP, the last line of a short key, or the end of a text that was
 * cut; before it blanks, also as code and JSON write them. Other words follow a line that is only mentioned.
 */
const keyBeginning =
  /^(?:\s|\\[nrt\\"]|["'`+])*(?:$|[A-Za-z0-9+/=]{16}|(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID): |[A-Za-z0-9+/=\s\\]*-----END)/;

const pemHead = /^-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/;

/** End of a PEM private key whose first line is `text` up to `behind`. An unfinished key runs to the end. */
function pemKeyEnd(text: string, behind: number): number {
  const tail = text.indexOf("-----END", behind);
  if (tail === -1) return text.length;
  const close = text.indexOf("-----", tail + 8);
  return close === -1 ? text.length : close + 5;
}
