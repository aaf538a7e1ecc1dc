import { numberText } from "@gatehouse/json";
import { type Reading, ReadingBuilder, readingText } from "./reading.ts";

/** A digit before and behind the mark of an exponent, which most texts have nowhere. */
const probe = /\d[eE][+-]?\d/;
/** A number with an exponent where JSON and YAML have a value; elsewhere it is a measure or a part of an identifier. */
const written = /(?<=[:,[]\s{0,8})-?\d+(?:\.\d+)?[eE][+-]?\d{1,3}(?![\w.])/gu;
/** Units before a number, and behind its last digit before the mark, that decide whether it is one. */
const beforeMax = 10;
const behindMax = 8;
/** Digits of the longest value that is a number: longer ones are no identifier. */
const digitsMax = 40;

/** Whether a text may hold a number with an exponent. */
export function mayHoldExponent(source: string): boolean {
  return probe.test(source);
}

/**
 * Writes values with an exponent out, as JSON bodies are judged: `4.1e3` as `4100`. Each digit stands for the whole number. Linear.
 */
export function writeExponentsOut(input: Reading): Reading {
  let output: ReadingBuilder | undefined;
  let copied = 0;
  for (let mark = nextMark(input, 1); mark < input.length; mark = nextMark(input, mark + 1)) {
    const found = numberAround(input, mark);
    const digits = found === undefined ? "" : numberText(found.text);
    if (found === undefined || digits === found.text || digits.length > digitsMax) continue;
    const { start } = found;
    const end = start + found.text.length;
    output ??= new ReadingBuilder(input.length + digitsMax);
    output.copyRange(input, copied, start);
    output.pushText(digits, { start: input.starts?.[start] ?? start, end: input.ends?.[end - 1] ?? end });
    copied = end;
  }
  if (output === undefined) return input;
  output.copyRange(input, copied, input.length);
  return output.build();
}

/** Index of the next mark of an exponent behind a digit, or the end. Digits are rarer than the letter. */
function nextMark({ codes, length }: Reading, from: number): number {
  let index = from;
  while (index < length && !(isDigit(codes[index - 1] ?? 0) && ((codes[index] ?? 0) | 0x20) === 0x65)) index += 1;
  return index;
}

/** The number with the exponent whose mark stands at a place. */
function numberAround(input: Reading, mark: number): { text: string; start: number } | undefined {
  const { codes, length } = input;
  let first = mark - 1;
  while (first > 0 && isInNumber(codes[first - 1] ?? 0)) first -= 1;
  const from = Math.max(0, first - beforeMax);
  written.lastIndex = first - from;
  const found = written.exec(readingText(input, from, Math.min(length, mark + behindMax)));
  const start = from + (found?.index ?? 0);
  return found === null || start >= mark ? undefined : { text: found[0], start };
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isInNumber(code: number): boolean {
  return isDigit(code) || code === 0x2e || code === 0x2d;
}
