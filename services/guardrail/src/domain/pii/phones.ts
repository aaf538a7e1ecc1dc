import { charClasses, LETTER } from "../text/char-class.ts";

/** Formats that are phone numbers wherever they stand: international, or written in a way nothing else is. */
const plainFormat = new RegExp(
  [
    /^\+\d{1,3}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d{1,4}(?:[ .-]?\d{2,8}){1,5}/,
    /^001[ .-]\d{3}[ .-]\d{3}[ .-]\d{4}/,
    /^00[1-9]\d{0,2}[ .-]?\d{2,4}(?:[ .-]\d{2,4}){2,4}/,
    /^(?:1[ .-])?\(\d{2,4}\) ?\d{3,4}[ .-]\d{3,4}/,
    /^(?:1[ .-])?[2-9]\d{2}(?:-\d{3}-|\.\d{3}\.)\d{4}/,
    /^0\d{1,4}(?:(?: \d{2,4}){2,3}|(?:\.\d{2,4}){2,3}|(?:-\d{2,4}){2,3})/,
    /^0\d{2,4} \d{3,4} \d{4}/,
  ]
    .map(({ source }) => source)
    .join("|"),
);
const dateLike = /^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2}))(?![-/.]?\d)/;
const extension = /^\s?(?:x|ext\.?|extension|#)\s?\d{1,6}/i;

/** Words that make a number after them a phone number. */
const contextWords = new Set(
  (
    "phone phones mobile cell cellphone tel telephone fax desk whatsapp sms call calls calling called dial ring reach contact contacts message " +
    "messages text answering registered handy telefon telefonnummer telefono teléfono téléphone telefone telefoon móvil celular portable rufnummer " +
    "numéro mobil mobilnummer cellulare puhelin telefonu numara hotline viber signal телефон телефону тел позвоните звоните номер " +
    "電話 電話番号 电话 手机 号码 전화 전화번호 هاتف الهاتف जوال फोन फ़ोन मोबाइल"
  ).split(" "),
);
/** Words that may stand between such a word and the number. */
const fillers = new Set(
  (
    "number no nr num me us him her them back at on is are was my your our the a to or and it s this please under unter an ist est es número " +
    "numero up via by as soon possible for you now today tomorrow there direct line us home work office"
  ).split(" "),
);
const fillersMax = 6;
const contextAfter = /^[\s,-]{0,3}\(?(?:office|fax|mobile|cell|home|phone|work|desk)\b/i;

/** Length of the phone number at the start of `text`, given what stands around it; 0 when there is none. */
export function phoneLength(
  text: string,
  around: { readonly hasContext: () => boolean; readonly after: string },
): number {
  if (dateLike.test(text)) return 0;
  const match = plainFormat.exec(text);
  if (match !== null && isComplete(text, match[0])) return withExtension(text + around.after, match[0].length);
  const digits = countDigits(text);
  if (digits > 15 || digits < 6 || text.includes("/") || /^\d{1,2}\.\d+$/.test(text)) return 0;
  if (digits >= 7 && contextAfter.test(around.after)) return withExtension(text + around.after, text.length);
  return around.hasContext() ? withExtension(text + around.after, text.length) : 0;
}

/** Whether the words just before a number say that it is one to call. */
export function hasPhoneContext(before: string): boolean {
  const classes = charClasses();
  let end = before.length;
  for (let words = 0; words <= fillersMax; words += 1) {
    while (end > 0 && ((classes[before.charCodeAt(end - 1)] ?? 0) & LETTER) === 0) end -= 1;
    let start = end;
    while (start > 0 && ((classes[before.charCodeAt(start - 1)] ?? 0) & LETTER) !== 0) start -= 1;
    if (start === end) return false;
    const word = before.slice(start, end).toLowerCase();
    if (contextWords.has(word)) return true;
    if (!fillers.has(word)) return false;
    end = start;
  }
  return false;
}

function isComplete(text: string, match: string): boolean {
  const digits = countDigits(match);
  const next = text.charCodeAt(match.length);
  return digits >= 7 && digits <= 15 && !(next >= 0x30 && next <= 0x39);
}

function withExtension(text: string, length: number): number {
  return length + (extension.exec(text.slice(length))?.[0].length ?? 0);
}

function countDigits(text: string): number {
  let digits = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= 0x30 && code <= 0x39) digits += 1;
  }
  return digits;
}
