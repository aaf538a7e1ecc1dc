import { type ContextRule, endAt, type Found, type Lead, sticky } from "./lead.ts";
import { nameParticles, noNames } from "./no-names.ts";

const letters = String.raw`[\p{L}\p{M}]`;
/** A word of a name: a capital, or a letter of a script without case; "O'Connor", "Hans-Peter", "J." */
const word = String.raw`(?>\p{Lu}(?:${letters}|['’-](?=\p{L})){1,24}(?!${letters})|\p{Lu}\.)`;
const particle = `(?:(?:${nameParticles.join("|")}) |[dD]['’]|al-|Al-)`;
const nameWords = sticky(`(?:${particle}){0,2}${word}(?: (?:${particle}){0,2}${word}){0,4}`);
/** As in informal writing: "my name is john doe". */
const lowerWords = sticky(
  String.raw`\p{Ll}(?:${letters}|['’-]){1,20}(?: \p{Ll}(?:${letters}|['’-]){1,20})?(?=\s{0,9}(?:[.,;:!?)\n]|$|(?:and|und|et|y|e|i|en)\s))`,
);
/** Words of scripts without case. */
const caselessWords = sticky(String.raw`[\p{Lo}\p{M}]{2,20}(?: [\p{Lo}\p{M}]{2,20})?`);
const spaces = sticky("[ \\t]{0,3}");
const lineEnd = sticky(String.raw`[ \t]{0,3}[.,]?(?:\r?\n|$)`);
const greetingEnd = sticky(String.raw`[ \t]{0,3}(?:[,!:،]|\r?\n|$)`);
/** "Name: Ann", `"name": "Ann"`, "name=Ann" */
const fieldMark = sticky(String.raw`["']?[ \t]{0,3}[::=][ \t]{0,3}["']?`);
const valueEnd = sticky(String.raw`[ \t]{0,3}(?:["',;&|/(<}\]\r\n.،]|$)`);

const particles = new Set(nameParticles);

/** The name at a place without words that belong to no name; undefined where it has none. */
function nameAt(text: string, at: number, wordsMin = 1): Found | undefined {
  const whole = endAt(nameWords, text, at);
  if (whole < 0) return undefined;
  // "My name is Mr. Brown": the title has a rule for itself.
  if (titleSet.has(text.slice(at, Math.max(at, endAt(titleWord, text, at))).toLowerCase())) return undefined;
  let end = at;
  let count = 0;
  for (const part of text.slice(at, whole).split(" ")) {
    if (noNames.has(part.toLowerCase()) && !(end > at && particles.has(part))) break;
    end += part.length + (end === at ? 0 : 1);
    if (/^\p{Lu}/u.test(part)) count += 1;
  }
  return count < wordsMin || end === at ? undefined : { start: at, end };
}

function afterSpaces(text: string, at: number): number {
  return endAt(spaces, text, at);
}

const titles = [
  ..."mr mrs ms miss mx mister dr prof professor sir herr herrn frau fräulein monsieur madame mme mlle mademoiselle".split(
    " ",
  ),
  ..."señor señora señorita sr sra srta signor signora signorina sig senhor senhora dhr mevr mevrouw meneer heer".split(
    " ",
  ),
  ..."pan pani pana panu господин госпожа г-н г-жа sayın doktor".split(" "),
];
const titleEnd = sticky(String.raw`\.?(?:ra\b\.?|essa\b)?[ \t]{1,2}`);
const titleSet = new Set(titles);
/** Titles in a row: "Herr Prof. Dr. Weber". */
const titlesMax = 3;

function findTitled(text: string, { start, end }: Lead): Found | undefined {
  // "de heer Jansen" apart, titles are written large; "sr" and "me" else are words.
  const title = text.slice(start, end);
  if (
    title === title.toLowerCase() &&
    !/^(?:heer|sayın|señora?|signora?|senhora?|monsieur|madame|господин|госпожа|pani?)$/u.test(title)
  ) {
    return undefined;
  }
  let at = end;
  for (let count = 0; count < titlesMax; count += 1) {
    const next = endAt(titleEnd, text, at);
    if (next < 0) return undefined;
    const wordEnd = endAt(titleWord, text, next);
    if (wordEnd < 0 || !titleSet.has(text.slice(next, wordEnd).toLowerCase())) {
      // The titles in between belong to the name.
      return count === 0 ? nameAt(text, next) : nameAt(text, next) && widen(end, nameAt(text, next), text);
    }
    at = wordEnd;
  }
  return undefined;
}

const titleWord = sticky(String.raw`[\p{L}-]{2,12}`);

function widen(from: number, found: Found | undefined, text: string): Found | undefined {
  return found && { start: endAt(titleEnd, text, from), end: found.end };
}

/** Phrases in which people give their names, from their first word. */
const introductions = sticky(
  [
    String.raw`my (?:full |first |last |given )?name(?:['’]s| is)(?: called)?`,
    "name['’]s",
    "(?:i am|i['’]m|she is|he is) (?:called|named)",
    "call me",
    "(?:signed|written|prepared|authored) by",
    "on behalf of",
    "c/o",
    "mein (?:vor|nach)?name (?:ist|lautet)",
    "(?:ich )?heiße",
    "(?:ich )?heisse",
    "je m['’]appelle",
    "(?:il|elle) s['’]appelle",
    "mon nom est",
    "née?",
    "me llamo",
    "se llama",
    "mi nombre es",
    "mi chiamo",
    "il mio nome è",
    "(?:o )?meu nome é",
    "me chamo",
    "chamo-me",
    "mijn naam is",
    "ik heet",
    "nazywam się",
    "mam na imię",
    "меня зовут",
    "мо[её] имя",
    "(?:benim )?adım",
    "jag heter",
    "mitt namn är",
    "jeg he(?:ter|dder)",
    "nimeni on",
    "(?:tên )?tôi (?:tên )?là",
    "tên tôi là",
    "nama saya(?: adalah)?",
    "اسمي",
    "मेरा नाम",
  ].join("|"),
  "i",
);
const introductionWords = [
  ..."my name i he she call signed written prepared authored on c mein ich heiße heisse je il elle".split(" "),
  ..."mon née né me se mi meu o chamo mijn ik nazywam mam меня моё мое benim adım jag mitt jeg nimeni tôi tên nama اسمي मेरा".split(
    " ",
  ),
];
const afterIntroduction = sticky(String.raw`(?:[ \t]{0,2}:[ \t]{1,2}|[ \t]{1,4})["'“„«]?`);
/** Behind these, a name in small letters is one too. */
const certain = /name|called|named|llamo|chiamo|appelle|heiße|heisse|naam|nombre|nome|nazywam|heter|nama|зовут|adım/iu;

function findIntroduced(text: string, { start }: Lead): Found | undefined {
  const phraseEnd = endAt(introductions, text, start);
  if (phraseEnd < 0) return undefined;
  const at = endAt(afterIntroduction, text, phraseEnd);
  if (at < 0) return undefined;
  const named = nameAt(text, at);
  if (named !== undefined) return named;
  const phrase = text.slice(start, phraseEnd);
  if (/[\p{Script=Arabic}\p{Script=Devanagari}]/u.test(phrase)) return caselessName(text, at);
  if (!certain.test(phrase)) return undefined;
  const end = endAt(lowerWords, text, at);
  if (end < 0) return undefined;
  const given = text.slice(at, end).split(" ");
  return given.some((part) => noNames.has(part)) ? undefined : { start: at, end };
}

/** Hindi's "is", in front of the name or behind it. */
const isInHindi = "है";
/**
 * Arabic's "and" is written as one with the next word, and is the first letter of many names too: وليد, وائل. Only these
 * are no names: "and I …" with its verb, "I was born", and the words that most often go on with an introduction.
 */
const arabicAnd = /^و(?:أ|ان|عمر[يه]|رقم|هذ[اه]|لدي|لدت|بريد|عنوان|والد|نحن|(?:هو|هي|في|من|عن|قد|كان|كنت|لا|لي|معي)$)/u;

function caselessName(text: string, at: number): Found | undefined {
  const end = endAt(caselessWords, text, at);
  if (end < 0) return undefined;
  const [first = "", last] = text.slice(at, end).split(" ");
  if (first === isInHindi) return last === undefined ? undefined : { start: at + first.length + 1, end };
  const goesOn = last !== undefined && (last === isInHindi || arabicAnd.test(last));
  return { start: at, end: goesOn ? at + first.length : end };
}

/** Fields that have nothing but names, and those that may have names of things: of these, two words are asked for. */
const sureFields = sticky(
  `(?:${[
    String.raw`(?:full|first|last|given|family|middle|maiden|sur|customer|patient|passenger|client|employee|contact|cardholder|account holder)[ _-]?names?`,
    "(?:first|last|given|family|full)name",
    "(?:patient|passenger|employee|cardholder|account holder|tenant|attn|attention|surname|applicant|insured)",
    "(?:vor|nach|familien)name|patient(?:in)?|kunde|kundin|mitarbeiter(?:in)?|ansprechpartner(?:in)?",
    "prénoms?|nom(?: de famille)?|nombre|apellidos?|nome|cognome|sobrenome|apelido|naam|voornaam|achternaam",
    "imię|nazwisko|imię i nazwisko|имя|фамилия|отчество|фио|ad|soyad|ad soyad|förnamn|efternamn|namn|fornavn|etternavn|efternavn|navn",
    "etunimi|sukunimi|nimi|họ tên|họ và tên|nama lengkap",
  ].join("|")})(?!\\p{L})`,
  "i",
);
const looseFields = sticky("(?:name|customer|contact|client|ship to|bill to|user|author|owner|by|from|to)", "i");
const fieldWords = [
  ..."full first last given family middle maiden surname customer patient passenger client employee contact cardholder".split(
    " ",
  ),
  ..."account firstname lastname fullname first_name last_name full_name given_name family_name customer_name".split(
    " ",
  ),
  ..."patient_name contact_name account_holder client_name tenant attn attention applicant insured name ship bill".split(
    " ",
  ),
  ..."vorname nachname familienname nombre patientin kunde kundin mitarbeiter mitarbeiterin ansprechpartner ansprechpartnerin".split(
    " ",
  ),
  ..."prénom prénoms nom nombre apellido apellidos nome cognome sobrenome apelido naam voornaam achternaam imię nazwisko".split(
    " ",
  ),
  ..."имя фамилия отчество фио ad soyad förnamn efternamn namn fornavn etternavn efternavn navn etunimi sukunimi nimi họ".split(
    " ",
  ),
];
/** Words of a name in a loose field; titles of things are longer. */
const looseWordsMax = 3;
/** "Smith, John" */
const comma = sticky(", ?(?=\\p{Lu})");

function findField(text: string, { start }: Lead): Found | undefined {
  const sure = endAt(sureFields, text, start);
  // "Product name: …"
  const isOfThing = /[\p{L}\d][ \t]$/u.test(text.slice(Math.max(0, start - 2), start));
  const fieldEnd = sure < 0 && !isOfThing ? endAt(looseFields, text, start) : sure;
  const at = fieldEnd < 0 ? -1 : endAt(fieldMark, text, fieldEnd);
  if (at < 0) return undefined;
  const isTitled = titleSet.has(text.slice(at, Math.max(at, endAt(titleWord, text, at))).toLowerCase());
  const found = isTitled
    ? findTitled(text, { start: at, end: endAt(titleWord, text, at) })
    : nameAt(text, at, sure < 0 ? 2 : 1);
  if (found === undefined) return undefined;
  if (sure < 0 && text.slice(found.start, found.end).split(" ").length > looseWordsMax) return undefined;
  const next = endAt(comma, text, found.end);
  if (sure >= 0 && next >= 0) {
    const given = nameAt(text, next);
    if (given !== undefined && endAt(valueEnd, text, given.end) >= 0) return { start: found.start, end: given.end };
  }
  return endAt(valueEnd, text, found.end) < 0 ? undefined : found;
}

const greetings = [
  ..."dear hi hello hey liebe lieber hallo bonjour salut cher chère hola estimado estimada querido querida ciao caro cara".split(
    " ",
  ),
  ..."gentile olá prezado prezada beste hoi drogi droga уважаемый уважаемая дорогой дорогая привет hej hei kære merhaba".split(
    " ",
  ),
];

function findGreeted(text: string, { start, end }: Lead): Found | undefined {
  // "der beste Grafiker, …" is no greeting.
  if (/[\p{L}\d,;] ?$/u.test(text.slice(Math.max(0, start - 2), start))) return undefined;
  const found = nameAt(text, afterSpaces(text, end));
  return found !== undefined && found.start > end && endAt(greetingEnd, text, found.end) >= 0 ? found : undefined;
}

const closing = sticky(
  [
    "(?:kind |best |warm |warmest |many )?regards",
    "best(?: wishes)?",
    "(?:yours )?(?:sincerely|faithfully|truly)(?: yours)?",
    "cheers|thanks|thank you|many thanks",
    "(?:mit )?(?:freundliche[nr]?|viele|liebe|beste|herzliche)[nr]? gr(?:ü|ue)(?:ß|ss)en?",
    "gr(?:ü|ue)(?:ß|ss)e",
    "(?:bien )?cordialement|bien à vous|amicalement|salutations",
    "(?:un )?(?:cordial )?saludos?(?: cordiales)?|atentamente|atenciosamente|abraços?",
    "(?:cordiali|distinti) saluti|met vriendelijke groet(?:en)?|groet(?:en|jes)?",
    "z poważaniem|pozdrawiam|с уважением|saygılarımla|med vänlig(?:a)? hälsning(?:ar)?|vennlig hilsen|mvh",
  ].join("|"),
  "i",
);
const closingWords = [
  ..."kind best warm warmest many regards yours sincerely faithfully truly cheers thanks thank mit freundliche freundlichen".split(
    " ",
  ),
  ..."viele liebe beste herzliche grüße gruesse grüsse bien cordialement amicalement salutations un cordial saludos saludo".split(
    " ",
  ),
  ..."atentamente atenciosamente abraço abraços cordiali distinti met groet groeten groetjes z pozdrawiam с saygılarımla".split(
    " ",
  ),
  ..."med vennlig mvh".split(" "),
];
const closingEnd = sticky(String.raw`(?>[ \t]{0,6}(?:[,.!][ \t]{0,3})?)(?:\r?\n[ \t]{0,3}){1,3}`);

function findSigned(text: string, { start }: Lead): Found | undefined {
  const end = endAt(closing, text, start);
  const at = end < 0 ? -1 : endAt(closingEnd, text, end);
  const found = at < 0 ? undefined : nameAt(text, at);
  return found !== undefined && endAt(lineEnd, text, found.end) >= 0 ? found : undefined;
}

/** Names behind titles, in introductions, in fields, in greetings and behind the end of a letter. */
export const nameRules: readonly ContextRule[] = [
  { entity: "person_name", words: titles, find: findTitled },
  { entity: "person_name", words: introductionWords, find: findIntroduced },
  { entity: "person_name", words: fieldWords, find: findField },
  { entity: "person_name", words: greetings, find: findGreeted },
  { entity: "person_name", words: closingWords, find: findSigned },
];
