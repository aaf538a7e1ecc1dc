import { describe, expect, test } from "vitest";
import { maskText } from "../text/mask-text.ts";
import { readText } from "../text/readings.ts";
import { type NationalIdCountry, nationalIdCountries, type PiiEntity, piiEntities, piiLabels } from "./entity.ts";
import { findPii } from "./find-pii.ts";

const standard = {
  entities: new Set(piiEntities.filter((entity) => entity !== "national_id")),
  countries: new Set<NationalIdCountry>(),
};

function found(text: string, countries: readonly NationalIdCountry[] = []): { entity: PiiEntity; written: string }[] {
  const selection =
    countries.length === 0
      ? standard
      : { entities: new Set<PiiEntity>(["national_id"]), countries: new Set(countries) };
  return findPii(readText(text), selection).map(({ entity, start, end }) => ({
    entity,
    written: text.slice(start, end),
  }));
}

function masked(text: string): string {
  const spans = findPii(readText(text), standard).map(({ entity, ...span }) => ({ ...span, label: piiLabels[entity] }));
  return maskText(text, spans);
}

/** Joined here, so that no file holds what looks like a credential. */
const key = (...parts: readonly string[]): string => parts.join("");
const mixed = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0";
const hex = "0123456789abcdef0123456789abcdef";

interface Detector {
  readonly entity: PiiEntity;
  /** The entity alone in brackets: ⟦…⟧. */
  readonly present: readonly string[];
  readonly absent: readonly string[];
}

const detectors: readonly Detector[] = [
  {
    entity: "email",
    present: [
      "Write to ⟦ana.silva@example.org⟧ today.",
      "⟦ana+invoices@mail.example.co.uk⟧",
      String.raw`{"m":"Contact:\n⟦ann@example.com⟧\t"}`,
      String.raw`{"m":"to\t⟦nn@example.com⟧"}`,
      "Contact:⟦BOSS@EXAMPLE.COM⟧, please",
      "<⟦o'neil@example.ie⟧>",
      "⟦jürgen@müller.de⟧ hat geschrieben",
      "⟦ana [at] example [dot] org⟧",
      "⟦ana [at] example [dot] com⟧. So we go",
      "⟦ana [at] example.com⟧ . It is hers",
      "⟦ana [at] mail.example [dot] co.uk⟧. Do write",
      "⟦ana [at] example . com⟧, or ⟦bo (at) example. co . uk⟧",
      "请写信到⟦ana [at] example [dot] com⟧谢谢你们的来信",
      "我的邮箱是⟦ana[at]mail[dot]example[dot]org⟧请保存",
      "⟦иван [at] пример [dot] рф⟧ пишет",
      "schreib an ⟦max (at) firma . de⟧ bitte",
      "⟦ana@example.com⟧-",
      "⟦ana@example.com⟧--Ana",
      "⟦ana@example.com⟧-Ana",
      "⟦ana@mail.my-firm.com⟧",
      "⟦ana@my-firm.co.uk⟧-",
      "我的邮箱是⟦ana99 at example dot com⟧",
      "⟦ana\u200b@example.org⟧",
      "⟦ana&#64;example.org⟧",
      "我的邮箱是⟦ana@example.org⟧，谢谢",
      "почта⟦ana@example.org⟧да",
      '⟦"ana silva"@example.org⟧ is hers',
      "write ⟦jane at example dot com⟧ or call",
      "an ⟦maria punkt müller at firma punkt de⟧ bitte",
      "⟦pepe arroba ejemplo punto es⟧",
      "⟦marie arobase exemple point fr⟧",
      "my email is ⟦jane at example dot com⟧",
      "reach me: ⟦jane dot doe at example dot com⟧",
      "so ⟦jane_doe at mail dot example dot org⟧",
      "or ⟦jane99 at example dot com⟧",
      "⟦JANE.DOE AT EXAMPLE DOT COM⟧",
      "at this point mail ⟦Jane At Example Dot Com⟧",
      "and ⟦jane.doe at example dot us⟧",
      "meine Adresse: ⟦maria ät firma punkt de⟧",
      "https://⟦ana@example.org⟧ is how she wrote it",
      "smtp://⟦ana@mail.example.org⟧:587",
      "https://x.example/⟦ana@example.org⟧/inbox",
      "git wrote to ⟦git@example.org⟧",
      "⟦ana@2x.company⟧",
      "⟦bo@3x.example.org⟧",
      "the file ⟦ana@example.org⟧/1.png",
    ],
    absent: [
      "https://git@host.example/a/b, git+https://git@github.com/a/b.git and https://x-access-token@host.example/a",
      "ssh://git@github.com/a/b.git, ssh://deploy@host.example/srv, postgres://app@db.example/main",
      "SENTRY_DSN=https://0123456789abcdef0123456789abcdef@o123.ingest.example.io/456",
      "a@2x.png, logo@3x.webp, icons/logo@1.5x.svg, logo@2x-dark.png",
      "Meet me @ noon.",
      "ana@localhost",
      "ana [at] home. So we go",
      "@example.org is a handle",
      "git@github.com:ana/notes.git",
      "git@github.com-work:ana/notes.git",
      "https://ana:pw@example.org/path",
      "ana@example.1",
      "a @ b . c",
      'she wrote ""@example.org',
      'name="ana"@localhost',
      "look at node dot io for more",
      "we arrived at the dot com boom",
      "at example dot com you will find it",
      "stop at some point in the future",
      "tired at this point in my life",
      "at any point in the process",
      "at that point no one knew",
      "I bought shoes at amazon dot com",
      "sales of 2024 at amazon dot com",
      "from 9 a.m. at amazon dot com",
      "Sign up at netflix dot com",
      "Enter your email to sign up at netflix dot com",
      "mes chaussures chez zalando point fr",
      "write to pepe chez exemple point fr",
      "my email to jane at the dot in the middle",
      "we reach jane at example dot us",
    ],
  },
  {
    entity: "credit_card",
    present: [
      "Card ⟦4111 1111 1111 1111⟧ expires soon",
      "⟦5555555555554444⟧",
      "amex ⟦3782-822463-10005⟧",
      "⟦6011111111111117⟧.",
      "⟦3530 1113 3330 0000⟧",
      "⟦４１１１ １１１１ １１１１ １１１１⟧",
      "⟦4111 1111 1111 1111⟧ 12/27",
      "⟦4111 1111 1111 1111⟧ 1227 123",
      "order 77 ⟦4111 1111 1111 1111⟧",
      "row 12345 ⟦4111111111111111⟧",
      "two: ⟦4111111111111111⟧ 2",
      "我的卡号是⟦4111111111111111⟧。",
      "카드번호는⟦4111 1111 1111 1111⟧입니다",
      "номер⟦4111111111111111⟧",
      "เบอร์บัตร⟦4111111111111111⟧",
      "⟦4111_1111_1111_1111⟧",
      String.raw`{"m":"paid\n⟦4111 1111 1111 1111⟧\n"}`,
      "⟦4111/1111/1111/1111⟧",
      "⟦4111  1111  1111  1111⟧",
      "⟦4111 - 1111 - 1111 - 1111⟧",
      "⟦4111–1111–1111–1111⟧",
      "⟦4111−1111−1111−1111⟧",
      "⟦4111‑1111‑1111‑1111⟧",
      "⟦4111 – 1111 – 1111 – 1111⟧",
      "card: ⟦4111,1111,1111,1111⟧",
      "my card\n⟦4111\n1111\n1111\n1111⟧",
      "credit card ⟦4111 1111\n1111 1111⟧",
      "card ⟦4111-1111-1111\r\n1111⟧",
      "card⟦4111111111111111⟧",
      "my visa: ⟦4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1⟧",
      "card number ⟦4-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1⟧.",
    ],
    absent: [
      "4111,1111,1111,1111",
      "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
      "card 4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 2",
      "card 4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
      "discard4111111111111111",
      "card4111111111111112",
      "4111\n1111\n1111\n1111",
      "4111 1111\n1111 1111",
      "9999/4111/1111/1111/1111",
      "4111_1111_1111_1111_1111",

      "1234 5678 9012 3456",
      "1234-5678-9012-3456",
      "4111 1111 1111 1111 1111",
      "4111-1111-1111-1111-9999",
      "9999 4111 1111 1111 1111",
      "41111111111111119999",
      "99994111111111111111",
      `${"1".repeat(64)}4111111111111111`,
      `${"1".repeat(80)}4111111111111111`,
      `${"1234 ".repeat(24)}4111 1111 1111 1111`,
      "4111 1111 1111 1112",
      "5555555555554445",
      "4111 1111 1111",
      "0000 0000 0000 0000",
      "9999999999999995",
      "x4111111111111111y",
    ],
  },
  {
    entity: "iban",
    present: [
      "Pay to ⟦DE89 3704 0044 0532 0130 00⟧ please",
      "⟦GB82WEST12345698765432⟧",
      "⟦FR14 2004 1010 0505 0001 3M02 606⟧",
      "⟦nl91abna0417164300⟧",
      "(⟦ES91 2100 0418 4502 0005 1332⟧)",
      "账号⟦DE89370400440532013000⟧。",
      "⟦DE89 3704 0044\n0532 0130 00⟧",
      "⟦DE89 3704 0044\r\n0532 0130 00⟧",
      "⟦DE89–3704–0044–0532–0130–00⟧",
    ],
    absent: [
      "DE88 3704 0044 0532 0130 00",
      "GB82WEST12345698765431",
      "XX89 3704 0044 0532 0130 00",
      "DE89 3704 0044 0532 0130",
      "Order DE89 is ready",
      "DE89 3704 0044\n\n0532 0130 00",
    ],
  },
  {
    entity: "ip_address",
    present: [
      "blocked ⟦192[.]0[.]2[.]1⟧ at the edge",
      "⟦192[.]0.2.1⟧",
      "ping ⟦192.168.10.4⟧ now",
      "⟦8.8.8.8⟧",
      "[⟦2001:db8::7334⟧]",
      "⟦2001:0db8:85a3:0000:0000:8a2e:0370:7334⟧",
      "from ⟦10.0.0.255⟧:",
      "地址是⟦192.168.10.4⟧。",
      "server ⟦1.2.3.4⟧",
      "http://⟦1.2.3.4⟧/",
      "node ⟦10.0.0.12⟧ is down",
      "redis: ⟦203.0.113.7⟧ refused",
      "redis: ⟦20.30.40.50⟧ refused",
      "Linux ⟦192.168.1.77⟧ login failed",
      "linux ⟦20.30.40.50⟧ login failed",
      "the kernel ⟦20.30.40.50⟧ sent",
      "nginx ⟦203.0.113.7⟧ - - [10/Oct]",
      "nginx ⟦10.26.1.3⟧ on the box",
      "mysql ⟦203.0.113.8⟧",
      "connect to kafka ⟦172.16.254.1⟧",
      "kafka ⟦172.31.25.41⟧",
      "Windows ⟦203.0.113.9⟧ failed",
      "server node ⟦203.0.113.4⟧",
      "postgres=⟦203.0.113.9⟧",
      "postgres=⟦20.30.40.50⟧",
      "upstream nginx/⟦203.0.113.7⟧ refused",
      "client/⟦198.51.100.23⟧",
      "peer/⟦10.0.0.12⟧:443",
      "localhost/⟦192.168.10.4⟧",
    ],
    absent: [
      "PostgreSQL 16.1.0.2",
      "nginx 11.26.1.3 on the box",
      "release: 10.20.30.140",
      "build 192.168.10.4",
      "v=203.0.113.7",
      "Chrome/20.0.60.99",
      "Chrome/120.0.0.0 Safari/537.36",
      "nginx/1.18.0.1",
      "client/2.1.0.5",
      "version/203.0.113.7",
      "300[.]0[.]2[.]1 and 192[.]0[.]2",
      "127.0.0.1",
      "0.0.0.0",
      "127.1.2.3",
      "255.255.255.0",
      "version 10.20.30.40",
      "v4.3.2.1",
      "2.5.29.15",
      "nginx/8.9.10.11",
      "oid 8.6.4.2",
      "section 5.2.1.1 says",
      "WinPython-64bit-3.4.2.4",
      "256.1.1.1",
      "1.2.3",
      "version 1.2.3.4.5",
      "12:30:45",
      "std::vector",
      "1.2.3.999",
    ],
  },
  {
    entity: "phone_number",
    present: [
      "Call ⟦+1 415 555 0132⟧ tomorrow",
      "⟦+44 20 7946 0958⟧",
      "⟦(415) 555-0132⟧",
      "⟦415-555-0132⟧",
      "⟦415‑555‑0132⟧",
      "⟦+1 (415) 555–0132⟧",
      "⟦090ー1234ー5678⟧",
      "my phone number is ⟦5550132⟧",
      "Telefon: ⟦030 901820⟧",
      "⟦01 84 17 61 18⟧",
      "⟦01.84.17.61.18⟧",
      "tél ⟦06-12-34-56-78⟧",
      "mon numéro est le ⟦0612345678⟧",
      "il mio cellulare è ⟦3331234567⟧",
      "手机号⟦13800138000⟧",
      "電話番号は⟦0312345678⟧",
      "เบอร์โทร⟦0812345678⟧",
      "telefonum ⟦5321234567⟧",
      "⟦07700 900123⟧",
      "⟦0170 1234567⟧",
      "Handy ⟦0170/1234567⟧",
      "⟦98765 43210⟧",
      "⟦138 0013 8000⟧",
      "⟦612 345 678⟧",
      "⟦0049 170 1234567⟧",
      "text me at ⟦5550132⟧",
      "phone/⟦415.555.0132⟧",
      "Fax/⟦01.84.17.61.18⟧",
      "the call is to ⟦555-0132⟧, 20 min",
    ],
    absent: [
      "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/120.0.6099.144 Mobile Safari/537.36",
      "curl/415.555.0132 and version 120.0.6099.144 mobile",
      "the call took 132–139 ms, the mobile 132–139 ms, phone: 1024-2048 kB, call 100000 - 150000 EUR",
      "message 1234567 processed",
      "text 123456 to win",

      "The invoice is 5550132.",
      "on 2026-11-21 at noon",
      "between 1990 and 2020",
      "It costs 1,250,000 euros",
      "chapter 12, page 345",
      "order 415555",
    ],
  },
  {
    entity: "api_key",
    present: [
      `aws ⟦${key("AK", "IA", "IOSFODNN7", "EXAMPLE")}⟧ here`,
      `⟦${key("gh", "p_", mixed.slice(0, 36))}⟧`,
      `token=⟦${key("sk", "-proj-", mixed.slice(0, 32))}⟧`,
      `⟦${key("sk", "_live_", mixed.slice(0, 24))}⟧`,
      `⟦${key("AI", "za", mixed.slice(0, 35))}⟧`,
      `⟦${key("-----BEGIN RSA ", "PRIVATE KEY-----\nMIIB\n-----END RSA ", "PRIVATE KEY-----")}⟧`,
    ],
    absent: [
      key("AK", "IA", "SHORT7"),
      key("gh", "p_", "short1"),
      "sk-learn is a library",
      "npm_config_registry",
      "skeleton-proj-abcdefghijklmnop1",
      `commit ${hex}`,
      key("AC", hex),
      "-----BEGIN CERTIFICATE-----",
    ],
  },
];

test.each(detectors.flatMap(({ entity, present }) => present.map((text) => [entity, text] as const)))(
  "a policy for every entity and country covers the %s in %j",
  (_entity, text) => {
    const plain = text.replaceAll(/[⟦⟧]/gu, "");
    const start = text.indexOf("⟦");
    const end = text.indexOf("⟧") - 1;
    const spans = findPii(readText(plain), { entities: new Set(piiEntities), countries: new Set(nationalIdCountries) });
    expect(spans.some((span) => span.start <= start && span.end >= end)).toBe(true);
  },
);

describe.each(detectors)("$entity", ({ entity, present, absent }) => {
  test.each(present)("is found, with its exact bounds: %s", (marked) => {
    const text = marked.replace(/[⟦⟧]/gu, "");
    const from = marked.indexOf("⟦");
    const written = marked.slice(from + 1, marked.indexOf("⟧"));
    expect(found(text)).toEqual([{ entity, written }]);
  });

  test.each(absent)("is not found: %s", (text) => {
    expect(found(text).filter((match) => match.entity === entity)).toEqual([]);
  });
});

const identities: readonly [NationalIdCountry, string, string][] = [
  ["us", "536-90-4399", "666-90-4399"],
  ["gb", "AB123456C", "GB123456C"],
  ["es", "X1234567L", "X1234567A"],
  ["fr", "255081416802538", "255081416802539"],
  ["it", "RSSMRA85T10A562S", "RSSMRA85T10A562T"],
  ["br", "529.982.247-25", "529.982.247-26"],
  ["in", "2345 6789 0124", "2345 6789 0125"],
  ["pl", "44051401359", "44051401358"],
  ["de", "36574261809", "36574261890"],
  ["nl", "BSN 111222333", "BSN 111252333"],
  ["be", "85.07.30-033.28", "85.07.30-033.29"],
  ["at", "1237 010180", "2237 010180"],
  ["ch", "756.9217.0769.85", "756.9217.0769.84"],
  ["pt", "NIF 501964843", "NIF 501964842"],
  ["se", "880320-0016", "880320-0018"],
  ["no", "151086 95088", "151086 95077"],
  ["fi", "131052-308T", "131052-308U"],
  ["tr", "17291716060", "17291716050"],
  ["cn", "360426199101010071", "360426199101010072"],
  ["jp", "My Number 1234 5678 9018", "My Number 1234 5678 9017"],
  ["kr", "971013-1019902", "971313-1019902"],
  ["au", "TFN 123 456 782", "TFN 123 456 783"],
  ["ca", "SIN 123-456-782", "SIN 123-456-783"],
  ["mx", "BOXW310820HNERXN09", "BOXW310820HNERXN08"],
  ["za", "7503305044089", "7503305044088"],
];
/** Words of the list above that the number needs before it. */
const introduction = /^(?:BSN|NIF|TFN|SIN|My Number) /u;

test.each([
  ["us", "SSN 536904399"],
  ["us", "ITIN 912-70-1234"],
  ["gb", "AB 12 34 56 C"],
  ["gb", "NHS number 943 476 5870"],
  ["br", "16.727.230/0001-97"],
  ["in", "ACUPA7085R"],
  ["cn", "11010519491231002X"],
] as const)("another number of %s is found: %s", (country, text) => {
  expect(found(`see ${text}, please`, [country])).toHaveLength(1);
});

test.each([
  ["nl", "111222333"],
  ["pt", "501964843"],
  ["ca", "order 123-456-782"],
  ["us", "part 536904399"],
] as const)("a number of %s that resembles others needs a word before it: %s", (country, text) => {
  expect(found(text, [country])).toEqual([]);
});

test.each([
  ["(06 84 17 61 18)", "([Phone number])"],
  ["Anna (01.84.17.61.18), Paris", "Anna ([Phone number]), Paris"],
  ["(+33 6 84 17 61 18)", "([Phone number])"],
  ["call (415) 555-0132", "call [Phone number]"],
  ["tél. : 0684176118", "tél. : [Phone number]"],
  ["0033 6 84 17 61 18", "[Phone number]"],
  ["(12 34 56 78 90)", "(12 34 56 78 90)"],
])("phone numbers in a remark, after a short word, and with 00 for the plus are found: %s", (text, expected) => {
  expect(masked(text)).toBe(expected);
});

test("a number after a plus is a phone number, unless it has the usual length of a card", () => {
  for (const text of ["+4915112345611", "+49 151 12345611"])
    expect(found(text)).toEqual([{ entity: "phone_number", written: text }]);
  expect(found("+378282246310005")).toEqual([{ entity: "credit_card", written: "378282246310005" }]);
  expect(found("+4111111111111111")).toEqual([{ entity: "credit_card", written: "4111111111111111" }]);
  const cards = { entities: new Set<PiiEntity>(["credit_card"]), countries: new Set<NationalIdCountry>() };
  expect(findPii(readText("+4915112345611"), cards)).toMatchObject([{ entity: "credit_card" }]);
});

test("sections of a law are not addresses", () => {
  expect(masked("§ 1.1.1.1 of the act")).toBe("§ 1.1.1.1 of the act");
  expect(masked("ask 1.1.1.1 for it")).toBe("ask [IP address] for it");
});

test("every country's identity number has its examples", () => {
  expect(identities.map(([country]) => country)).toEqual([...nationalIdCountries]);
});

test.each(identities)("an identity number of %s is found if its country is selected", (country, valid, invalid) => {
  expect(found(`My id is ${valid}.`, [country])).toEqual([
    { entity: "national_id", written: valid.replace(introduction, "") },
  ]);
  expect(found(`My id is ${invalid}.`, [country])).toEqual([]);
});

test.each(identities)("an identity number of %s is not found without a selected country", (_, valid) => {
  expect(found(`My id is ${valid}.`).filter(({ entity }) => entity === "national_id")).toEqual([]);
});

test("entities that are not selected are not found", () => {
  const onlyMail = { entities: new Set<PiiEntity>(["email"]), countries: new Set<NationalIdCountry>() };
  const matches = findPii(readText("ana@example.org, 8.8.8.8, 4111 1111 1111 1111"), onlyMail);
  expect(matches.map(({ entity }) => entity)).toEqual(["email"]);
});

test("several entities are found in order, without overlaps", () => {
  const matches = found("8.8.8.8 or ana@example.org or DE89370400440532013000");
  expect(matches.map(({ entity }) => entity)).toEqual(["ip_address", "email", "iban"]);
});

test.each([
  ["Call +1 415 555 2671.ana@example.org now", ["+1 415 555 2671", ".ana@example.org"]],
  ["4111 1111 1111 1111-ana@example.org", ["4111 1111 1111 1111", "-ana@example.org"]],
  ["DE89 3704 0044 0532 0130 00.ana@example.org", ["DE89 3704 0044 0532 0130 00", ".ana@example.org"]],
  ["2001:db8::1.jo@example.org", ["2001:db8::1", ".jo@example.org"]],
  ["+1 415 555 2671@example.org", ["+1 415 555 2671", "@example.org"]],
])("an e-mail behind another match without a blank is found as well: %s", (text, written) => {
  expect(found(text).map((match) => match.written)).toEqual(written);
});

test.each([
  ["+1 415 555 2671#4111 1111 1111 1111", ["+1 415 555 2671", "4111 1111 1111 1111"]],
  ["(415) 555-0132 #5555555555554444", ["(415) 555-0132", "5555555555554444"]],
  ["+1 415 555 2671 ext. 12 34", ["+1 415 555 2671 ext. 12"]],
  ["Address:2001:db8:0:1::7", ["2001:db8:0:1::7"]],
  ["src:2001:db8::7, dst:2001:db8::8", ["2001:db8::7", "2001:db8::8"]],
  ["ip:fe80::1 or a:b:c, 12:30:45", ["fe80::1"]],
])("a value begins right behind a mark of something else: %s", (text, written) => {
  expect(found(text).map((match) => match.written)).toEqual(written);
});

test.each(
  [
    "DE89370400440532013000",
    "GB82 WEST 1234 5698 7654 32",
    "4111 1111 1111 1111",
    "+1 415 555 2671",
    "2001:db8::7",
    "ana@example.org",
    "ana [at] example [dot] org",
    "ana_silva at example dot org",
    key("gh", "p_", "a1B2".repeat(9)),
  ].flatMap((value) => ["\n", "\r\n", "\t"].map((blank) => [value, JSON.stringify(`to:${blank}${value}`)] as const)),
)("%s is found behind an escaped blank of JSON: %s", (value, json) => {
  expect(found(json).map(({ written }) => written)).toEqual([value]);
});

test.each([
  ["data: ", '{"note":"the card\\n4111\\n1111\\n1111\\n1111"}', String.raw`4111\n1111\n1111\n1111`],
  ['log.info("', String.raw`IBAN DE89 3704 0044\n0532 0130 00")`, String.raw`DE89 3704 0044\n0532 0130 00`],
  ["got ", String.raw`{\"to\":\"x\\nana@example.org\\nbye\"}`, "ana@example.org"],
])("a value over escaped blanks of code and logs is found: %s%s", (before, behind, written) => {
  expect(found(before + behind).map((match) => match.written)).toEqual([written]);
});

test("a national id of letters and digits is found behind an escaped blank of JSON", () => {
  expect(found(String.raw`"to:\nX1234567L"`, ["es"]).map(({ written }) => written)).toEqual(["X1234567L"]);
});

test("a mask replaces each span by its label and keeps everything else as it was sent", () => {
  const text = "ｈｉ ana\u200b@example.org — card 4111 1111 1111 1111 ✓ \ud83d";
  expect(masked(text)).toBe("ｈｉ [E-Mail] — card [Credit card] ✓ \ud83d");
});

test("an encoded entity is masked with its whole encoded piece", () => {
  const text = `see ${Buffer.from("write to ana@example.org").toString("base64")} end`;
  expect(masked(text)).toBe("see [E-Mail] end");
});

test("adjacent spelled-out addresses are each found once", () => {
  const pair = "ana [at] example [dot] org, bob [at] example [dot] org";
  expect(found(pair)).toEqual([
    { entity: "email", written: "ana [at] example [dot] org" },
    { entity: "email", written: "bob [at] example [dot] org" },
  ]);
  expect(found("ana [at] example [dot] org [at] b")).toEqual([
    { entity: "email", written: "ana [at] example [dot] org" },
  ]);
});

test("an IP address may end a sentence, and is not found in a longer number", () => {
  expect(found("It is 192.168.10.4.")).toEqual([{ entity: "ip_address", written: "192.168.10.4" }]);
  expect(found("Version 1.2.3.4.5 is out.")).toEqual([]);
});

test("an identity number of digits and a check letter is found", () => {
  expect(found("DNI 12345678Z", ["es"])).toEqual([{ entity: "national_id", written: "12345678Z" }]);
  expect(found("DNI 12345678A", ["es"])).toEqual([]);
});

test.each(["12345678-Z", "X1234567-L", "X-1234567-L", "x-1234567-l"])(
  "a Spanish identity number is found with dashes: %s",
  (written) => {
    expect(found(`DNI ${written}.`, ["es"])).toEqual([{ entity: "national_id", written }]);
  },
);

test.each(["12345678-A", "X-1234567-A", "12345678-Zoo", "AX-1234567-L", "912345678-Z", "1-12345678-Zz"])(
  "a text like a Spanish identity number is not found: %s",
  (written) => {
    expect(found(`see ${written}.`, ["es"])).toEqual([]);
  },
);

test("two adjacent cards are both found", () => {
  const cards = found("4111 1111 1111 1111 5555 5555 5555 4444 and 4111-1111-1111-1111-5555-5555-5555-4444");
  expect(cards.map(({ written }) => written)).toEqual([
    "4111 1111 1111 1111",
    "5555 5555 5555 4444",
    "4111-1111-1111-1111",
    "5555-5555-5555-4444",
  ]);
});

test.each([
  ["Tel.: 030/1234567", "Tel.: [Phone number]"],
  ["Telefon 0664/1234567", "Telefon [Phone number]"],
  ["Telefon: 0664 / 123 45 67-0, Wien", "Telefon: [Phone number], Wien"],
  ["phone 415/555-0132.", "phone [Phone number]."],
  ["Tel. (0711)/123456", "Tel. [Phone number]"],
  ["Fax 0043/664/1234567", "Fax [Phone number]"],
  ...[
    "ticket 030/1234567",
    "call 2024/12/31",
    "phone 12/2024",
    "tel 01/02/2024",
    "call 24/7",
    "dial 1/2/3/4/5/6/7",
  ].map((text) => [text, text]),
  ["mobile 120/80/1234", "mobile 120/80/1234"],
])("a number with slashes is a phone number after a word for phones, in the form of one: %s", (text, expected) => {
  expect(masked(text)).toBe(expected);
});

/** A national number behind a word for phones, as people of the country write it. */
const nationalPhones = {
  us: "Call (415) 555-0132",
  gb: "Call 020 7946 0018",
  fr: "Appelez le 01 84 17 61 18",
  de: "Telefon: 030 123456",
  es: "móvil 612 345 678",
  it: "cellulare 347 123 4567",
  br: "telefone (11) 98765-4321",
  in: "mobile 98765 43210",
  pl: "numer telefonu 601 234 567",
  nl: "mobiel 06 12345678",
  be: "gsm 0470 12 34 56",
  at: "Telefon 0664 1234567",
  ch: "Téléphone 079 123 45 67",
  pt: "telemóvel tel 912 345 678",
  se: "mob 070-123 45 67",
  no: "tlf 22 12 34 56",
  fi: "puh 040 1234567",
  tr: "telefon 0532 123 45 67",
  cn: "手机号13800138000",
  jp: "電話番号は090-1234-5678",
  kr: "전화번호 010-1234-5678",
  au: "phone 0412 345 678",
  mx: "teléfono 55 1234 5678",
  za: "cell 082 123 4567",
};

test.each(Object.entries(nationalPhones))("a national number of %s is found after a word for phones: %s", (_, text) => {
  const [first, ...others] = found(`${text}.`).filter(({ entity }) => entity === "phone_number");
  expect([first?.written.replaceAll(/\D/gu, ""), others]).toEqual([text.replaceAll(/\D/gu, ""), []]);
});

describe("spelled-out addresses in a long text", () => {
  const prose = "the point is that we met at the station and went home ".repeat(40);
  const name = "j".repeat(60);
  const host = `${"h".repeat(60)} dot ${"p".repeat(60)} dot ${"q".repeat(60)} dot com`;

  test("are found at any place and of any length", () => {
    const said = [
      "mail jane at example dot com",
      `reach ${name}99 dot ${"k".repeat(30)} at ${host}`,
      "jo_1 at x dot org",
    ];
    const text = said.map((one) => `${prose}${one}, `).join("");
    expect(found(text).map(({ written }) => written)).toEqual([
      "jane at example dot com",
      `${name}99 dot ${"k".repeat(30)} at ${host}`,
      "jo_1 at x dot org",
    ]);
  });

  test("are found whole when the end of one may be the middle of it", () => {
    const text = `${prose}mail jane at example dot com dot au, ${prose}`;
    expect(found(text).map(({ written }) => written)).toEqual(["jane at example dot com dot au"]);
  });
});
