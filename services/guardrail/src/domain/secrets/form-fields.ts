import { type Reading, readingText } from "../text/reading.ts";
import { kindOfField } from "./assignments.ts";
import type { SecretMatch } from "./find-secrets.ts";
import { isBracketed } from "./written-value.ts";

/** UTF-16 units before the name of a field in its part's header. */
const headLengthMax = 160;
/** UTF-16 units of a field from its name on: the rest of its headers, and a value. */
const fieldLengthMax = 1_024;
const disposition = /content-disposition:[ \t]*form-data;[^\r\n]*[; \t]name$/i;
const field =
  /^="([^"\r\n]{1,64}?)\]?"[^\r\n]{0,200}\r?\n(?:[\w-]{1,40}:[^\r\n]{0,200}\r?\n){0,4}\r?\n([^\s][^\r\n]{0,255})(?:\r?\n|$)/;

/** Last letter of `name` before the equals sign. */
const lastOfName = 0x65;
const quote = 0x22;

/** Credential in a field of a multipart form (RFC 7578), at the equals sign behind `name` in its part's header. Bounded work. */
export function formFieldAt(reading: Reading, index: number): SecretMatch | undefined {
  const { codes, length } = reading;
  if (codes[index - 1] !== lastOfName || codes[index + 1] !== quote) return undefined;
  if (!disposition.test(readingText(reading, Math.max(0, index - headLengthMax), index))) return undefined;
  const found = field.exec(readingText(reading, index, Math.min(length, index + fieldLengthMax)));
  const [whole = "", name = "", value = ""] = found ?? [];
  // As other values are, by what stands before the first blank.
  const [judged = ""] = /^\S*/u.exec(value) ?? [];
  const kind = found === null || isBracketed(value) ? undefined : kindOfField(name, judged);
  if (kind === undefined) return undefined;
  const start = index + whole.lastIndexOf(value);
  return { kind, start, end: start + value.length };
}
