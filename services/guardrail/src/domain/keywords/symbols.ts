import { charClasses, SPACE, UNSPACED, WORD } from "../text/char-class.ts";
import { isEscapedBlank } from "../text/escaped-blanks.ts";
import type { Reading } from "../text/reading.ts";

/** Separators between two symbols, as bits. */
export const HYPHEN = 1;
/** One or more blanks. */
export const BLANK = 2;
/** A line end, set beside {@link BLANK}. */
export const LINE_END = 4;
/** More than one hyphen, or more than one blank without a line end. */
const WIDE = 8;
/** No bit of a gap: a word may begin or end here. */
export const EDGE = 16;

/** A folded reading without what may stand between or inside words, so that a word looks the same however it is broken. */
export interface Symbols {
  readonly codes: Uint16Array;
  /** Index of each symbol in the folded reading. */
  readonly positions: Int32Array;
  /** Before each symbol, and behind the last: what separates it from the one before, and whether a word may begin here. */
  readonly edges: Uint8Array;
  readonly length: number;
}

/** The least of the units that are read as another. */
const firstVariant = 0x2bc;

/** Final sigma is the letter sigma, since only its place in a word decides how it is drawn; apostrophes are straight. */
function symbolOf(code: number): number {
  switch (code) {
    case 0x3c2:
      return 0x3c3;
    case 0x2bc:
    case 0x2018:
    case 0x2019:
    case 0x201b:
      return 0x27;
    default:
      return code;
  }
}

/** Units that the text may have for a symbol. */
export function unitsOf(symbol: number): readonly number[] {
  return [symbol, ...variants.filter((unit) => symbolOf(unit) === symbol)];
}

const variants = [0x3c2, 0x2bc, 0x2018, 0x2019, 0x201b];

/** Whether symbols have another unit in place of this one. */
export function isVariant(code: number): boolean {
  return code >= firstVariant && symbolOf(code) !== code;
}

/** Apostrophes in a text that symbols have as straight ones. */
export const apostrophesInText = /[\u02bc\u2018\u2019\u201b]/gu;

/** Memory for the symbols of a piece of a text. */
interface SymbolMemory {
  readonly codes: Uint16Array;
  readonly positions: Int32Array;
  /** One more than the others have. */
  readonly edges: Uint8Array;
}

/** Room for this many symbols. */
export function symbolMemory(symbols: number): SymbolMemory {
  return { codes: new Uint16Array(symbols), positions: new Int32Array(symbols), edges: new Uint8Array(symbols + 1) };
}

/** Collects the symbols of a folded reading. Linear. */
export function symbolsOf(folded: Reading): Symbols {
  return symbolsFrom(folded, 0, symbolMemory(folded.length));
}

/**
 * The symbols from a unit on at which a word may begin, as many as the memory has room for. They are those of the whole
 * reading but for the edge behind the last, which is not known where the memory is full.
 */
export function symbolsFrom({ codes, length }: Reading, from: number, memory: SymbolMemory): Symbols {
  const classes = charClasses();
  const { codes: symbols, positions, edges } = memory;
  const most = symbols.length;
  let count = 0;
  let gap = 0;
  let before = 0;
  for (let index = from; index < length && count < most; index += 1) {
    const code = codes[index] ?? 0;
    const flags = classes[code] ?? 0;
    // The line feed behind it is the line end.
    if (code === 0x0d && codes[index + 1] === 0x0a) continue;
    const separator = (flags & SPACE) !== 0 ? blankOf(code) : isHyphen(code) ? HYPHEN : 0;
    if (separator !== 0) {
      gap |= separator | ((gap & separator & (HYPHEN | BLANK)) === 0 ? 0 : WIDE);
      continue;
    }
    const word = wordFlags(codes, index, flags);
    const isInside = gap === 0 && isOneWord(before, word) && !isEscapedBlank(codes, index - 1);
    symbols[count] = code < firstVariant ? code : symbolOf(code);
    positions[count] = index;
    edges[count] = isInside ? 0 : gap | EDGE;
    count += 1;
    before = word;
    gap = 0;
  }
  edges[0] = EDGE;
  edges[count] = gap | EDGE;
  return { codes: symbols, positions, edges, length: count };
}

/** Whether a word may begin at a unit: it does not go on a word. */
export function isWordEdge(codes: Uint16Array, index: number): boolean {
  const before = index === 0 ? 0x20 : (codes[index - 1] ?? 0);
  const classes = charClasses();
  if (isHyphen(before) || ((classes[before] ?? 0) & SPACE) !== 0 || isEscapedBlank(codes, index - 1)) return true;
  const flags = wordFlags(codes, index, classes[codes[index] ?? 0] ?? 0);
  return !isOneWord(wordFlags(codes, index - 1, classes[before] ?? 0), flags);
}

/** Whether two symbols beside one another, by their flags, are of one word. */
function isOneWord(before: number, flags: number): boolean {
  return (before & flags & WORD) !== 0 && ((before | flags) & UNSPACED) === 0;
}

/** Whether a unit is half of a pictograph (U+1F000 to U+1FBFF): a word may begin behind it. */
export function isPictographHalf(code: number): boolean {
  return code >= 0xd83c && code <= 0xd83e;
}

/** Hyphens and dashes, the soft hyphen where it was kept, and dots that divide words: middle dots and bullets. */
export function isHyphen(code: number): boolean {
  if (code < firstDivider) return code === 0x2d;
  return (code >= 0x2010 && code <= 0x2015) || dividers.has(code);
}

/** The first of them behind ASCII. */
const firstDivider = 0xad;

/** Minus, soft hyphen, middle dot, bullet, triangular bullet, hyphenation point, dot operator, katakana middle dots. */
const dividers: ReadonlySet<number> = new Set([0x2212, 0xad, 0xb7, 0x2022, 0x2023, 0x2027, 0x22c5, 0x30fb, 0xff65]);

/** Dividers in a text: the characters of `dividers`, hyphens and dashes. */
export const dividersInText = /[-\u2010-\u2015\u2212\u00ad\u00b7\u2022\u2023\u2027\u22c5\u30fb\uff65]+/gu;

function blankOf(code: number): number {
  return code === 0x0a || code === 0x0d || code === 0x2028 || code === 0x2029 ? BLANK | LINE_END : BLANK;
}

/** Class flags of a unit; a pictograph (U+1F000 to U+1FBFF) is a sign that stands for itself, not a letter of a word. */
function wordFlags(codes: Uint16Array, index: number, flags: number): number {
  const code = codes[index] ?? 0;
  if (code < 0xd83c || code > 0xdfff) return flags;
  if (code <= 0xd83e) return 0;
  const high = code >= 0xdc00 ? (codes[index - 1] ?? 0) : 0;
  // The second half goes with the first.
  return high >= 0xd83c && high <= 0xd83e ? 0 : flags;
}
