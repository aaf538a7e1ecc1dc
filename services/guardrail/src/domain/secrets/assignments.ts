import { charClasses, LETTER } from "../text/char-class.ts";
import { type Reading, readingText } from "../text/reading.ts";
import { secretFormats } from "./compile-formats.ts";
import type { SecretMatch } from "./find-secrets.ts";
import { isPasswordLike, isPlaceholder, isRandom } from "./values.ts";
import { memberBlanksMax, valueAfter, valueOnNextLine, type WrittenValue } from "./written-value.ts";

const nameLengthMax = 64;
const contextLength = 48;
const valueLengthMax = 256;
const longValue = 32;
/** No credential that is known by its name is shorter; only passwords are. */
export const namedLengthMin = 15;
const gapMax = 4;
/** Units of a gap with its backslashes: four levels of JSON in strings. */
const gapLengthMax = 32;
const backslash = 0x5c;
const colon = 0x3a;
const lessThan = 0x3c;
const greaterThan = 0x3e;
const questionMark = 0x3f;
const ampersand = 0x26;
const lineFeed = 0x0a;
const equalsSign = 0x3d;

/** Words for passwords in other languages, each of three letters or more, or of two Chinese ones. */
const foreignPasswords = (
  "passwort kennwort contraseña contrasena passe senha wachtwoord parola şifre sifre hasło heslo пароль lösenord salasana passord " +
  "jelszó adgangskode sandi khẩu 密码 密碼 口令 パスワード 비밀번호 รหัสผ่าน المرور पासवर्ड"
).split(" ");
/** Last three letters of the names that credentials are given; nearly every other name ends otherwise. */
const nameEnds = new Set([
  ...foreignPasswords.map((word) => word.slice(-3)),
  "ord",
  "swd",
  "pwd",
  "ass",
  "ase",
  "ret",
  "ken",
  "key",
  "ial",
  "als",
  "uth",
  "pat",
  "sig",
  "dsn",
  "pin",
]);
/** Per code unit: 1 where such a name may end with it. */
const lastLetters = Uint8Array.from({ length: 0x1_0000 }, (_, code) => {
  const last = String.fromCharCode(code).toLowerCase().at(-1);
  return Array.from(nameEnds).some((ending) => ending.endsWith(last ?? " ")) ? 1 : 0;
});
const passwordName = new RegExp(`(?:pass(?:word|wd|phrase|code)?|passwd|pwd|${foreignPasswords.join("|")})$`, "u");
const secretName =
  /(?:secret|token|credentials?|auth|(?:api|access|secret|private|auth|encrypt(?:ion)?|sign(?:ing)?|master|service|account|client|app|admin|root|x)[_.-]?key|apikey)$/;

/** Position of a scan. */
interface AssignmentScan {
  readonly reading: Reading;
  /** Nothing before this index may be part of another match. */
  readonly done: number;
  /** Signs before this index are inside a long value that has been judged. */
  judged: number;
}

/**
 * Value assigned at a colon or equals sign, where the name before it says that it is a credential and the value looks like one:
 * `password=…`, `"api_key": "…"`, `DATADOG_TOKEN => …`, `<password>…</password>`. Bounded work.
 */
export function assignmentAt(scan: AssignmentScan, index: number): SecretMatch | undefined {
  const { reading, done, judged } = scan;
  const name = index < judged ? undefined : nameBefore(reading, index, done);
  if (name === undefined) return undefined;
  // Behind the name of an element stands its content.
  if (reading.codes[index] === greaterThan && reading.codes[name.start - 1] !== lessThan) return undefined;
  const lower = name.text.toLowerCase();
  return passwordName.test(lower)
    ? passwordAfter(scan, index, { lower, start: name.start })
    : keyAfter(scan, index, { lower, start: name.start });
}

function passwordAfter(
  scan: AssignmentScan,
  index: number,
  name: { readonly lower: string; readonly start: number },
): SecretMatch | undefined {
  const { codes } = scan.reading;
  const before = codes[name.start - 1];
  const context = {
    isContent: codes[index] === greaterThan && before === lessThan,
    isParameter: before === questionMark || before === ampersand,
    isMember: isNameOfMember(codes, name.start, index),
  };
  const onNextLine = () => (codes[index] === colon ? valueOnNextLine(scan.reading, index + 1) : undefined);
  const value = valueAfter(scan.reading, index + 1, context) ?? onNextLine();
  if (value === undefined) return undefined;
  if (value.end - value.start >= longValue) scan.judged = value.end;
  const isMember = codes[index] === colon && (value.isQuoted || isQuotedName(codes, index));
  const isStructured = context.isContent || isMember;
  const isFound = isPassword(name.lower, value) || (isStructured && isNumericPassword(name.lower, value.text));
  return isFound ? { kind: "password", start: value.start, end: value.end } : undefined;
}

/** Credential that a field with a name has, where the value is delimited from all around it. */
export function kindOfField(name: string, value: string): string | undefined {
  const lower = name.toLowerCase();
  if (passwordName.test(lower))
    return isPassword(lower, { text: value, isQuoted: true }) || isNumericPassword(lower, value)
      ? "password"
      : undefined;
  return value.length < namedLengthMin ? undefined : kindOf(lower, lower, value);
}

function isPassword(lower: string, value: Pick<WrittenValue, "text" | "isQuoted">): boolean {
  return isPasswordLike(value.text, value) && !(isCountName(lower) && /^[\d\s/.,:%+-]*$/u.test(value.text));
}

/** Whether a value of digits alone is a password: only in data, whose members have no other meaning. */
function isNumericPassword(lower: string, value: string): boolean {
  return /^\d{6,128}$/u.test(value) && !isPlaceholder(value) && !isCountName(lower);
}

/** Whether a name may be that of a count of tests, a share or a time, too: a short `pass`. */
function isCountName(lower: string): boolean {
  return lower.endsWith("pass");
}

/** Whether a name is that of a member: a quote ends it, or it stands at the beginning of its line. */
function isNameOfMember(codes: Uint16Array, start: number, sign: number): boolean {
  return start === 0 || codes[start - 1] === lineFeed || isQuotedName(codes, sign);
}

/** Whether a quote ends the name before a colon, as in JSON. */
function isQuotedName(codes: Uint16Array, colonAt: number): boolean {
  let end = colonAt;
  while (end > 0 && colonAt - end < gapMax && codes[end - 1] === 0x20) end -= 1;
  return codes[end - 1] === 0x22 || codes[end - 1] === 0x27;
}

function keyAfter(
  scan: AssignmentScan,
  index: number,
  name: { readonly lower: string; readonly start: number },
): SecretMatch | undefined {
  const { reading, done } = scan;
  const around =
    readingText(reading, Math.max(done, name.start - contextLength), name.start).toLowerCase() + name.lower;
  const isNamed = secretName.test(name.lower) || secretFormats().contextWord.test(around);
  const value = isNamed ? keyText(reading, index + 1, isNameOfMember(reading.codes, name.start, index)) : undefined;
  if (value === undefined) return undefined;
  const end = value.start + value.text.length;
  if (value.text.length >= longValue) scan.judged = end;
  const kind = value.text.length < namedLengthMin ? undefined : kindOf(name.lower, around, value.text);
  return kind === undefined ? undefined : { kind, start: value.start, end };
}

function kindOf(name: string, around: string, value: string): string | undefined {
  const { context, contextWord } = secretFormats();
  const format = contextWord.test(around)
    ? context.find(({ words, value: wanted }) => wanted.test(value) && words.some((word) => around.includes(word)))
    : undefined;
  if (format !== undefined && /\d|[a-z][A-Z]/u.test(value)) return format.kind;
  return secretName.test(name) && value.length >= 16 && isRandom(value) ? "generic_secret" : undefined;
}

/** The identifier before a sign, quotes and blanks between them left out; only one that ends as names of credentials do. */
function nameBefore(reading: Reading, index: number, done: number): { text: string; start: number } | undefined {
  const { codes } = reading;
  let end = index;
  for (let counted = 0; end > done && isGap(codes[end - 1] ?? 0); end -= 1) {
    counted += countOf(codes, end - 1);
    if (counted > gapMax || index - end >= gapLengthMax) break;
  }
  if (end - done < 2 || lastLetters[codes[end - 1] ?? 0] === 0) return undefined;
  const ending = String.fromCharCode(codes[end - 3] ?? 0, codes[end - 2] ?? 0, codes[end - 1] ?? 0).toLowerCase();
  if (!nameEnds.has(ending) && !nameEnds.has(ending.slice(1))) return undefined;
  let start = Math.max(done, end - 3);
  while (start > done && end - start < nameLengthMax && isNameCode(codes[start - 1] ?? 0)) start -= 1;
  return { text: readingText(reading, start, end), start };
}

/** The characters of a key behind a sign: any of ASCII but quotes, blanks and what ends a value in code. */
function keyText(reading: Reading, from: number, isMember: boolean): { text: string; start: number } | undefined {
  const { codes, length } = reading;
  let start = from;
  for (let counted = 0; start < length && (isGap(codes[start] ?? 0) || codes[start] === greaterThan); start += 1) {
    counted += countOf(codes, start);
    if (counted > gapMax || start - from >= gapLengthMax) break;
  }
  if (isMember && isQuote(codes[start - 1]) && !isQuote(codes[start - 2])) start = endOfBlanks(reading, start);
  let end = start;
  const isContent = codes[from - 1] === greaterThan;
  while (end < length && end - start < valueLengthMax && isValueCode(codes[end] ?? 0)) {
    if (isContent && codes[end] === lessThan) break;
    if (codes[end] === ampersand && isParameterAt(reading, end + 1)) break;
    end += 1;
  }
  // A full stop or colon ends a sentence, not a value.
  while (end > start && (codes[end - 1] === 0x2e || codes[end - 1] === 0x3a)) end -= 1;
  return end === start ? undefined : { text: readingText(reading, start, end), start };
}

/** Whether the name of a parameter and its equals sign stand at a place. */
function isParameterAt({ codes, length }: Reading, start: number): boolean {
  let end = start;
  while (end < length && end - start < nameLengthMax && isNameCode(codes[end] ?? 0)) end += 1;
  return end > start && codes[end] === equalsSign;
}

/** The first unit behind line ends and tabs at the beginning of a member's value. */
function endOfBlanks({ codes, length }: Reading, start: number): number {
  let end = start;
  while (end < length && end - start < memberBlanksMax && (codes[end] ?? 0) <= 0x20) end += 1;
  return end;
}

function isQuote(code: number | undefined): boolean {
  return code === 0x22 || code === 0x27 || code === 0x60;
}

/** Only the first of several backslashes in a row counts, as before a quote in JSON in strings. */
function countOf(codes: Uint16Array, index: number): number {
  return codes[index] === backslash && codes[index - 1] === backslash ? 0 : 1;
}

/** Blanks, quotes, and the colon and equals sign of `:=` and `==`. */
function isGap(code: number): boolean {
  return code === 0x20 || code === 0x22 || code === 0x27 || code === 0x60 || code === 0x3d || code === 0x5c;
}

function isNameCode(code: number): boolean {
  const lower = code | 0x20;
  return (
    (lower >= 0x61 && lower <= 0x7a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x5f ||
    code === 0x2d ||
    code === 0x2e ||
    (code >= 0x80 && ((charClasses()[code] ?? 0) & LETTER) !== 0)
  );
}

function isValueCode(code: number): boolean {
  return (
    code > 0x20 &&
    code < 0x7f &&
    code !== 0x22 &&
    code !== 0x27 &&
    code !== 0x60 &&
    code !== 0x2c &&
    code !== 0x3b &&
    code !== 0x5c
  );
}
