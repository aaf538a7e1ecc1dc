import { ACCENT, charClasses, DIGIT, IGNORABLE, LETTER } from "./char-class.ts";
import { replaceLookAlikes } from "./look-alike-words.ts";
import { lookAheadMax, type Reading, ReadingBuilder } from "./reading.ts";
import { nextMarked } from "./runs.ts";
import type { ScratchBuffers } from "./scratch-buffers.ts";

/** Fewer variation selectors in a row than this decorate a character; more carry hidden bytes. */
const smuggledBytesMin = 4;
const composedPairsMax = 8192;
/**
 * UTF-16 units of the longest compatibility form that takes the place of its sign. Longer ones are whole phrases in one sign
 * (U+FDFA has 18 units) that disguise nothing, and would let a text grow to many times its size.
 */
const formLengthMax = 4;

/**
 * Removes disguise that does not change how a text looks: ignorable and control characters, compatibility forms (NFKC),
 * digits of other scripts, stacked accents, tag characters and variation selectors that hide text, look-alike letters in
 * words that mix alphabets. Returns the same reading when there is nothing to do. Linear in the length. With a scratch, see there how long
 * the reading lasts.
 */
export function normalize(input: Reading, scratch?: ScratchBuffers): Reading {
  const { length } = input;
  const first = endOfNormal(input, 0);
  if (first === length) return replaceLookAlikes(input);
  const { singles, done } = normalizeSingles(input, first);
  if (done === length) return replaceLookAlikes(singles);
  const output = new ReadingBuilder(length, scratch);
  let index = done;
  for (let copied = 0; ;) {
    output.copyRange(singles, copied, index);
    if (index >= length) break;
    copied = normalizeAt(singles, index, output);
    index = endOfNormal(singles, copied);
  }
  return replaceLookAlikes(output.build());
}

/**
 * Normalises up to the first character whose form has another length. Until there each unit stays where it is, so that quotation
 * marks, blanks and pictographs alone, which most texts beyond ASCII have, need no offsets.
 */
function normalizeSingles(input: Reading, first: number): { readonly singles: Reading; readonly done: number } {
  const { length, starts, ends } = input;
  const codes = input.codes.slice(0, length + lookAheadMax);
  const singles: Reading = { codes, length, starts, ends };
  for (let index = first; index < length; index = endOfNormal(singles, index + 1)) {
    const code = codes[index] ?? 0;
    const isPair = code >= 0xd800 && code <= 0xdfff;
    if (isPair) {
      if (!isOwnPair(singles, index)) return { singles, done: index };
      index += 1;
      continue;
    }
    const isSpecial = (code >= 0xfe00 && code <= 0xfe0f) || ((charClasses()[code] ?? 0) & (IGNORABLE | ACCENT)) !== 0;
    const form = isSpecial ? undefined : compatibleForm(code);
    if (form?.length !== 1) return { singles, done: index };
    codes[index] = form.charCodeAt(0);
  }
  return { singles, done: length };
}

/** Whether a pair of units stands for itself: no half, no tag or selector, no picture between letters, its own normal form. */
function isOwnPair(input: Reading, index: number): boolean {
  const point = codePointAt(input, index);
  const isHidden = point >= 0xe0000 && point <= 0xe01ef;
  return point >= 0x1_0000 && !isHidden && compatibleForm(point) === undefined && !partsLetters(input, index, point);
}

const CHANGES = 1;
const UNKNOWN = 2;
/** Per code unit: 0 where it is its own normal form wherever it stands. */
const kinds = new Uint8Array(0x1_0000).fill(UNKNOWN).fill(0, 0x20, 0x7f);
for (const code of [0x09, 0x0a, 0x0d]) kinds[code] = 0;

/** Index of the first unit from `from` on that may change. */
function endOfNormal({ codes, length }: Reading, from: number): number {
  let index = nextMarked(codes, { from, length }, kinds);
  while (index < length && kindOf(codes[index] ?? 0) !== CHANGES)
    index = nextMarked(codes, { from: index + 1, length }, kinds);
  return index;
}

function kindOf(code: number): number {
  if (kinds[code] === CHANGES) return CHANGES;
  const isPart = (code >= 0xd800 && code <= 0xdfff) || (code >= 0xfe00 && code <= 0xfe0f);
  const isSpecial = isPart || ((charClasses()[code] ?? 0) & (IGNORABLE | ACCENT)) !== 0;
  const kind = isSpecial || compatibleForm(code) !== undefined ? CHANGES : 0;
  kinds[code] = kind;
  return kind;
}

/** Handles the character at `index` and returns the index after it. */
function normalizeAt(input: Reading, index: number, output: ReadingBuilder): number {
  const code = input.codes[index] ?? 0;
  if (code >= 0xd800 && code <= 0xdfff) return normalizeSurrogate(input, index, output);
  if (code >= 0xfe00 && code <= 0xfe0f) return readSelectors(input, index, output);
  const flags = charClasses()[code] ?? 0;
  if ((flags & IGNORABLE) !== 0) return index + 1;
  if ((flags & ACCENT) !== 0) {
    composeAccent(input, index, output);
    return index + 1;
  }
  const form = compatibleForm(code);
  if (form === undefined) output.copy(input, index, code);
  else for (let at = 0; at < form.length; at += 1) output.copy(input, index, form.charCodeAt(at));
  return index + 1;
}

function normalizeSurrogate(input: Reading, index: number, output: ReadingBuilder): number {
  const point = codePointAt(input, index);
  if (point < 0x1_0000) {
    output.copy(input, index, 0xfffd);
    return index + 1;
  }
  if (point >= 0xe0100 && point <= 0xe01ef) return readSelectors(input, index, output);
  if (point >= 0xe0000 && point <= 0xe007f) {
    if (point >= 0xe0020 && point < 0xe007f)
      pushPair(input, index, { output, text: String.fromCharCode(point - 0xe0000) });
    return index + 2;
  }
  if (partsLetters(input, index, point)) return index + 2;
  pushPair(input, index, { output, text: compatibleForm(point) ?? String.fromCodePoint(point) });
  return index + 2;
}

/** Whether a picture stands beside a letter that pictures part from the rest of its word: "i😀g😀n", not "ignore😀all". */
function partsLetters({ codes, length }: Reading, index: number, point: number): boolean {
  if (point < firstPicture || point > lastPicture) return false;
  const unit = (at: number): number => (at >= 0 && at < length ? (codes[at] ?? 0) : 0);
  // Halves of pairs count as letters elsewhere, for some letters are pairs.
  const isPair = (code: number): boolean => code >= 0xd800 && code <= 0xdfff;
  const isLetter = (code: number): boolean => !isPair(code) && ((charClasses()[code] ?? 0) & LETTER) !== 0;
  const [before, after] = [unit(index - 1), unit(index + 2)];
  if (isLetter(before) && isPair(unit(index - 2))) return true;
  return isLetter(after) && isPair(unit(index + 3)) && !isLetter(unit(index - 2));
}

/** The blocks of pictographs (Unicode 17, from Miscellaneous Symbols and Pictographs to Symbols and Pictographs Extended-A). */
const firstPicture = 0x1f300;
const lastPicture = 0x1faff;

function pushPair(input: Reading, index: number, piece: { output: ReadingBuilder; text: string }): void {
  const start = input.starts?.[index] ?? index;
  const end = input.ends?.[index + 1] ?? index + 2;
  piece.output.pushText(piece.text, { start, end });
}

function codePointAt(input: Reading, index: number): number {
  const high = input.codes[index] ?? 0;
  const low = index + 1 < input.length ? (input.codes[index + 1] ?? 0) : 0;
  if (high > 0xdbff || low < 0xdc00 || low > 0xdfff) return high;
  return (high - 0xd800) * 0x400 + (low - 0xdc00) + 0x1_0000;
}

/** Reads a run of variation selectors: a long one hides one byte of UTF-8 in each. */
function readSelectors(input: Reading, from: number, output: ReadingBuilder): number {
  const bytes: number[] = [];
  let index = from;
  while (index < input.length) {
    const point = codePointAt(input, index);
    if (point >= 0xfe00 && point <= 0xfe0f) bytes.push(point - 0xfe00);
    else if (point >= 0xe0100 && point <= 0xe01ef) bytes.push(point - 0xe0100 + 16);
    else break;
    index += point > 0xffff ? 2 : 1;
  }
  if (bytes.length >= smuggledBytesMin) {
    const start = input.starts?.[from] ?? from;
    const end = input.ends?.[index - 1] ?? index;
    output.pushText(Buffer.from(bytes).toString("utf8"), { start, end });
  }
  return index;
}

const composedPairs = new Map<number, number>();

/** Puts an accent on the letter before it where Unicode has that letter (é); drops every other accent. */
function composeAccent(input: Reading, index: number, output: ReadingBuilder): void {
  const last = output.length - 1;
  const base = last < 0 ? 0 : (output.codes[last] ?? 0);
  if (base < 0x41) return;
  const composed = composedPair(base, input.codes[index] ?? 0);
  if (composed === 0) return;
  output.codes[last] = composed;
  output.ends[last] = input.ends?.[index] ?? index + 1;
}

/** The single code unit for a letter and an accent, or 0. Remembers a bounded number of pairs. */
function composedPair(base: number, accent: number): number {
  const key = base * 0x1_0000 + accent;
  const known = composedPairs.get(key);
  if (known !== undefined) return known;
  if (composedPairs.size >= composedPairsMax) return 0;
  const text = (String.fromCharCode(base) + String.fromCharCode(accent)).normalize("NFC");
  const composed = text.length === 1 ? text.charCodeAt(0) : 0;
  composedPairs.set(key, composed);
  return composed;
}

const compatibleForms = new Map<number, string | null>();

/** NFKC form of a code point with decimal digits as ASCII, or undefined when it is its own form. */
function compatibleForm(point: number): string | undefined {
  const known = compatibleForms.get(point);
  if (known !== undefined) return known ?? undefined;
  const char = String.fromCodePoint(point);
  const form = /\p{Nd}/u.test(char) ? decimalDigit(point) : char.normalize("NFKC");
  const result = form === char || form.length > formLengthMax ? undefined : form;
  // Code points beyond the mathematical letters and enclosed letters are rare and are worked out each time.
  if (point <= 0xffff || (point >= 0x1d400 && point <= 0x1d7ff) || (point >= 0x1f100 && point <= 0x1f1ff)) {
    compatibleForms.set(point, result ?? null);
  }
  return result;
}

/** Decimal digits stand in contiguous runs from zero to nine (Unicode general category Nd). */
function decimalDigit(point: number): string {
  const compatible = String.fromCodePoint(point).normalize("NFKC");
  if (/^[0-9]$/.test(compatible)) return compatible;
  let zero = point;
  while ((charClasses()[zero - 1] ?? 0) & DIGIT) zero -= 1;
  return String((point - zero) % 10);
}
