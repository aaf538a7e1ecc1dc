/** Luhn check (ISO/IEC 7812-1) of a string of digits. */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    let digit = digits.charCodeAt(digits.length - 1 - index) - 0x30;
    if (index % 2 === 1) digit = digit > 4 ? digit * 2 - 9 : digit * 2;
    sum += digit;
  }
  return sum % 10 === 0;
}

/** Issuer ranges and lengths of payment cards (ISO/IEC 7812 issuer identification numbers). */
const issuers: readonly { readonly prefix: RegExp; readonly lengths: readonly number[] }[] = [
  { prefix: /^4/, lengths: [13, 16, 19] },
  { prefix: /^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, lengths: [16] },
  { prefix: /^3[47]/, lengths: [15] },
  { prefix: /^(?:6011|64[4-9]|65)/, lengths: [16, 19] },
  { prefix: /^(?:30[0-5]|3095|36|38|39)/, lengths: [14, 16, 19] },
  { prefix: /^35/, lengths: [16, 19] },
  { prefix: /^(?:2131|1800)/, lengths: [15] },
  { prefix: /^(?:62|81)/, lengths: [16, 17, 18, 19] },
  { prefix: /^(?:50|5[6-9]|6[0-9])/, lengths: [12, 13, 14, 15, 16, 17, 18, 19] },
];

/** Whether the digits are a card number: known issuer, right length, right check digit, not one digit repeated. */
export function isCardNumber(digits: string): boolean {
  if (digits.length < 12 || digits.length > 19 || /^(\d)\1+$/.test(digits) || !passesLuhn(digits)) return false;
  return issuers.some(({ prefix, lengths }) => prefix.test(digits) && lengths.includes(digits.length));
}

/** Lengths of IBANs by country, from the SWIFT IBAN registry. */
export const ibanLengths: Readonly<Record<string, number>> = Object.fromEntries(
  (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 " +
    "GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 " +
    "MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 " +
    "TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30"
  )
    .split(" ")
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

/** Whether upper-case letters and digits are an IBAN: length of its country and remainder 1 modulo 97 (ISO 13616). */
export function isIban(compact: string): boolean {
  if (compact.length !== ibanLengths[compact.slice(0, 2)]) return false;
  return remainder97(compact.slice(4) + compact.slice(0, 4)) === 1;
}

function remainder97(text: string): number {
  let remainder = 0;
  for (const char of text) {
    const value = Number.parseInt(char, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder;
}
