import { type Reading, readingText } from "../text/reading.ts";
import { type CardRules, isDash, isDigit, isGlued, withHyphens } from "./numbers.ts";

/** Units before a number in which a word for cards is looked for. */
const contextLength = 32;

const looseLengthMax = 40;
const looseMarks = new Set(Array.from("_/,\r\n", (char) => char.charCodeAt(0)));
const looseFormat =
  /^(\d{4})(_|\/|, ?| {2}| - |\r?\n)(?:(\d{4})\2(\d{4})\2(\d{4})(?:\2(\d{3}))?|(\d{6})\2(\d{5}))(?!\d|\2\d)/;
/** A card in the usual groups, broken over lines between them. */
const brokenFormat = /^\d{4}(?:[ -]|\r?\n)\d{4}(?:[ -]|\r?\n)\d{4}(?:[ -]|\r?\n)\d{4}(?![ -]?\d)/;
const cardWord =
  /(?:card|credit|visa|master|amex|karte|carte|tarjeta|carta|cart[aã]o|kart|карт|カード|卡|카드)[^\n]{0,32}\s*$/iu;

/**
 * End of a card number in the usual groups with other marks between them, or 0. Marks that lists have between their numbers count
 * only behind a word for cards.
 */
export function looseCardEnd(reading: Reading, start: number, accepts: CardRules["accepts"]): number {
  const { codes } = reading;
  const mark = codes[start + 4] ?? 0;
  const next = codes[start + 5] ?? 0;
  const isJoint = mark === 0x20 || isDash(mark);
  const isLoose = isJoint ? isDigit(next) || next === 0x20 || isDash(next) : looseMarks.has(mark);
  if (!isLoose || isDigit(codes[start - 1] ?? 0)) return 0;
  const text = withHyphens(readingText(reading, start, Math.min(reading.length, start + looseLengthMax)));
  const match = looseFormat.exec(text) ?? brokenFormat.exec(text);
  if (match === null || !accepts(match[0].replaceAll(/\D/gu, ""))) return 0;
  const before = readingText(reading, Math.max(0, start - contextLength), start);
  if (/\d[_/, \-\n]{1,3}$/.test(before)) return 0;
  const isListed = /[,\n]/.test(match[0]);
  return isListed && !cardWord.test(before) ? 0 : start + match[0].length;
}

const apartLengthMax = 2 * 19;
const apartFormat = /^\d([ -])\d(?:\1\d){10,17}(?![ -]?\d)/;

/** End of a card number whose digits stand apart (`4 1 1 1 …`) behind a word for cards, or 0. */
export function apartCardEnd(reading: Reading, start: number, accepts: CardRules["accepts"]): number {
  const { codes } = reading;
  const mark = codes[start + 1] ?? 0;
  if ((mark !== 0x20 && mark !== 0x2d) || codes[start + 3] !== mark || !isDigit(codes[start + 4] ?? 0)) return 0;
  const text = readingText(reading, start, Math.min(reading.length, start + apartLengthMax + 1));
  const match = apartFormat.exec(text);
  if (match === null || !accepts(match[0].replaceAll(/\D/gu, ""))) return 0;
  const before = readingText(reading, Math.max(0, start - contextLength), start);
  return cardWord.test(before) ? start + match[0].length : 0;
}

const gluedWordMax = 12;
const cardDigitsMin = 12;
const cardDigitsMax = 19;
const gluedCardWord = /(?:^|[^A-Za-z])(?:card|creditcard|cardno|cc|visa|mastercard|amex|pan)$/i;

/** End of the digits of a card right behind a word for cards (`card4111…`), or 0. */
export function gluedCardEnd(reading: Reading, start: number, accepts: CardRules["accepts"]): number {
  const { codes } = reading;
  let end = start;
  while (end - start <= cardDigitsMax && isDigit(codes[end] ?? 0)) end += 1;
  if (end - start < cardDigitsMin || end - start > cardDigitsMax || isGlued(reading, end)) return 0;
  if (!gluedCardWord.test(readingText(reading, Math.max(0, start - gluedWordMax), start))) return 0;
  return accepts(readingText(reading, start, end)) ? end : 0;
}
