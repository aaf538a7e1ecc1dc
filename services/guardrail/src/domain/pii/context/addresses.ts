import { atomicRegExp, type ContextRule, endAt, type Found, type Lead, sticky } from "./lead.ts";

const letters = String.raw`[\p{L}\p{M}]`;
/** With what its hyphens join: "Frankfurt-am-Main". Atomic, since a run of "A-" could be divided in as many ways as it is long. */
const capital = String.raw`(?>\p{Lu}(?:${letters}|['’.-](?=\p{L})){0,24}\.?)`;
const blank = String.raw`[ \t]{1,2}`;
/** Between the parts of an address. */
const gap = String.raw`(?>[ \t]{0,4}(?:(?:,|\r?\n|;)[ \t]{0,2})?)`;
const city = String.raw`${capital}(?: (?:${capital}|am|an der|im|upon|sur|de|del|la|le)){0,4}`;

/** Behind street and number: flat, postcode and town, as the larger countries write them. */
const tails = [
  // 28013 Madrid, 62-704 Warszawa, 1017 GB Amsterdam, 01310-100 São Paulo, 114 55 Stockholm
  String.raw`(?:[A-Z]{1,2}-)?\d{2,5}(?:[ -]\d{2,3})?(?: [A-Z]{2})?${blank}${city}`,
  // Springfield, IL 62704; London NW1 6XE
  String.raw`${city}(?:,? [A-Z]{2})?,? (?:\d{5}(?:-\d{4})?|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d[A-Z] \d[A-Z]\d)(?![\p{L}\d])`,
  String.raw`(?:[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2})(?![\p{L}\d])`,
  // A town behind a comma
  String.raw`(?<=,[ \t]{0,2})${city}(?:, ${city})?`,
];
const tail = sticky(`${gap}(?:${tails.join("|")})`);
const flat = sticky(
  String.raw`(?>[ \t]{0,4}(?:,[ \t]{0,2})?)(?:(?:apt|apartment|suite|ste|unit|flat|floor|fl|room|appt|app|piso|wohnung|whg|кв|квартира|m|lok|no|daire)\.?(?: ?#)?|#)(?>[ \t]{0,3}[\dA-Z]{1,5})(?![\p{L}\d])|[ \t]{0,2},[ \t]{0,2}\d{1,3}\.?[ºª°]?(?: ?[A-Z])?(?=,)`,
  "i",
);

/** The address that begins at `start` and whose street and number end at `end`, with the parts behind. */
function withTail(text: string, start: number, end: number): Found {
  let last = endAt(flat, text, end);
  if (last < 0) last = end;
  const tailEnd = endAt(tail, text, last);
  return { start, end: tailEnd < 0 ? last : tailEnd };
}

/** Units before a street's type that may be its number and name: "221B North Baker Street". */
const nameBeforeMax = 60;
const numberThenName = atomicRegExp(
  String.raw`(?<![\p{L}\d.,:/-])(?:(?:flat|unit|apt|suite) \w{1,4},? )?(?>\d{1,5}(?:-\d{1,4})?[A-Za-z]?,?${blank})(?:[NSEW]\.?${blank})?(?>(?:(?:${capital}|\d{1,3}(?:st|nd|rd|th))${blank}){1,4})$`,
  "iu",
);
/** The last word of the name, with the case that the expression above does not look at. */
const capitalName = /^(?:\p{Lu}|\d{1,3}(?:st|nd|rd|th))/u;

const englishTypes =
  "street st avenue ave road rd boulevard blvd lane ln drive dr court ct place pl square sq terrace way parkway pkwy highway hwy close crescent gardens grove mews row walk circle cir trail turnpike".split(
    " ",
  );
const direction = sticky(String.raw`\.?(?:${blank}(?:NW|NE|SW|SE|N|S|E|W)(?![\p{L}\d]))?`);

function findNumberFirst(text: string, { start, end }: Lead, floor: number): Found | undefined {
  if (!/\p{Lu}/u.test(text.charAt(start))) return undefined;
  const from = Math.max(floor, start - nameBeforeMax);
  const before = text.slice(from, start);
  if (!/\d/u.test(before)) return undefined;
  const number = numberThenName.exec(before);
  if (number === null || !capitalName.test(number[0].trimEnd().split(/[ \t]/u).at(-1) ?? "")) return undefined;
  return withTail(text, from + number.index, endAt(direction, text, end));
}

/** "12 bis, rue de la République", "Calle Mayor 23", "ul. Długa 7/3" */
const streetName = String.raw`(?>(?:(?:(?:de|del|dela|della|delle|dei|di|da|do|dos|das|du|des|la|las|los|le|les|of|van|von)(?!\p{L})|(?:del?)?l['’]|d['’])[ \t]?){0,3})(?:${capital}|\d{1,2}(?= de ))(?:${blank}(?:(?:de|del|della|di|da|do|du|des|la|le|y|e|et)${blank}){0,2}${capital}){0,4}`;
const houseNumber = String.raw`(?:(?>,?[ \t]{0,4}(?:(?:número|numero|number|num\.?|nr\.?:?|no\.?:?|n\.?[º°o]?\.?|д\.|дом)[ \t]{0,2})?\d{1,5})(?:[ \t]?[a-zA-Z](?![\p{L}\d]))?(?:[/-]\d{1,4}[a-z]?)?(?![\p{L}\d]))`;
const nameThenNumber = sticky(String.raw`(?:-т)?[./]?[ \t]{0,2}${streetName}${houseNumber}`);
const onlyName = sticky(String.raw`\.?[ \t]{0,2}${streetName}`);
const numberBefore = /(?<![\p{L}\d.,:/-])\d{1,4}(?:[ \t]?(?:bis|ter|[a-d]))?,?[ \t]{1,2}$/iu;

const romanceTypes =
  "rue avenue boulevard bd place chemin allée impasse quai cours route square passage calle c/ avenida avda av plaza paseo camino carretera ronda travesía via viale piazza corso vicolo largo piazzale rua travessa praça alameda rodovia estrada ul al os pl ulica aleja osiedle plac ул улица пр пр-т проспект пер переулок наб набережная пл площадь бульвар шоссе jalan jl calea strada bulevardul".split(
    " ",
  );

function findTypeFirst(text: string, { start, end }: Lead, floor: number): Found | undefined {
  // "C/ Alcalá" begins a street, "C99" does not.
  if (end - start === 1 && text.charAt(end) !== "/") return undefined;
  const before = text.slice(Math.max(floor, start - 12), start);
  const number = numberBefore.exec(before);
  if (number !== null) {
    const named = endAt(onlyName, text, end);
    if (named >= 0) return withTail(text, start - number[0].length, named);
  }
  const numbered = endAt(nameThenNumber, text, end);
  return numbered < 0 ? undefined : withTail(text, start, numbered);
}

/** "Невский проспект, 28", "Atatürk Caddesi No: 12", "Berliner Straße 5", "Mannerheimintie 10" */
const numberBehind = sticky(`\\.?${houseNumber}`);
const capitalWordsBefore = atomicRegExp(
  String.raw`(?<!\p{L})(?>(?:\p{Lu}[\p{L}\p{M}.'’-]{0,24}[ \t]{1,2}){1,3})$`,
  "u",
);
/** Words that begin a sentence and no street's name. */
const noStreet = new Set(
  "auf der die das den dem ein eine kein mein im in am the a on this that ihr sein jeder".split(" "),
);
const typesBehindName =
  "straße strasse str weg platz allee gasse ring ufer damm chaussee markt caddesi cad sokak sokağı sk bulvarı mahallesi проспект улица переулок бульвар шоссе street".split(
    " ",
  );

function findTypeLast(text: string, { start, end }: Lead, floor: number): Found | undefined {
  const numbered = endAt(numberBehind, text, end);
  if (numbered < 0) return undefined;
  const from = Math.max(floor, start - nameBeforeMax);
  const name = capitalWordsBefore.exec(text.slice(from, start));
  if (name === null || noStreet.has(name[0].trim().toLowerCase())) return undefined;
  return withTail(text, from + name.index, numbered);
}

/** Streets in one word: "Hauptstraße 15". */
const streetEndings =
  "straße strasse str weg platz allee gasse ring ufer damm straat laan plein gracht kade dijk singel steeg gatan gata gate gaten vägen veien vegen vej katu tie kuja polku torget".split(
    " ",
  );

function findCompound(text: string, { start, end }: Lead): Found | undefined {
  if (!/\p{Lu}/u.test(text.charAt(start))) return undefined;
  const numbered = endAt(numberBehind, text, end);
  if (numbered < 0) return undefined;
  const found = withTail(text, start, numbered);
  // "During 2021" and "Spring 1932" are no addresses.
  const isWord = /(?:19|20)\d\d$/u.test(text.slice(end, numbered)) || text.slice(start, end).endsWith("ing");
  return isWord && !/\d/u.test(text.slice(numbered, found.end)) ? undefined : found;
}

/** German streets that begin with a small word: "Am Markt 5", "Unter den Linden 77". */
const openStreet = sticky(
  String.raw`(?:am|an der|an den|auf der|auf dem|im|in der|in den|zum|zur|unter den|hinter der|vor dem|bei der)${blank}${capital}(?:${blank}${capital})?${houseNumber}`,
  "i",
);

function findOpenStreet(text: string, { start }: Lead): Found | undefined {
  if (!/\p{Lu}/u.test(text.charAt(start))) return undefined;
  const numbered = endAt(openStreet, text, start);
  if (numbered < 0) return undefined;
  const found = withTail(text, start, numbered);
  // "Am Montag 5" is an address only with a postcode behind it.
  return /\d{5}/u.test(text.slice(numbered, found.end)) ? found : undefined;
}

const box = sticky(
  String.raw`(?:p\.? ?o\.? ?box|post(?:al)? box|postfach|postbus|boîte postale|apartado(?: de correos)?|caixa postal|casella postale)(?>[ \t]{0,4}(?::[ \t]{0,2})?)\d[\d ]{0,8}(?<=\d)`,
  "i",
);

function findBox(text: string, { start }: Lead): Found | undefined {
  const end = endAt(box, text, start);
  return end < 0 ? undefined : withTail(text, start, end);
}

/** "Address: …" up to the end of its line. */
const field = sticky(
  String.raw`(?:(?:home|postal|mailing|shipping|billing|delivery|residential|street|current) )?(?:address|adresse|anschrift|(?:wohn|liefer|rechnungs)(?:adresse|anschrift)|dirección|domicilio|indirizzo|endereço|morada|adres|adress|osoite|адрес(?: доставки| проживания)?)(?: on file)?(?: is| ist| est| es| è| é)?[ \t]{0,2}["']?[::=][ \t]{0,2}["']?`,
  "i",
);
const fieldWords =
  "home postal mailing shipping billing delivery residential street current address adresse anschrift wohnadresse lieferadresse rechnungsadresse wohnanschrift lieferanschrift rechnungsanschrift dirección domicilio indirizzo endereço morada adres adress osoite адрес".split(
    " ",
  );
const fieldValueMax = 120;
const otherAddress = /(?:mail|ip|mac|web|memory|wallet|bitcoin|http|host|url|network|bus|e-?mail)[ \t_-]{0,2}$/iu;
const noAddress = /@|:\/\/|0x|(?:\d{1,3}\.){3}|(?:[0-9a-f]{2}:){3}/iu;

function findAddressField(text: string, { start }: Lead, floor: number): Found | undefined {
  const at = endAt(field, text, start);
  if (at < 0 || otherAddress.test(text.slice(Math.max(floor, start - 12), start))) return undefined;
  const line = /^[^\r\n"{}<>|]*/u.exec(text.slice(at, at + fieldValueMax))?.[0] ?? "";
  // A sentence goes on behind the address.
  const digit = line.search(/\d/u);
  const sentence = digit < 0 ? -1 : line.slice(digit).search(/\.(?:\s|$)|;/u);
  const value = (sentence < 0 ? line : line.slice(0, digit + sentence)).trimEnd();
  const isAddress = /\d/u.test(value) && /\p{L}{3}|\p{Script=Han}/u.test(value) && !noAddress.test(value);
  const blanks = value.length - value.trimStart().length;
  return isAddress ? { start: at + blanks, end: at + value.length } : undefined;
}

/** Streets with a number, by the words for streets of the larger countries, and what stands behind "Address:". */
export const addressRules: readonly ContextRule[] = [
  { entity: "postal_address", words: fieldWords, find: findAddressField },
  { entity: "postal_address", words: englishTypes, find: findNumberFirst },
  { entity: "postal_address", words: romanceTypes, find: findTypeFirst },
  { entity: "postal_address", words: typesBehindName, find: findTypeLast },
  { entity: "postal_address", words: [], endings: streetEndings, find: findCompound },
  { entity: "postal_address", words: "am an auf im in zum zur unter hinter vor bei".split(" "), find: findOpenStreet },
  {
    entity: "postal_address",
    words: "p po p.o post postal postfach postbus boîte apartado caixa casella".split(" "),
    find: findBox,
  },
];
