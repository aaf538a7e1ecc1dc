import { isSmallLatin } from "./char-class.ts";
import { type Reading, ReadingBuilder } from "./reading.ts";
import type { ScratchBuffers } from "./scratch-buffers.ts";

/** Units that are looked at to see whether a text has blanks as prose does. */
const sampleLength = 256;
/** Units per word at most in prose of any language that has blanks. */
const unitsPerWordMax = 12;
/** Humps per blank at least: where case is random, words have about one. */
const humpsPerBlankMin = 4;
/** Humps per digit at least: keys and encoded bytes have as many digits as capitals. */
const humpsPerDigitMin = 4;
/** Fewer humps are a name. */
const humpsMin = 3;

const blank = 0x20;

/**
 * The reading with a blank before each hump, where a text has capitals in place of blanks ("IgnoreAllOfThis"); else as it is. The
 * beginning shows whether it is prose, which then costs nothing. Linear. With a scratch, see there how long the reading lasts.
 */
export function undoCamelCase(canonical: Reading, scratch?: ScratchBuffers): Reading {
  const { codes, length } = canonical;
  const sampled = Math.min(length, sampleLength);
  if (!isCamelCase(codes, sampled) || !isCamelCase(codes, length)) return canonical;
  const output = new ReadingBuilder(length + Math.ceil(length / 2), scratch);
  let copied = 0;
  for (let index = 0; index < length; index += 1) {
    if (!isHump(codes, index)) continue;
    output.copyRange(canonical, copied, index);
    output.copy(canonical, index, blank);
    copied = index;
  }
  output.copyRange(canonical, copied, length);
  return output.build();
}

/** Whether the units up to an end have humps as prose has blanks, and oftener than blanks. */
function isCamelCase(codes: Uint16Array, end: number): boolean {
  let [humps, blanks, digits] = [0, 0, 0];
  for (let index = 0; index < end; index += 1) {
    const code = codes[index] ?? 0;
    if (code === blank || code === 0x0a) blanks += 1;
    else if (code >= 0x30 && code <= 0x39) digits += 1;
    else if (isHump(codes, index)) humps += 1;
  }
  return (
    humps >= humpsMin &&
    humps >= blanks * humpsPerBlankMin &&
    humps >= digits * humpsPerDigitMin &&
    humps * unitsPerWordMax >= end
  );
}

/** Whether a word begins at a capital: behind anything but a capital, and before a small letter behind one ("IAmHere", "AnAIJustAs"). */
function isHump(codes: Uint16Array, index: number): boolean {
  if (index === 0 || !isCapital(codes[index] ?? 0)) return false;
  const before = codes[index - 1] ?? 0;
  return isCapital(before) ? isSmallLatin(codes[index + 1] ?? 0) : before !== blank && before !== 0x0a;
}

function isCapital(code: number): boolean {
  return code >= 0x41 && code <= 0x5a;
}
