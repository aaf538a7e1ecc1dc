import { type Reading, readingText } from "../text/reading.ts";
import type { SecretMatch } from "./find-secrets.ts";
import { isPasswordLike, isPlaceholder } from "./values.ts";
import { valueAfter } from "./written-value.ts";

const authorityLengthMax = 400;
const urlPasswordMin = 6;
/**
 * The user may be an address, and the password have at signs, which its encoding lacks. A numeric host in
 * brackets is no user, and digits before a query or a fragment are a port: at signs behind them belong to the path or the query.
 */
const authority =
  /^:\/\/(?!\[[\da-fA-F:.]{2,45}\])[^\s/:"'<>]{0,128}:(?!\d{1,5}[?#])([^\s/@"'<>]{1,200}(?:@[\w.!$%^*+~-]{1,64}){0,2})@[\w[]/;

/** The password of an address with credentials (`scheme://user:password@host`) at the colon of its scheme. */
export function urlPasswordAt(reading: Reading, colon: number): SecretMatch | undefined {
  const { codes, length } = reading;
  if (codes[colon + 1] !== 0x2f || codes[colon + 2] !== 0x2f) return undefined;
  const found = authority.exec(readingText(reading, colon, Math.min(length, colon + authorityLengthMax)));
  const password = found?.[1];
  if (found === null || password === undefined || password.length < urlPasswordMin) return undefined;
  if (isPlaceholder(password) || /^pass(?:word|wd)?$/iu.test(password)) return undefined;
  const start = colon + found[0].length - password.length - 2;
  return { kind: "url_password", start, end: start + password.length };
}

const userLengthMax = 64;
const userSigns = new Set(Array.from("_.@+-", (char) => char.charCodeAt(0)));
const userFlag = /(?:^|\s)(?:-u|--user|--basic|--proxy-user)[ =]?["']?[\w.@+-]{1,64}$/;
const flagLengthMax = 16;
const flagValue = /^:((?:[^\s"'`]|["'`](?=[A-Za-z0-9])){6,128})/;

/** A blank, equals sign or quote before a user's name. */
const flagEnds = new Set([0x20, 0x3d, 0x22, 0x27]);

function isUserCode(code: number): boolean {
  const lower = code | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || (code >= 0x30 && code <= 0x39) || userSigns.has(code);
}

/** The password of a command's user (`curl -u user:password`) at the colon before it. */
export function userPasswordAt(reading: Reading, colon: number): SecretMatch | undefined {
  const { codes, length } = reading;
  if ((codes[colon + 1] ?? 0) <= 0x20) return undefined;
  let start = colon;
  while (colon - start < userLengthMax && isUserCode(codes[start - 1] ?? 0)) start -= 1;
  if (start === colon || !flagEnds.has(codes[start - 1] ?? 0)) return undefined;
  const before = readingText(reading, Math.max(0, start - flagLengthMax), colon);
  if (!before.includes("-") || !userFlag.test(before)) return undefined;
  const password = flagValue.exec(readingText(reading, colon, Math.min(length, colon + authorityLengthMax)))?.[1];
  if (password === undefined || !isPasswordLike(password, { isQuoted: true })) return undefined;
  return { kind: "password", start: colon + 1, end: colon + 1 + password.length };
}

const commandLengthMax = 80;
const loginCommand =
  /(?:\b|(?<=\\[nrt]))(?:docker|podman|helm registry|oras|az acr|skopeo|buildah) login\b[^\n|;&]{0,60}\s$/;
const passwordFlag = /^(?:-p|--password)[ =]["']?((?:[^\s"'`]|["'`](?=[A-Za-z0-9])){6,128})/;

/** The password that a command logs in to a registry with (`docker login -p …`) at the first dash of its flag. */
export function loginPasswordAt(reading: Reading, dash: number): SecretMatch | undefined {
  const { codes, length } = reading;
  const letter = codes[dash + 1] === 0x2d ? dash + 2 : dash + 1;
  if (codes[letter] !== 0x70 || codes[dash - 1] !== 0x20) return undefined;
  const found = passwordFlag.exec(readingText(reading, dash, Math.min(length, dash + authorityLengthMax)));
  const password = found?.[1];
  if (found === null || password === undefined || !isPasswordLike(password, { isQuoted: true })) return undefined;
  if (!loginCommand.test(readingText(reading, Math.max(0, dash - commandLengthMax), dash))) return undefined;
  const start = dash + found[0].length - password.length;
  return { kind: "password", start, end: start + password.length };
}

const saidLengthMax = 160;
const saidName =
  /^(?:pass(?:word|wd|phrase|code)|pwd)(?: (?:for|to|of|on) (?:[\w.'-]{1,24} ){0,3}?)?(?: ?(?:is|was)(?: now)?(?= |["'“`])|['’]s ?(?::|(?=["'“`])))/i;
/** An algorithm or encoding with its usual numbers. A password that only begins so has others. */
const method =
  /^(?:hmac|pbkdf2?)?(?:sha(?:[123]|224|256|384|512)?|md[2456]?|aes(?:128|192|256)?|rsa(?:1024|2048|3072|4096)?|pbkdf[12]?|[bs]crypt|argon(?:2(?:id|[id])?)?|base(?:16|32|36|45|58|62|64|85|91)?|utf(?:7|8|16|32)?|iso(?:\d{3,5})?|rfc(?:\d{3,5})?|hmac|ntlm(?:v[12])?)$/i;
/** Parts behind the first one, as in `SHA3-512`, `AES-256-GCM`, `ISO-8859-1`. */
const methodDetail = /^(?:\d{1,5}|id?|d|[a-z]{3}|[lb]e)$/i;
const treatment = /^[ -](?:hashed|encoded|encrypted|hash|compliant)\b/i;

/** Whether a value says how passwords are kept, not which one it is. */
function isMethod(value: string): boolean {
  const [first = "", ...others] = value.split(/[-_/]/u);
  return method.test(first) && others.every((part) => methodDetail.test(part) || method.test(part));
}

/**
 * The password that a sentence tells (`my password is …`) at the word for it. Prose has such words too: a digit and a letter must be
 * in it, and neither it nor the word behind it may say how passwords are kept (`SHA-256 hashed`).
 */
export function saidPasswordAt(reading: Reading, start: number): SecretMatch | undefined {
  const { codes, length } = reading;
  const third = (codes[start + 2] ?? 0) | 0x20;
  if (((codes[start] ?? 0) | 0x20) !== 0x70 || (third !== 0x73 && third !== 0x64)) return undefined;
  const said = saidName.exec(readingText(reading, start, Math.min(length, start + saidLengthMax)));
  const value = said === null ? undefined : valueAfter(reading, start + said[0].length);
  if (value === undefined) return undefined;
  const written = value.isQuoted ? value.text : value.text.replace(/[.!?]+$/u, "");
  const end = value.isQuoted ? value.end : value.start + written.length;
  if (!isPasswordLike(written, value)) return undefined;
  const isMixed = /\d/u.test(written) && /[A-Za-z]/u.test(written) && !/-[a-z]{3,}$|^\d+-?[a-z]+$/u.test(written);
  if (!isMixed || isMethod(written) || treatment.test(readingText(reading, end, Math.min(length, end + saidLengthMax))))
    return undefined;
  return { kind: "password", start: value.start, end };
}
