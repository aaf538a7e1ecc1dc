import { type Reading, readingText } from "../text/reading.ts";

/** A password as a text writes it. */
export interface WrittenValue {
  /** By which it is judged: up to the first blank. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Whether quotes or tags delimit it, so that it cannot be code. */
  readonly isQuoted: boolean;
}

/** Context of a value besides quotes before it. */
interface ValueContext {
  /** It is the content of an element, up to the next tag. */
  readonly isContent?: boolean;
  /** It is a parameter of an address, up to the next one. */
  readonly isParameter?: boolean;
  /** It is that of a member, so that blanks behind the quote before it belong to it. */
  readonly isMember?: boolean;
}

const valueLengthMax = 256;
/**
 * Blanks, quotes and signs (`:=`, `==`, `=>`) between a name and its value. The backslashes before a quote count as one: a quote has
 * three in JSON in a string of such a string, and seven in the next.
 */
const gapMax = 4;
/** Four levels of JSON in strings. */
const slashesMax = 15;
const gapLengthMax = gapMax * (slashesMax + 1);
const gap = new RegExp(`^(?:\\\\{1,${slashesMax}}(?=["'])|[ =>\\\\"'\`“„«‘「]){0,${gapMax}}`, "u");
const openingQuote = /(\\*)(["'`“„«‘「])[ "'`]*$/u;
/** A quote that opens a value; of two the second closes an empty one. */
const singleQuote = /(?:^|[^"'`])["'`]$/u;
const blanksFirst = /^[\t\n\r ]*/u;
/** Blanks at the beginning of a member's value. */
export const memberBlanksMax = 16;
const closingQuotes: Readonly<Record<string, string>> = { "“": "”", "„": "“", "«": "»", "‘": "’", "「": "」" };
const elements = "a|b|br|code|dd|div|dt|em|h[1-6]|hr|i|li|p|pre|small|span|strong|td|th|tr|u";
/** Scripts written without blanks, and Korean, whose particles follow a value directly. */
const unspaced = String.raw`\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Hang}`;
/** Signs that end a value without quotes wherever they stand: those of typography, and of the full width. */
const typography = String.raw`\u2000-\u206f\u3000-\u303f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65«»¡¿`;
/** One character of a value without quotes. Signs that usually delimit one belong to it only where it clearly goes on. */
const bareCharacter = [
  String.raw`[^\s"'\x60,;<\\${typography}${unspaced}]`,
  String.raw`["'\x60](?=[A-Za-z0-9])`,
  String.raw`[,;](?=[^\s,;"'\x60)\]}])(?!["']?[\w.-]{1,64}["']?[=:])`,
  String.raw`<(?!\/|!--|(?:${elements})\s?\/?>)`,
  String.raw`\\+(?![nrt"'\x60\\])`,
  `(?<=[!-~])[${unspaced}](?=[!-~])`,
].join("|");
const bareValue = new RegExp(`^(?:${bareCharacter}){0,${valueLengthMax}}`, "u");
/** Another credential behind it in a form's text. Other names and equals signs may be a password's own. */
const nextCredential = /&[\w.-]{0,64}(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|key|auth|credentials?)=/iu;
const closers: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{", ">": "<" };

/**
 * The value behind a name and its sign, by the delimiters of its context: up to the closing quote where a quote opens it, up to
 * the next tag in an element, otherwise up to a blank or what ends a value in code and in lists. Bounded work.
 */
export function valueAfter(reading: Reading, from: number, context: ValueContext = {}): WrittenValue | undefined {
  const text = readingText(reading, from, Math.min(reading.length, from + gapLengthMax + valueLengthMax + 1));
  const [before = ""] = gap.exec(text) ?? [];
  const start = before.length + (context.isMember === true ? blanksIn(before, text) : 0);
  const [, slashes = "", quote] = openingQuote.exec(before) ?? [];
  if (quote !== undefined && closedName.test(text.slice(start))) return undefined;
  const isWhole = text.length <= gapLengthMax + valueLengthMax;
  const end =
    quote === undefined
      ? contentEnd(text, start, context)
      : quoteEnd(text, start, { quote: closingQuotes[quote] ?? quote, depth: slashes.length, isWhole });
  const isQuoted = end !== undefined;
  const written = end === undefined ? bareText(text.slice(start), context) : text.slice(start, end);
  const [judged = ""] = /^\S*/u.exec(written) ?? [];
  if (judged === "" || (isQuoted ? isBracketed(written) : isTag(judged, text.slice(start + judged.length))))
    return undefined;
  return { text: judged, start: from + start, end: from + start + written.length, isQuoted };
}

const nextLineMax = 192;
/** One word on the line behind a name, and the end of its line or of the string of JSON that it is in. */
const aloneOnNextLine = /^[ \t]{0,4}\r?\n[ \t]{0,16}([^\s"'\x60<>=:]{6,128})(?=[ \t]*(?:[\r\n]|"|$))/u;

/**
 * The value alone on the line behind its name, as mails and forms have it (`Password:` and a line end). Words are there, too: it has
 * digits and letters.
 */
export function valueOnNextLine(reading: Reading, from: number): WrittenValue | undefined {
  const found = aloneOnNextLine.exec(readingText(reading, from, Math.min(reading.length, from + nextLineMax)));
  const [whole = "", text = ""] = found ?? [];
  if (found === null || !/\d/u.test(text) || !/\p{L}/u.test(text)) return undefined;
  const end = from + whole.length;
  return { text, start: end - text.length, end, isQuoted: false };
}

/** Line ends and tabs at the beginning of a quoted value, behind what stands before it. */
function blanksIn(before: string, text: string): number {
  if (!singleQuote.test(before)) return 0;
  return blanksFirst.exec(text.slice(before.length, before.length + memberBlanksMax))?.[0].length ?? 0;
}

/** Whether a whole value stands in brackets, as masks of several words do: `[Password 1]`, `(not shown)`. */
export function isBracketed(written: string): boolean {
  return /^(?:\[[^[\]]*\]|\([^()]*\)|<[^<>]*>)$/u.test(written);
}

/** Whether it is the tag of a value in YAML (`!vault |`, `!Ref name`), not a value. */
function isTag(judged: string, behind: string): boolean {
  return /^!{1,2}[A-Za-z]{1,32}$/u.test(judged) && /^ \S/u.test(behind);
}

function contentEnd(text: string, start: number, { isContent = false }: ValueContext): number | undefined {
  if (!isContent) return undefined;
  const [content = ""] = /^[^<\n]*/u.exec(text.slice(start)) ?? [];
  return text[start + content.length] === "<" ? start + content.length : undefined;
}

interface OpenQuote {
  readonly quote: string;
  /** Backslashes before the opening quote: JSON in a string of JSON has one, in another such string three. */
  readonly depth: number;
  /** Whether nothing follows the text. */
  readonly isWhole: boolean;
}

/** JSON behind a quote that closes the name instead (`"password:": …`) or an empty value. */
const closedName = /^(?:\s|:\s*["[{\dtfn-]|,\s*["[{]|[\]}]+(?:,|$))/u;
/** Double quote, with what follows it, that ends a string in JSON or code around a quote of another kind that is not closed. */
const outerEnd = /^"(?:[\s,:;)\]}]|$)/u;

/**
 * Place of the closing quote and its backslashes: the next one on the line that is not escaped, nor inside a word, nor doubled. A
 * text that ends before, such as a piece of a stream, ends the value.
 */
function quoteEnd(text: string, start: number, { quote, depth, isWhole }: OpenQuote): number | undefined {
  let slashes = 0;
  for (let at = start; at < text.length; at += 1) {
    const char = text[at];
    if (char === "\n") return undefined;
    const following = text.slice(at, at + 3);
    if (char === quote && closes(slashes, depth) && !/^.['"]?[A-Za-z0-9]/u.test(following))
      return at - Math.min(slashes, depth);
    if (char !== quote && slashes % 2 === 0 && outerEnd.test(following)) return at;
    slashes = char === "\\" ? slashes + 1 : 0;
  }
  return isWhole ? text.length : undefined;
}

/** Whether a quote behind so many backslashes closes one behind `depth`: an escape doubles them and adds one. */
function closes(slashes: number, depth: number): boolean {
  return slashes < depth || slashes % (2 * (depth + 1)) === depth;
}

function bareText(text: string, { isParameter = false }: ValueContext): string {
  const [value = ""] = bareValue.exec(text) ?? [];
  const next = isParameter ? value.indexOf("&") : value.search(nextCredential);
  let end = next < 0 ? value.length : next;
  while (end > 0 && isBehindValue(value, end)) end -= 1;
  return value.slice(0, end);
}

/** Whether the last character ends a sentence, or a bracket that opened before the value. */
function isBehindValue(value: string, end: number): boolean {
  const last = value[end - 1] ?? "";
  if (/[.:,;]/u.test(last)) return true;
  const opener = closers[last];
  if (opener === undefined) return false;
  const written = value.slice(0, end);
  return written.split(last).length > written.split(opener).length;
}
