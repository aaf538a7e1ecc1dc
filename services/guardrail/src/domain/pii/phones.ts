import { charClasses, LETTER } from "../text/char-class.ts";

/** Formats that are phone numbers wherever they stand: international, or written in a way nothing else is. */
const plainFormat = new RegExp(
  [
    /^\+\d{1,3}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d{1,4}(?:[ .-]?\d{2,8}){1,5}/,
    /^001[ .-]\d{3}[ .-]\d{3}[ .-]\d{4}/,
    /^00[1-9]\d{0,2}[ .-]?\d{2,4}(?:[ .-]\d{2,4}){2,4}/,
    /^00[1-9]\d{0,2}[ .-]\d(?:[ .-]\d{2}){4}/,
    /^(?:1[ .-])?\(\d{2,4}\) ?\d{3,4}[ .-]\d{3,4}/,
    /^(?:1[ .-])?[2-9]\d{2}(?:-\d{3}-|\.\d{3}\.)\d{4}/,
    /^00[1-9]\d{0,2} \d{3,4} \d{6,8}/,
    /^0\d{1,4}(?:(?: \d{2,4}){2,4}|(?:\.\d{2,4}){2,4}|(?:-\d{2,4}){2,4})/,
    /^0\d{2,4} \d{3,4} \d{4}/,
    // Mobile numbers as their countries write them: Britain, Germany, India, China, Spain, the Netherlands.
    /^07\d{3} \d{6}/,
    /^01[5-7]\d[ /]\d{7,8}/,
    /^[6-9]\d{4} \d{5}/,
    /^1[3-9]\d([ -])\d{4}\1\d{4}/,
    /^[67]\d{2}(?: \d{3}){2}/,
    /^06[ -]\d{8}/,
    /^\+\d{1,3}\/\d{2,4}\/\d{5,9}/,
  ]
    .map(({ source }) => source)
    .join("|"),
);
const dateLike = /^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2}))(?![-/.]?\d)/;
/** Area code and number on either side of a slash, which is also in dates, fractions and file numbers. */
const slashed = /^\(?\+?\d{2,5}\)?(?: ?\/ ?\(?\d{2,5}\)?)? ?\/ ?(?=(?:[ .-]?\d){5})\d{2,8}(?:[ .-]\d{1,4}){0,4}$/;
/** Two numbers of a measure (`132–139 ms`), and the units that they may have. */
const range = /^\d{1,6}(?:\.\d{1,3})? ?- ?\d{1,6}(?:\.\d{1,3})?$/;
const unit =
  /^\s?(?:[%‰°]|(?:[µμnm]?s|sec(?:onds?)?|min(?:utes?)?|h|hours?|days?|weeks?|months?|years?|[kmMG]?Hz|[kKMGT]i?[Bb]|[kKMGT]bps|bytes?|px|pt|[cmkµμn]?m|[kmµμ]?g|[km]?W|k?V|kcal|[mc]?l|fps|rpm|[rq]ps|EUR|USD|GBP)(?![\p{L}\d])|[€$£])/u;
/** No part of a longer number, or of a card, behind a phone number. */
const extension = /^\s?(?:x|ext\.?|extension|#)\s?\d{1,6}(?!\d|[ -]\d{4})/i;

/** Words that make a number after them a phone number. */
const contextWords = new Set(
  (
    "phone phones mobile cell cellphone tel telephone fax desk whatsapp sms wa call calls calling called dial ring contact contacts " +
    "answering registered handy telefon telefonnummer telefono teléfono téléphone tél telefone telefoon móvil celular portable rufnummer " +
    "numéro mobil mobiel mob gsm tlf tlfn puh cep ponsel mobilnummer cellulare puhelin telefonu numara hotline viber signal телефон телефону тел позвоните звоните номер " +
    "هاتف الهاتف هاتفي جوال جوالي رقم फोन फ़ोन मोबाइल"
  ).split(" "),
);
/** Verbs that make one only with a person to reach: "text me at", but not "text 123456 to win". */
const weakWords = new Set(["reach", "message", "messages", "text", "texting"]);
const persons = new Set(["me", "us", "him", "her", "them"]);
/** Words of languages that put no blanks around them. */
const contextStem = /(?:電話|电话|手机|手機|号码|號碼|携帯|전화|휴대폰|핸드폰|연락처|โทร|เบอร์)[^\d\n]{0,8}$/u;
/** Beginnings of words that have endings. */
const contextBeginning = /^(?:telefon|numara|handynumm|mobil|rufnumm|puhelin|телефон|номер|هاتف|رقم)/u;
/** Words that may stand between such a word and the number. */
const fillers = new Set(
  (
    "number no nr num me us him her them back at on is are was my your our the a to or and it s this please under unter an ist est es número " +
    "numero le la les el los il lo o de du das der die den è é jest to on is av er så u via by as soon possible for you now today tomorrow there direct line us home work office"
  ).split(" "),
);
const fillersMax = 6;
const contextAfter = /^[\s,-]{0,3}\(?(?:office|fax|mobile|cell|home|phone|work|desk)\b/i;

/** Length of the phone number at the start of `text`, given what stands around it; 0 when there is none. */
export function phoneLength(
  text: string,
  around: { readonly hasContext: () => boolean; readonly after: string },
): number {
  const digits = countDigits(text);
  // Digits alone are no date and have none of these formats.
  const isBare = digits === text.length;
  if ((!isBare && dateLike.test(text)) || /^[\s.()+/-]*(\d)(?:[\s.()+/-]*\1)*$/.test(text)) return 0;
  const match = isBare ? null : plainFormat.exec(text);
  if (match !== null && isComplete(text, match[0])) return withExtension(text + around.after, match[0].length);
  if (digits > 15 || digits < 6 || /^\d{1,2}\.\d+$/.test(text)) return 0;
  if (range.test(text) && unit.test(around.after)) return 0;
  const isSlashed = text.includes("/");
  if (isSlashed && !slashed.test(text)) return 0;
  if (!isSlashed && digits >= 7 && contextAfter.test(around.after))
    return withExtension(text + around.after, text.length);
  return around.hasContext() ? withExtension(text + around.after, text.length) : 0;
}

/** Whether the words just before a number say that it is one to call. */
export function hasPhoneContext(before: string): boolean {
  const classes = charClasses();
  if (contextStem.test(before)) return true;
  let end = before.length;
  let isToSomebody = false;
  for (let words = 0; words <= fillersMax; words += 1) {
    while (end > 0 && ((classes[before.charCodeAt(end - 1)] ?? 0) & LETTER) === 0) end -= 1;
    let start = end;
    while (start > 0 && ((classes[before.charCodeAt(start - 1)] ?? 0) & LETTER) !== 0) start -= 1;
    if (start === end) return false;
    const word = before.slice(start, end).toLowerCase();
    if (contextWords.has(word) || contextBeginning.test(word)) return true;
    if (weakWords.has(word)) return isToSomebody;
    if (!fillers.has(word)) return false;
    isToSomebody ||= persons.has(word);
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
