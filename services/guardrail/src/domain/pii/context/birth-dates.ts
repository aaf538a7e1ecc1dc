import { ACCENT, charClasses, LETTER } from "../../text/char-class.ts";
import { type ContextRule, endAt, type Found, type Lead, sticky } from "./lead.ts";

/** Words of birth, as they begin a phrase. The date may stand behind a place: "né à Nantes le …". */
const words = [
  ..."born dob d.o.b birth birthdate birthday birth_date date_of_birth dateofbirth birthdt date".split(" "),
  ..."geboren geb geburtsdatum geburtstag naissance né née nacido nacida nacimiento nato nata nascita".split(" "),
  ..."nascido nascida nascimento geboortedatum urodzony urodzona urodzenia ur родился родилась рождения".split(" "),
  ..."doğum doğumlu född födelsedatum født fødselsdato syntynyt syntymäaika lahir sinh fecha data".split(" "),
  ..."nacimiento narozen narozena narozeni născut născută született γεννήθηκε народився народилася".split(" "),
];

/** Phrases whose first word says nothing of births by itself. */
const openings: Readonly<Record<string, RegExp>> = {
  date: sticky(String.raw`date(?:[ _]of[ _]birth|[ _]de[ _]naissance)`, "i"),
  fecha: sticky(String.raw`fecha[ _]de[ _]nacimiento`, "i"),
  data: sticky(String.raw`data[ _](?:di[ _]nascita|de[ _]nascimento|urodzenia|nașterii)`, "i"),
  birth: sticky(String.raw`birth[ _-]?(?:date|day)`, "i"),
  doğum: sticky(String.raw`doğum(?:[ _]tarih[a-zığüşöç]{0,4})?`, "i"),
  sinh: sticky(String.raw`sinh(?:[ _]ngày)?`, "i"),
  d: sticky(String.raw`d\. ?o\. ?b\.?`, "i"),
  lahir: sticky(String.raw`lahir`, "i"),
};

/** Letters between the words and the date: ": ", "am", "in Berlin on the". */
const gapMax = 48;
const gapSigns = " \t,:='\"’/()»«_-";
const months = [
  "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec",
  "jän|mär|mai|okt|dez|fév|févr|avr|juin|juil|août|déc|ene|abr|ago|dic|gen|mag|giu|lug|set|ott|fev|out|maa|mei|mrt",
  "sty|lut|kwi|maj|cze|lip|sie|wrz|paź|lis|gru|янв|фев|мар|апр|мая|май|июн|июл|авг|сен|окт|ноя|дек",
  "oca|şub|nis|haz|tem|ağu|eyl|eki|kas|ara|des|juni|juli|agu|tammi|helmi|maalis|huhti|touko|kesä|heinä|elo|syys|loka|marras|joulu",
].join("|");
const year = "(?:1[89]\\d\\d|20\\d\\d|2[45]\\d\\d)";
const day = "(?:0?[1-9]|[12]\\d|3[01])";
const month = "(?:0?[1-9]|1[0-2])";
const monthName = `(?>(?:${months})[\\p{L}\\p{M}]{0,9}\\.?)`;
const date = sticky(
  [
    `${year}(?<ymd>[-./ ]{1,2})${month}\\k<ymd>${day}(?!\\d)`,
    `${year} ?[年년] ?${month} ?[月월] ?${day} ?[日일]`,
    `(?:${day}(?<dmy>[-./]) ?${month}\\k<dmy> ?|${month}(?<mdy>[-./]) ?${day}\\k<mdy> ?)(?:${year}|\\d\\d)(?!\\d)`,
    `${day}(?:st|nd|rd|th|er|º|ª|\\.|-е)? ?(?:of |de |d['’])?${monthName},? ?(?:de |del )?${year}(?!\\d)(?: года| г\\.)?`,
    `${monthName} ${day}(?:st|nd|rd|th)?,? ${year}(?!\\d)`,
  ].join("|"),
  "i",
);

/** Dates behind words of birth. A year alone, or a date without a year, does not count. */
export const birthDateRule: ContextRule = { entity: "birth_date", words, find: findBirthDate };

function findBirthDate(text: string, { start, end }: Lead): Found | undefined {
  const opening = openings[text.slice(start, end).toLowerCase()];
  const from = opening === undefined ? end : endAt(opening, text, start);
  return from < 0 ? undefined : dateBehind(text, from);
}

/** The date with the first digits within the gap. A sentence's end ends it. */
function dateBehind(text: string, from: number): Found | undefined {
  const until = Math.min(text.length, from + gapMax);
  let digit = from;
  while (digit < until && !isDigit(text.charCodeAt(digit))) {
    if (!isGap(text, digit)) return undefined;
    digit += 1;
  }
  if (digit >= until) return undefined;
  // "March 3, 1985" begins with the word before.
  let word = digit;
  while (word > from && isBlank(text.charCodeAt(word - 1))) word -= 1;
  const wordEnd = word;
  while (word > from && isLetter(text.charCodeAt(word - 1))) word -= 1;
  if (word < wordEnd && word > from) {
    const end = endAt(date, text, word);
    if (end >= 0) return { start: word, end };
  }
  const end = digit > from || isBlank(text.charCodeAt(from)) ? endAt(date, text, digit) : -1;
  return end < 0 ? undefined : { start: digit, end };
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
const isBlank = (code: number): boolean => code === 0x20 || code === 0x09 || code === 0x2e;
const isLetter = (code: number): boolean => ((charClasses()[code] ?? 0) & (LETTER | ACCENT)) !== 0;

function isGap(text: string, index: number): boolean {
  return isLetter(text.charCodeAt(index)) || gapSigns.includes(text.charAt(index)) || isAbbreviation(text, index);
}

/** "geb. 2.2.1944", "D.O.B.: …" */
function isAbbreviation(text: string, index: number): boolean {
  return (
    text.charAt(index) === "." &&
    index > 0 &&
    isLetter(text.charCodeAt(index - 1)) &&
    " :".includes(text.charAt(index + 1))
  );
}

/** Words for a birth in scripts that put no blanks between words; the date stands right behind. */
export const unspacedBirth = /出生(?:日期|年月日|于|於)|生年月日|生日|誕生日|생년월일|출생일|วันเกิด/gu;
const unspacedGap = sticky(String.raw`[ \t::=「は為为是은는이가]{0,6}`);

/** The date that follows a word of a script without spaces; undefined where none does. */
export function unspacedDate(text: string, from: number): Found | undefined {
  const at = endAt(unspacedGap, text, from);
  const end = at < 0 ? -1 : endAt(date, text, at);
  return end < 0 ? undefined : { start: at, end };
}
