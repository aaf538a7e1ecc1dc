import { isDayOfYear, passesEan, passesMod11Of10, passesVerhoeff, weighted } from "./check-digits.ts";
import { passesLuhn } from "./checksums.ts";
import type { NationalIdCountry } from "./entity.ts";

interface DigitRule {
  /** Number of its digits. */
  readonly digits: number;
  /** Form in which the number is written. */
  readonly format: RegExp;
  readonly accepts: (digits: string) => boolean;
  /** Text required before it, where one in ten or so other numbers would pass the check; in lower case. */
  readonly context?: RegExp;
}

/** Identity numbers that are digits with separators; keyed by country. Rules are those of the issuing authorities. */
const digitRules: Partial<Readonly<Record<NationalIdCountry, readonly DigitRule[]>>> = {
  us: [
    // The Social Security Administration never issues area 000, 666 or 9xx, group 00 or serial 0000.
    { digits: 9, format: /^\d{3}-\d{2}-\d{4}$/, accepts: isSsn },
    { digits: 9, format: /^\d{3} ?\d{2} ?\d{4}$/, accepts: isSsn, context: /\bssn\b|social security/ },
    // Individual taxpayer identification number.
    { digits: 9, format: /^9\d{2}-[5-9]\d-\d{4}$/, accepts: () => true },
  ],
  gb: [{ digits: 10, format: /^\d{3}[ -]?\d{3}[ -]?\d{4}$/, accepts: isNhsNumber, context: /\bnhs\b/ }],
  // Numero d'inscription au repertoire: 97 minus the remainder of the first 13 digits.
  fr: [
    {
      digits: 15,
      format: /^[12][\d .]{14,22}$/,
      accepts: (digits) =>
        digits.length === 15 && 97 - Number(BigInt(digits.slice(0, 13)) % 97n) === Number(digits.slice(13)),
    },
  ],
  br: [
    { digits: 11, format: /^(?:\d{3}\.\d{3}\.\d{3}-\d{2}|\d{11})$/, accepts: isCpf },
    { digits: 14, format: /^\d{2}\.\d{3}\.\d{3}\/\d{4}-\d{2}$/, accepts: isCnpj },
  ],
  // Unique Identification Authority of India: twelve digits with a Verhoeff check digit, never starting with 0 or 1.
  in: [{ digits: 12, format: /^[2-9]\d{3}([ -]?)\d{4}\1\d{4}$/, accepts: passesVerhoeff }],
  pl: [{ digits: 11, format: /^\d{11}$/, accepts: isPesel }],
  de: [{ digits: 11, format: /^[1-9]\d(?:\d{9}| \d{3} \d{3} \d{3})$/, accepts: isSteuerId }],
  nl: [
    {
      digits: 9,
      format: /^\d{9}$|^\d{4}[. ]\d{2}[. ]\d{3}$/,
      accepts: (digits) => weighted(digits, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0 && digits !== "000000000",
      context: /\bbsn\b|burgerservice|sofi/,
    },
  ],
  be: [{ digits: 11, format: /^\d{2}\.?\d{2}\.?\d{2}[- ]?\d{3}[. ]?\d{2}$/, accepts: isBelgianNumber }],
  at: [
    {
      digits: 10,
      format: /^[1-9]\d{3} ?\d{6}$/,
      accepts: (digits) =>
        isDayOfYear(digits.slice(6, 8), digits.slice(4, 6)) &&
        weighted(digits, [3, 7, 9, 0, 5, 8, 4, 2, 1, 6]) % 11 === Number(digits[3]),
    },
  ],
  ch: [{ digits: 13, format: /^756[. ]?\d{4}[. ]?\d{4}[. ]?\d{2}$/, accepts: passesEan }],
  pt: [
    {
      digits: 9,
      format: /^[1235689]\d{2} ?\d{3} ?\d{3}$/,
      accepts: (digits) => ((11 - (weighted(digits, [9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 11) % 10 === Number(digits[8]),
      context: /\bnif\b|contribuinte|fiscal/,
    },
  ],
  se: [
    { digits: 10, format: /^\d{6}[-+]?\d{4}$/, accepts: isPersonnummer },
    { digits: 12, format: /^(?:19|20)\d{6}[-+]?\d{4}$/, accepts: isPersonnummer },
  ],
  no: [
    {
      digits: 11,
      format: /^\d{6} ?\d{5}$/,
      accepts: (digits) =>
        isDayOfYear(digits.slice(2, 4), digits.slice(0, 2)) &&
        weighted(digits, [3, 7, 6, 1, 8, 9, 4, 5, 2, 1]) % 11 === 0 &&
        weighted(digits, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0,
    },
  ],
  tr: [{ digits: 11, format: /^[1-9]\d{10}$/, accepts: isTcNumber }],
  cn: [{ digits: 18, format: /^[1-9]\d{17}$/, accepts: isChineseId }],
  jp: [
    {
      digits: 12,
      format: /^\d{4}([ -]?)\d{4}\1\d{4}$/,
      accepts: isMyNumber,
      context: /my ?number|マイナンバー|個人番号/,
    },
  ],
  kr: [{ digits: 13, format: /^\d{6}-[1-8]\d{6}$/, accepts: isResidentNumber }],
  au: [
    {
      digits: 9,
      format: /^\d{3} ?\d{3} ?\d{3}$/,
      accepts: (digits) => weighted(digits, [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0,
      context: /\btfn\b|tax file/,
    },
  ],
  ca: [
    {
      digits: 9,
      format: /^[1-79]\d{2}[ -]?\d{3}[ -]?\d{3}$/,
      accepts: passesLuhn,
      context: /\bsin\b|social insurance|\bnas\b/,
    },
  ],
  za: [
    {
      digits: 13,
      format: /^\d{13}$/,
      accepts: (digits) =>
        isDayOfYear(digits.slice(2, 4), digits.slice(4, 6)) && /[01]\d\d$/.test(digits) && passesLuhn(digits),
    },
  ],
};

/** Identity numbers that mix letters and digits, as whole words. */
const wordRules: Partial<Readonly<Record<NationalIdCountry, (word: string) => boolean>>> = {
  gb: (word) => /^(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]$/.test(word),
  es: (word) => isSpanishId(word),
  it: (word) => isCodiceFiscale(word),
  // Permanent account number: the fourth letter says what kind of holder it has.
  in: (word) => /^[A-Z]{3}[ABCFGHLJPT][A-Z]\d{4}[A-Z]$/.test(word),
  cn: (word) => /^\d{17}X$/.test(word) && isChineseId(word),
  fi: (word) => isHetu(word),
  mx: (word) => isCurp(word),
};

/** The rules of a choice of countries by the number of digits; a choice lives as long as its policy. */
const rulesOf = new WeakMap<ReadonlySet<NationalIdCountry>, ReadonlyMap<number, readonly DigitRule[]>>();

function rulesByDigits(countries: ReadonlySet<NationalIdCountry>): ReadonlyMap<number, readonly DigitRule[]> {
  let rules = rulesOf.get(countries);
  if (rules === undefined) {
    rules = Map.groupBy(
      [...countries].flatMap((country) => digitRules[country] ?? []),
      ({ digits }) => digits,
    );
    rulesOf.set(countries, rules);
  }
  return rules;
}

/** A run of digits with separators that may be an identity number. */
interface NumberCandidate {
  /** Number of digits. */
  readonly digits: number;
  readonly written: () => string;
  /** Text before it. */
  readonly before: () => string;
}

/** Whether digits, as they were written, are an identity number of one of the countries. Most have the wrong number of them. */
export function isNationalIdNumber(candidate: NumberCandidate, countries: ReadonlySet<NationalIdCountry>): boolean {
  const rules = rulesByDigits(countries).get(candidate.digits);
  if (rules === undefined) return false;
  const written = candidate.written();
  const digits = written.replaceAll(/\D/gu, "");
  return rules.some(
    ({ format, accepts, context }) =>
      format.test(written) &&
      accepts(digits) &&
      (context === undefined || context.test(candidate.before().toLowerCase())),
  );
}

/** No identity number of letters and digits is longer, with what must not follow it. */
export const nationalIdWordMax = 20;
const wordFormat =
  /^(?:[A-Za-z0-9]{9,18}|\d{6}[-+A-FU-Y]\d{3}[0-9A-Y]|[A-Za-z]{2}(?: \d\d){3} [A-Za-z]|\d{8}-[A-Za-z]|[XYZxyz]-?\d{7}-?[A-Za-z])(?![A-Za-z0-9])/;

/** Length of the identity number of letters and digits that a text begins with, as one of the countries writes it, or 0. */
export function nationalIdWordLength(text: string, countries: ReadonlySet<NationalIdCountry>): number {
  const written = wordFormat.exec(text)?.[0] ?? "";
  if (!/[A-Za-z]/.test(written)) return 0;
  const word = written.replaceAll(/(?<!^\d{6})[ -]/gu, "").toUpperCase();
  return [...countries].some((country) => wordRules[country]?.(word) === true) ? written.length : 0;
}

function isSsn(digits: string): boolean {
  return !/^(?:000|666|9)|^...00|0000$/.test(digits);
}

function isNhsNumber(digits: string): boolean {
  const check = (11 - (weighted(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 11;
  return check === Number(digits[9]);
}

function isCpf(digits: string): boolean {
  if (/^(\d)\1+$/.test(digits)) return false;
  const check = (length: number): number => {
    let sum = 0;
    for (let index = 0; index < length; index += 1) sum += Number(digits[index]) * (length + 1 - index);
    return ((sum * 10) % 11) % 10;
  };
  return check(9) === Number(digits[9]) && check(10) === Number(digits[10]);
}

function isCnpj(digits: string): boolean {
  const check = (weights: readonly number[]): number => {
    const rest = weighted(digits, weights) % 11;
    return rest < 2 ? 0 : 11 - rest;
  };
  return (
    check([5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]) === Number(digits[12]) &&
    check([6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]) === Number(digits[13])
  );
}

/** A Steuer-ID has one of its first ten digits twice or three times. */
function isSteuerId(digits: string): boolean {
  const different = new Set(digits.slice(0, 10)).size;
  return (different === 9 || different === 8) && passesMod11Of10(digits);
}

/** 97 minus the remainder of the first nine digits, with a 2 before them for those born since 2000. */
function isBelgianNumber(digits: string): boolean {
  const check = Number(digits.slice(9));
  const first = Number(digits.slice(0, 9));
  const isDay = isDayOfYear(digits.slice(2, 4), digits.slice(4, 6));
  return isDay && (97 - (first % 97) === check || 97 - ((2_000_000_000 + first) % 97) === check);
}

function isPersonnummer(digits: string): boolean {
  const short = digits.slice(-10);
  const day = Number(short.slice(4, 6));
  return isDayOfYear(short.slice(2, 4), String(day > 60 ? day - 60 : day)) && passesLuhn(short);
}

function isTcNumber(digits: string): boolean {
  const odd = weighted(digits, [1, 0, 1, 0, 1, 0, 1, 0, 1]);
  const even = weighted(digits, [0, 1, 0, 1, 0, 1, 0, 1]);
  const tenth = (((odd * 7 - even) % 10) + 10) % 10;
  return tenth === Number(digits[9]) && (odd + even + tenth) % 10 === Number(digits[10]);
}

/** GB 11643: ISO/IEC 7064 MOD 11-2 over a region, a date of birth and a serial. */
function isChineseId(id: string): boolean {
  if (!/^(?:19|20)$/.test(id.slice(6, 8)) || !isDayOfYear(id.slice(10, 12), id.slice(12, 14))) return false;
  const sum = weighted(id, [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]);
  return "10X98765432"[sum % 11] === id[17];
}

function isMyNumber(digits: string): boolean {
  const rest = weighted(digits, [6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11;
  return (rest < 2 ? 0 : 11 - rest) === Number(digits[11]) && !/^(\d)\1+$/.test(digits);
}

/** Numbers given since October 2020 have no check digit, so that a date and the dash have to do. */
function isResidentNumber(digits: string): boolean {
  return isDayOfYear(digits.slice(2, 4), digits.slice(4, 6));
}

function isHetu(word: string): boolean {
  const match = /^(\d{2})(\d{2})\d{2}[-+A-FU-Y]\d{3}[0-9A-Y]$/.exec(word);
  if (match === null || !isDayOfYear(match[2] ?? "", match[1] ?? "")) return false;
  return "0123456789ABCDEFHJKLMNPRSTUVWXY"[Number(word.slice(0, 6) + word.slice(7, 10)) % 31] === word[10];
}

function isCurp(word: string): boolean {
  if (!/^[A-Z]{4}\d{6}[HMX][A-Z]{5}[A-Z0-9]\d$/.test(word)) return false;
  const alphabet = "0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ";
  let sum = 0;
  for (let index = 0; index < 17; index += 1) sum += alphabet.indexOf(word[index] ?? "") * (18 - index);
  return (10 - (sum % 10)) % 10 === Number(word[17]);
}

function isPesel(digits: string): boolean {
  const month = Number(digits.slice(2, 4)) % 20;
  if (month < 1 || month > 12) return false;
  const weights = [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1];
  return weights.reduce((sum, weight, index) => sum + weight * Number(digits[index]), 0) % 10 === 0;
}

function isSpanishId(word: string): boolean {
  const match = /^([XYZ]?)(\d{7,8})([A-Z])$/.exec(word);
  if (match === null || (match[1] ?? "").length + (match[2] ?? "").length !== 8) return false;
  const lead = match[1] === "" ? "" : String("XYZ".indexOf(match[1] ?? ""));
  return "TRWAGMYFPDXBNJZSQVHLCKE"[Number(lead + (match[2] ?? "")) % 23] === match[3];
}

function isCodiceFiscale(word: string): boolean {
  if (!/^[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]$/.test(word)) return false;
  const odd = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];
  let sum = 0;
  for (let index = 0; index < 15; index += 1) {
    const code = word.charCodeAt(index);
    const value = code < 0x41 ? code - 0x30 : code - 0x41;
    sum += index % 2 === 0 ? (odd[value] ?? 0) : value;
  }
  return (sum % 26) + 0x41 === word.charCodeAt(15);
}
