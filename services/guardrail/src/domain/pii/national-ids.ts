import type { NationalIdCountry } from "./entity.ts";

const verhoeffProducts = [
  "0123456789",
  "1234067895",
  "2340178956",
  "3401289567",
  "4012395678",
  "5987604321",
  "6598710432",
  "7659821043",
  "8765932104",
  "9876543210",
] as const;
const verhoeffTurns = [
  "0123456789",
  "1576283094",
  "5803796142",
  "8916043527",
  "9453126870",
  "4286573901",
  "2793806415",
  "7046913258",
] as const;

/** Identity numbers that are digits with separators; keyed by country, given the digits and how they were written. */
const digitRules: Partial<Readonly<Record<NationalIdCountry, (digits: string, written: string) => boolean>>> = {
  // The Social Security Administration never issues area 000, 666 or 9xx, group 00 or serial 0000.
  us: (digits, written) =>
    /^\d{3}-\d{2}-\d{4}$/.test(written) && !/^(?:000|666|9)|^...00|0000$/.test(digits) && digits.length === 9,
  // Numero d'inscription au repertoire: 97 minus the remainder of the first 13 digits.
  fr: (digits) =>
    digits.length === 15 &&
    /^[12]/.test(digits) &&
    97 - Number(BigInt(digits.slice(0, 13)) % 97n) === Number(digits.slice(13)),
  br: (digits, written) =>
    digits.length === 11 && /^\d{3}\.\d{3}\.\d{3}-\d{2}$|^\d{11}$/.test(written) && isCpf(digits),
  // Unique Identification Authority of India: twelve digits with a Verhoeff check digit, never starting with 0 or 1.
  in: (digits, written) =>
    digits.length === 12 &&
    /^\d{4}([ -]?)\d{4}\1\d{4}$/.test(written) &&
    /^[2-9]/.test(digits) &&
    passesVerhoeff(digits),
  pl: (digits, written) => /^\d{11}$/.test(written) && isPesel(digits),
};

/** Identity numbers that mix letters and digits, as whole words. */
const wordRules: Partial<Readonly<Record<NationalIdCountry, (word: string) => boolean>>> = {
  gb: (word) => /^(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]$/.test(word),
  es: (word) => isSpanishId(word),
  it: (word) => isCodiceFiscale(word),
};

/** Whether digits, as they were written, are an identity number of one of the countries. */
export function isNationalIdNumber(written: string, countries: ReadonlySet<NationalIdCountry>): boolean {
  const digits = written.replaceAll(/\D/gu, "");
  return [...countries].some((country) => digitRules[country]?.(digits, written) === true);
}

/** No identity number of letters and digits is longer, with what must not follow it. */
export const nationalIdWordMax = 20;
const wordFormat =
  /^(?:[A-Za-z0-9]{9,16}|[A-Za-z]{2}(?: \d\d){3} [A-Za-z]|\d{8}-[A-Za-z]|[XYZxyz]-?\d{7}-?[A-Za-z])(?![A-Za-z0-9])/;

/** Length of the identity number of letters and digits that a text begins with, as one of the countries writes it, or 0. */
export function nationalIdWordLength(text: string, countries: ReadonlySet<NationalIdCountry>): number {
  const written = wordFormat.exec(text)?.[0] ?? "";
  if (!/[A-Za-z]/.test(written)) return 0;
  const word = written.replaceAll(/[ -]/gu, "").toUpperCase();
  return [...countries].some((country) => wordRules[country]?.(word) === true) ? written.length : 0;
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

function passesVerhoeff(digits: string): boolean {
  let check = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits[digits.length - 1 - index]);
    check = Number(verhoeffProducts[check]?.[Number(verhoeffTurns[index % 8]?.[digit])]);
  }
  return check === 0;
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
