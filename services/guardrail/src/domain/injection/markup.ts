import type { Letters } from "../text/letters.ts";
import type { Reading } from "../text/reading.ts";
import { nextUnit } from "../text/runs.ts";
import type { ScratchBuffers } from "../text/scratch-buffers.ts";
import { addressHosts } from "./addresses.ts";

/** Names of HTML elements and of their usual attributes: a closed list, so that nothing else can hide behind a bracket. */
const elementNames = `a abbr address article aside audio b bdi bdo blockquote body br button canvas caption center cite code col
  colgroup data datalist dd del details dfn dialog div dl dt em embed fieldset figcaption figure font footer form h h1 h2 h3 h4 h5 h6
  head header hr html i iframe img input ins kbd label legend li link main map mark meta meter nav noscript object ol optgroup option
  output p param path picture pre progress q rect rp rt ruby s samp script section select slot small source span strong style sub
  summary sup svg table tbody td template text textarea tfoot th thead time title tr track tt u ul var video wbr g defs use circle`;
const attributeNames = `accept action align alt aria async autocomplete background bgcolor border cellpadding cellspacing charset
  class color cols colspan content data dir disabled enctype face fill for frameborder height hidden href hreflang http id
  itemprop itemscope itemtype label lang loading media method name onclick placeholder property readonly rel required role rows
  rowspan scope scrolling size sizes src srcset start step stroke style tabindex target title type valign value viewbox width xmlns d`;
/** Elements inside a line: a word goes on behind them. */
const inlineNames = "a b big code em font i mark s small span strong sub sup tt u wbr";
const inline = toSet(inlineNames);
const elements = toSet(elementNames);
const attributes = toSet(attributeNames);
/** No name in the lists is longer. */
const nameLengthMax = 12;

const lessThan = 0x3c;
const greaterThan = 0x3e;
const slash = 0x2f;
const equals = 0x3d;
const blank = 0x20;
const quotes = new Set([0x22, 0x27]);
/** A tag longer than this is not one. */
const tagLengthMax = 4096;
/** Tags between two letters that are longer than this part them. */
const gapMax = 48;

/**
 * The letters without the names of HTML elements and attributes, which a page repeats hundreds of times and which say nothing, and
 * without the schemes and hosts of web addresses. Text between tags, the values of attributes, paths and queries stay, for all can
 * carry instructions. Linear but for the order of the ranges.
 */
export function lettersWithoutMarkup(folded: Reading, letters: Letters, scratch?: ScratchBuffers): Letters {
  const names = inOrder(markupNames(folded), addressHosts(folded));
  if (names.length === 0) return letters;
  const { length } = letters;
  const codes = scratch?.unitsOf("markupLetters", length + 1) ?? new Uint16Array(length + 1);
  const positions = scratch?.numbersOf("markupPositions", length + 1) ?? new Int32Array(length + 1);
  const starts = scratch?.bytesOf("markupStarts", length + 1) ?? new Uint8Array(length + 1);
  const wordStarts = scratch?.numbersOf("markupWordStarts", length + 1) ?? new Int32Array(length + 1);
  let [count, words, word, from, nameBehind] = [0, 0, 0, 0, 0];
  for (let name = 0; name <= names.length; name += 2) {
    const until = firstAt(letters, names[name] ?? Number.POSITIVE_INFINITY, from);
    if (until > from) {
      // Letters between two names stay as they are but for the first, which may go on the word before the names.
      codes.set(letters.codes.subarray(from, until), count);
      positions.set(letters.positions.subarray(from, until), count);
      starts.set(letters.starts.subarray(from, until), count);
      const behind = { from: positions[count - 1] ?? -1, to: positions[count] ?? 0 };
      const isInside = name > nameBehind && goesOn(folded, behind, names.slice(nameBehind, name));
      if (isInside) starts[count] = 0;
      nameBehind = name;
      for (; word < letters.wordCount && (letters.wordStarts[word] ?? 0) < until; word += 1) {
        const start = letters.wordStarts[word] ?? 0;
        if (start < from || (isInside && start === from)) continue;
        wordStarts[words] = start - from + count;
        words += 1;
      }
      count += until - from;
    }
    from = firstAt(letters, names[name + 1] ?? Number.POSITIVE_INFINITY, Math.max(from, until));
  }
  starts[count] = 1;
  return { codes, positions, starts, wordStarts, wordCount: words, length: count };
}

/** The first letter from `from` on that stands at a position of the folded reading, or behind it; or the number of letters. */
function firstAt({ positions, length }: Letters, position: number, from: number): number {
  let [low, high] = [from, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((positions[middle] ?? 0) < position) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether nothing but tags inside a line, with these names, stands between two letters: "ign<i></i>ore" is one word. */
function goesOn({ codes }: Reading, { from, to }: { from: number; to: number }, names: readonly number[]): boolean {
  if (from < 0 || to - from > gapMax || codes[from + 1] !== lessThan || codes[to - 1] !== greaterThan) return false;
  for (let at = from + 2; at < to; at += 1) if (codes[at] === blank) return false;
  for (let at = 0; at < names.length; at += 2)
    if (!isIn(inline, codes, { start: names[at] ?? 0, end: names[at + 1] ?? 0 })) return false;
  return true;
}

/** Ranges of two lists, each a start and an end after one another, by their starts. */
function inOrder(one: readonly number[], other: readonly number[]): readonly number[] {
  if (one.length === 0 || other.length === 0) return one.length === 0 ? other : one;
  const pairs: [number, number][] = [];
  for (const ranges of [one, other]) {
    for (let at = 0; at < ranges.length; at += 2) pairs.push([ranges[at] ?? 0, ranges[at + 1] ?? 0]);
  }
  return pairs.sort(([left], [right]) => left - right).flat();
}

/** Ranges of the folded reading that are names of elements and attributes: start and end after one another, ascending. */
function markupNames(folded: Reading): number[] {
  const ranges: number[] = [];
  const { length } = folded;
  let at = nextUnit(folded, lessThan, 0);
  if (at === length) return ranges;
  const units = folded.codes.subarray(0, length);
  for (; at < length; at = nextUnit(folded, lessThan, at)) at = readTag(units, at + 1, ranges);
  return ranges;
}

/** Reads a tag behind its bracket; returns the index after what it has read. */
function readTag(codes: Uint16Array, from: number, ranges: number[]): number {
  let index = codes[from] === slash ? from + 1 : from;
  const nameEnd = endOfName(codes, index);
  if (nameEnd === index || !isIn(elements, codes, { start: index, end: nameEnd })) return from;
  ranges.push(index, nameEnd);
  index = nameEnd;
  const limit = Math.min(codes.length, from + tagLengthMax);
  let quote = 0;
  while (index < limit) {
    const code = codes[index] ?? 0;
    if (quote !== 0) {
      if (code === quote) quote = 0;
      index += 1;
    } else if (quotes.has(code)) {
      quote = code;
      index += 1;
    } else if (code === greaterThan || code === lessThan) return index;
    else {
      const end = endOfName(codes, index);
      if (codes[end] === equals && isIn(attributes, codes, { start: index, end })) ranges.push(index, end);
      index = Math.max(end, index + 1);
    }
  }
  return index;
}

function endOfName(codes: Uint16Array, start: number): number {
  let end = start;
  while (end < codes.length && isNameUnit(codes[end] ?? 0)) end += 1;
  return end;
}

/** Lower-case letters and digits: the folded reading has no others. */
function isNameUnit(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
}

function isIn(names: ReadonlySet<string>, codes: Uint16Array, { start, end }: { start: number; end: number }): boolean {
  if (end - start > nameLengthMax) return false;
  return names.has(String.fromCharCode(...codes.subarray(start, end)));
}

function toSet(names: string): ReadonlySet<string> {
  return new Set(names.split(/\s+/u));
}
