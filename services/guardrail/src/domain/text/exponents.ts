import { numberText } from "@gatehouse/json";
import { type Reading, ReadingBuilder, withText } from "./reading.ts";

/** A digit before and behind the mark of an exponent, which most texts have nowhere. */
const probe = /\d[eE][+-]?\d/;
/** A number with an exponent where JSON and YAML have a value; elsewhere it is a measure or a part of an identifier. */
const written = /(?<=[:,[]\s{0,8})-?\d+(?:\.\d+)?[eE][+-]?\d{1,3}(?![\w.])/gu;
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
  for (const match of withText(input).text.matchAll(written)) {
    const [number] = match;
    const digits = numberText(number);
    if (digits === number || digits.length > digitsMax) continue;
    output ??= new ReadingBuilder(input.length + digitsMax);
    output.copyRange(input, copied, match.index);
    const end = match.index + number.length;
    output.pushText(digits, { start: input.starts?.[match.index] ?? match.index, end: input.ends?.[end - 1] ?? end });
    copied = end;
  }
  if (output === undefined) return input;
  output.copyRange(input, copied, input.length);
  return output.build();
}
