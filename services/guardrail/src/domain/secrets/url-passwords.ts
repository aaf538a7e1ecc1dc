import { type Reading, readingText } from "../text/reading.ts";
import type { SecretMatch } from "./find-secrets.ts";
import { isPlaceholder } from "./values.ts";

const authorityLengthMax = 400;
const authority = /^:\/\/[^\s/:@"'<>]{0,128}:([^\s/@"'<>]{6,200})@[\w[]/;

/** The password of an address with credentials (`scheme://user:password@host`) at the colon of its scheme. */
export function urlPasswordAt(reading: Reading, colon: number): SecretMatch | undefined {
  const { codes, length } = reading;
  if (codes[colon + 1] !== 0x2f || codes[colon + 2] !== 0x2f) return undefined;
  const found = authority.exec(readingText(reading, colon, Math.min(length, colon + authorityLengthMax)));
  const password = found?.[1];
  if (found === null || password === undefined || isPlaceholder(password) || /^pass(?:word|wd)?$/iu.test(password)) {
    return undefined;
  }
  const start = colon + found[0].length - password.length - 2;
  return { kind: "url_password", start, end: start + password.length };
}
