import { isIP } from "node:net";
import { charClasses, WORD } from "../text/char-class.ts";
import { type Reading, readingText } from "../text/reading.ts";
import { apiKeyLength, pemKeyEnd } from "./api-keys.ts";
import { isCardNumber, isIban, ibanLengths } from "./checksums.ts";
import { emailAt, spelledEmailAt } from "./emails.ts";
import type { PiiEntity, PiiMatch, PiiSelection } from "./entity.ts";
import { isNationalIdNumber, isNationalIdWord } from "./national-ids.ts";
import { isDigit, numberRunAt, type NumberRun } from "./numbers.ts";
import { hasPhoneContext, phoneLength } from "./phones.ts";

const contextWindow = 48;
const keyLengthMin = 16;
const keyLengthMax = 8192;
const ipv6LengthMax = 45;

/** What a character may begin; one table look-up per character keeps ordinary prose cheap. */
const NUMBER = 1;
const AT = 2;
const BRACKET = 3;
const COLON = 4;
const LETTER = 5;
const DASH = 6;
const starts = new Uint8Array(0x80);
for (const char of "0123456789+(") starts[char.charCodeAt(0)] = NUMBER;
for (const char of "[<{") starts[char.charCodeAt(0)] = BRACKET;
for (const char of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") starts[char.charCodeAt(0)] = LETTER;
starts[0x40] = AT;
starts[0x3a] = COLON;
starts[0x2d] = DASH;

interface Scan {
  readonly reading: Reading;
  readonly selection: PiiSelection;
  readonly matches: PiiMatch[];
  /** Nothing before this index may be part of another match. */
  done: number;
  /** End of the last number run, which bounds how far back the next one looks for context. */
  lastNumber: number;
}

/** Finds the selected entities in a canonical reading, in order, without overlaps. Linear; bounded work per character. */
export function scanPii(reading: Reading, selection: PiiSelection): PiiMatch[] {
  const scan: Scan = { reading, selection, matches: [], done: 0, lastNumber: 0 };
  const { codes, length } = reading;
  let index = 0;
  while (index < length) {
    const code = codes[index] ?? 0;
    const kind = code < 0x80 ? (starts[code] ?? 0) : 0;
    index = kind === 0 ? index + 1 : scanAt(scan, index, kind);
  }
  return scan.matches;
}

/** Handles the character at `index` and returns where to go on. */
function scanAt(scan: Scan, index: number, kind: number): number {
  switch (kind) {
    case NUMBER:
      return scanNumber(scan, index);
    case AT:
      return take(scan, "email", emailAt(scan.reading, index)) ?? index + 1;
    case BRACKET:
      return take(scan, "email", spelledEmailAt(scan.reading, index)) ?? index + 1;
    case COLON:
      return take(scan, "ip_address", ipv6At(scan, index)) ?? index + 1;
    case DASH:
      return take(scan, "api_key", pemAt(scan, index)) ?? index + 1;
    default:
      return scanWord(scan, index);
  }
}

/** Records a wanted match that does not overlap the one before it; a later e-mail replaces what it contains. */
function take(scan: Scan, entity: PiiEntity, match: PiiMatch | undefined): number | undefined {
  if (match === undefined || !scan.selection.entities.has(entity)) return undefined;
  while (scan.matches.length > 0 && (scan.matches.at(-1)?.start ?? -1) >= match.start) scan.matches.pop();
  const last = scan.matches.at(-1);
  if (last !== undefined && last.end > match.start) return undefined;
  scan.matches.push(match);
  scan.done = match.end;
  return match.end;
}

function isWordAt(reading: Reading, index: number): boolean {
  if (index < 0 || index >= reading.length) return false;
  const code = reading.codes[index] ?? 0;
  return code === 0x5f || ((charClasses()[code] ?? 0) & WORD) !== 0;
}

/** A word that starts with a letter: credential, IBAN or identity number; otherwise it is skipped whole. */
function scanWord(scan: Scan, start: number): number {
  const { reading } = scan;
  const { codes, length } = reading;
  let end = start + 1;
  let digits = 0;
  while (end < length) {
    const code = codes[end] ?? 0;
    if (isDigit(code)) digits += 1;
    else if (code >= 0x80 || starts[code] !== LETTER) break;
    end += 1;
  }
  if (start < scan.done) return end;
  if (digits >= 2) {
    const special = take(scan, "iban", ibanAt(reading, start)) ?? take(scan, "national_id", wordIdAt(scan, start));
    if (special !== undefined) return special;
  }
  const next = end < length ? (codes[end] ?? 0) : 0;
  const continues = next === 0x2d || next === 0x5f || next === 0x2e;
  if (end - start >= keyLengthMin || (continues && end - start <= 12)) {
    const key = take(scan, "api_key", keyAt(reading, start));
    if (key !== undefined) return key;
  }
  return end;
}

function keyAt(reading: Reading, start: number): PiiMatch | undefined {
  if (isWordAt(reading, start - 1)) return undefined;
  const probe = readingText(reading, start, Math.min(reading.length, start + 48));
  if (!/^[\w.+/=-]{16}/.test(probe)) return undefined;
  if (apiKeyLength(probe) === 0 && !probe.startsWith("eyJ")) return undefined;
  const length = apiKeyLength(readingText(reading, start, Math.min(reading.length, start + keyLengthMax)));
  return length === 0 ? undefined : { entity: "api_key", start, end: start + length };
}

function pemAt(scan: Scan, index: number): PiiMatch | undefined {
  const { reading } = scan;
  if (reading.codes[index + 1] !== 0x2d || reading.codes[index + 5] !== 0x42 || index < scan.done) return undefined;
  if (!scan.selection.entities.has("api_key")) return undefined;
  const end = pemKeyEnd(readingText(reading, index, Math.min(reading.length, index + keyLengthMax)), 0);
  return end === undefined ? undefined : { entity: "api_key", start: index, end: index + end };
}

function ibanAt(reading: Reading, start: number): PiiMatch | undefined {
  if (isWordAt(reading, start - 1)) return undefined;
  const head = readingText(reading, start, Math.min(reading.length, start + 2)).toUpperCase();
  const wanted = ibanLengths[head];
  if (wanted === undefined || !isDigit(reading.codes[start + 2] ?? 0) || !isDigit(reading.codes[start + 3] ?? 0))
    return undefined;
  let compact = "";
  let index = start;
  while (index < reading.length && compact.length < wanted) {
    const char = String.fromCharCode(reading.codes[index] ?? 0);
    if (/[A-Za-z0-9]/.test(char)) compact += char.toUpperCase();
    else if (!/[ .-]/.test(char) || !isWordAt(reading, index - 1)) return undefined;
    index += 1;
  }
  if (isWordAt(reading, index) || !isIban(compact)) return undefined;
  return { entity: "iban", start, end: index };
}

function wordIdAt(scan: Scan, start: number): PiiMatch | undefined {
  if (scan.selection.countries.size === 0 || isWordAt(scan.reading, start - 1)) return undefined;
  const text = readingText(scan.reading, start, Math.min(scan.reading.length, start + 20));
  const match = /^[A-Za-z0-9]{9,16}(?![A-Za-z0-9])|^[A-Za-z]{2}(?: \d\d){3} [A-Za-z](?![A-Za-z0-9])/.exec(text);
  if (match === null || !isNationalIdWord(match[0].replaceAll(" ", ""), scan.selection.countries)) return undefined;
  return { entity: "national_id", start, end: start + match[0].length };
}

function ipv6At(scan: Scan, index: number): PiiMatch | undefined {
  const { reading } = scan;
  const isAddressCode = (code: number): boolean => /[0-9a-fA-F:.]/.test(String.fromCharCode(code));
  let start = index;
  while (start > scan.done && index - start < 5 && isAddressCode(reading.codes[start - 1] ?? 0)) start -= 1;
  let end = index + 1;
  while (end < reading.length && end - start < ipv6LengthMax && isAddressCode(reading.codes[end] ?? 0)) end += 1;
  while (
    end > index &&
    (reading.codes[end - 1] === 0x2e || (reading.codes[end - 1] === 0x3a && reading.codes[end - 2] !== 0x3a))
  )
    end -= 1;
  if (end - start < 6 || isWordAt(reading, start - 1) || isWordAt(reading, end)) return undefined;
  const text = readingText(reading, start, end);
  return isIP(text) === 6 && /\d/.test(text) ? { entity: "ip_address", start, end } : undefined;
}

/** A run of digit groups: addresses, cards, identity numbers and phones in it, most certain kind first. */
function scanNumber(scan: Scan, index: number): number {
  const { reading } = scan;
  const run = numberRunAt(reading, index);
  if (run.groups.length === 0) {
    return take(scan, "email", reading.codes[index] === 0x28 ? spelledEmailAt(reading, index) : undefined) ?? index + 1;
  }
  const before = readingText(reading, Math.max(scan.lastNumber, index - contextWindow), index);
  const attached = isWordAt(reading, index - 1) || isWordAt(reading, run.end);
  let group = 0;
  while (group < run.groups.length) {
    const found = numberMatch(scan, run, { group, before, attached });
    if (found === undefined) {
      group += 1;
      continue;
    }
    take(scan, found.entity, found);
    while (group < run.groups.length && run.start + (run.groups[group]?.start ?? 0) < found.end) group += 1;
  }
  scan.lastNumber = run.end;
  return Math.max(run.end, scan.done, index + 1);
}

interface Place {
  readonly group: number;
  readonly before: string;
  readonly attached: boolean;
}

function numberMatch(scan: Scan, run: NumberRun, place: Place): PiiMatch | undefined {
  const { entities, countries } = scan.selection;
  const from = place.group === 0 ? 0 : (run.groups[place.group]?.start ?? 0);
  const at = (entity: PiiEntity, start: number, end: number): PiiMatch => ({
    entity,
    start: run.start + start,
    end: run.start + end,
  });
  if (place.attached && (place.group === 0 || place.group === run.groups.length - 1)) {
    // Digits glued to letters are part of an identifier; phone extensions are the one exception.
    if (place.group > 0 || isWordAt(scan.reading, run.start - 1)) return undefined;
  }
  const groupStart = run.groups[place.group]?.start ?? 0;
  const address = entities.has("ip_address") ? ipv4End(run, place.group) : 0;
  if (address > 0) return at("ip_address", groupStart, address);
  const card = entities.has("credit_card") ? cardEnd(run, place.group) : 0;
  if (card > 0) return at("credit_card", groupStart, card);
  const id = entities.has("national_id") && countries.size > 0 ? idEnd(scan, run, place.group) : 0;
  if (id > 0) return at("national_id", groupStart, id);
  return entities.has("phone_number") ? phoneMatch(scan, run, { ...place, from }) : undefined;
}

function phoneMatch(scan: Scan, run: NumberRun, place: Place & { from: number }): PiiMatch | undefined {
  const text = run.text.slice(place.from);
  const first = run.groups[place.group];
  if (first === undefined || (first.end - first.start < 2 && place.group > 0)) return undefined;
  const after = readingText(scan.reading, run.end, Math.min(scan.reading.length, run.end + 14));
  const hasContext = text.length >= 6 && hasPhoneContext(place.group === 0 ? place.before : "");
  const length = phoneLength(text, { hasContext, after });
  if (length === 0) return undefined;
  return { entity: "phone_number", start: run.start + place.from, end: run.start + place.from + length };
}

function ipv4End(run: NumberRun, group: number): number {
  const first = run.groups[group];
  const last = run.groups[group + 3];
  if (first === undefined || last === undefined || last.end - first.start > 15) return 0;
  // A fifth dotted group makes it a version or an object identifier.
  if (run.text[last.end] === "." || run.text[first.start - 1] === ".") return 0;
  return isIP(run.text.slice(first.start, last.end)) === 4 ? last.end : 0;
}

function cardEnd(run: NumberRun, group: number): number {
  const first = run.groups[group];
  if (first === undefined || first.end - first.start < 2) return 0;
  let digits = "";
  for (let index = group; index < Math.min(run.groups.length, group + 8); index += 1) {
    const current = run.groups[index];
    const previous = run.groups[index - 1];
    if (current === undefined) break;
    if (index > group && previous !== undefined && !/^[ .-]$/.test(run.text.slice(previous.end, current.start))) break;
    digits += run.text.slice(current.start, current.end);
    if (digits.length > 19) break;
    if (digits.length >= 12 && isCardNumber(digits)) return current.end;
  }
  return 0;
}

function idEnd(scan: Scan, run: NumberRun, group: number): number {
  const first = run.groups[group];
  if (first === undefined) return 0;
  for (let index = Math.min(run.groups.length - 1, group + 6); index >= group; index -= 1) {
    const last = run.groups[index];
    if (last === undefined || last.end - first.start < 9 || last.end - first.start > 21) continue;
    if (isNationalIdNumber(run.text.slice(first.start, last.end), scan.selection.countries)) return last.end;
  }
  return 0;
}
