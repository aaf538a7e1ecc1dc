import { expect, test } from "vitest";
import { growthOver, linearGrowthMax } from "../../../../test/processor-time.ts";
import { loadModel } from "../../../model-file.ts";
import { compilePolicyWith } from "../../policy/compile-given-policy.ts";
import { inspectPiece, streamBeginning } from "../../policy/inspect-piece.ts";
import { inspect } from "../../policy/inspect.ts";
import { contextEntities } from "../entity.ts";

const model = loadModel();
const policy = compilePolicyWith(
  { pii: { mode: "mask", entities: [...contextEntities] }, apply_to_output: true, max_content_length: 100_000_000 },
  model,
);

function mask(text: string, by = policy): string {
  return inspect(by, { side: "output", texts: [{ role: "assistant", text }] }).maskedTexts?.[0] ?? text;
}

test.each([
  ["my name is john doe, hi", "my name is [Name], hi"],
  ["Mr. John Smith and Mrs O'Neill-Grey", "Mr. [Name] and Mrs [Name]"],
  ["Herr Prof. Dr. Weber kommt", "Herr [Name] kommt"],
  ["Name: Smith, Anna Maria\nage 4", "Name: Smith, Anna Maria\nage 4"],
  ["Full name: Smith, Anna Maria\nage 4", "Full name: [Name]\nage 4"],
  ["Product name: Galaxy Ultra", "Product name: Galaxy Ultra"],
  ["Kind regards,\n\nAnn van der Berg", "Kind regards,\n\n[Name]"],
  ["我叫王小明，你好", "我叫[Name]，你好"],
  ["12 Old Mill Lane, Leeds LS1 4AB.", "[Address]."],
  ["Hauptstraße 15a, 10115 Berlin und", "[Address] und"],
  ["12 bis rue de la Paix, 75002 Paris", "[Address]"],
  ["During 2021, on Route 53, Spring 1932", "During 2021, on Route 53, Spring 1932"],
  ["Email address: a, IP address: 10 x", "Email address: a, IP address: 10 x"],
  ["born in Berlin on 3 May 1985.", "born in Berlin on [Birth date]."],
  ["né à Nantes le 05/07/1982", "né à Nantes le [Birth date]"],
  ["born 1985, due on 3 May 2025", "born 1985, due on 3 May 2025"],
  ["ｍｙ name is Ａｎｎ Ｓｍｉｔｈ.", "ｍｙ name is [Name]."],
  ["اسمي وليد", "اسمي [Name]"],
  ["اسمي سارة وليد", "اسمي [Name]"],
  ["اسمي وائل أحمد", "اسمي [Name]"],
  ["اسمي سارة وأعمل هنا", "اسمي [Name] وأعمل هنا"],
  ["اسمي وليد وأنا هنا", "اسمي [Name] وأنا هنا"],
  ["اسمي سارة وهو هنا", "اسمي [Name] وهو هنا"],
  ["اسمي سارة وهيب", "اسمي [Name]"],
  ["मेरा नाम है", "मेरा नाम है"],
  ["मेरा नाम अमित है", "मेरा नाम [Name] है"],
  ["मेरा नाम अमित कुमार है", "मेरा नाम [Name] है"],
  ["मेरा नाम है अमित", "मेरा नाम है [Name]"],
  ["Hauptstraße 15, 60311 Frankfurt-am-Main.", "[Address]"],
  ["12 High Street, Stoke-on-Trent ST4 2DP, now", "[Address], now"],
  ["via dell'Indipendenza 12, 40121 Bologna, ora", "[Address], ora"],
  ["서울시강남구테헤란로 12 입니다", "[Address] 입니다"],
])("personal data identified by the words around it is masked, and nothing else: %s", (text, masked) => {
  expect(mask(text)).toBe(masked);
});

test.each([
  ["Hello,\nmy name is john doe, hi", "Hello,\nmy name is [Name], hi"],
  ["To:\r\n\tMr. John Smith\nand", "To:\r\n\tMr. [Name]\nand"],
  ["Id: 7\nFull name: Smith, Anna Maria\nage 4", "Id: 7\nFull name: [Name]\nage 4"],
  ["Bye.\nKind regards,\n\nAnn van der Berg\n", "Bye.\nKind regards,\n\n[Name]\n"],
  ["a\n12 Old Mill Lane, Leeds LS1 4AB.\nb", "a\n[Address].\nb"],
  ["a\nborn on 3 May 1985\nb", "a\nborn on [Birth date]\nb"],
])("a line of JSON begins behind its escaped end: %j", (text, masked) => {
  const [json, expected] = [JSON.stringify({ text }), JSON.stringify({ text: masked })];
  expect(mask(json)).toBe(expected);
  expect(mask(JSON.stringify(json))).toBe(JSON.stringify(expected));
});

test("names, addresses and birth dates are sought only if a policy names them", () => {
  const usual = compilePolicyWith({ pii: { mode: "mask" }, apply_to_output: true }, model);
  const text = "My name is Ann Smith, born on 3 May 1985, of 12 Mill Lane.";
  expect(mask(text, usual)).toBe(text);
  const names = compilePolicyWith({ pii: { mode: "mask", entities: ["Name"] }, apply_to_output: true }, model);
  expect(mask(text, names)).toBe("My name is [Name], born on 3 May 1985, of 12 Mill Lane.");
});

const streamed = [
  "Hello, my name is Anna Maria van der Berg and I was born in Berlin on 3 April 1991, bye.",
  "Send it to 221B North Baker Street, Apt 4, Springfield, IL 62704 or to Berliner Straße 5, 10115 Berlin, today.",
  "Dear Robert,\nthank you.\n\nKind regards,\nSusan Miller\n\nP.S. Mr. Mr. Dr. Jones lives at 12 Rue X.",
  "我叫王小明,住在北京市海淀区中关村大街27号,出生日期:1990年5月12日。".repeat(3),
  "Name: Ann Lee\nAddress: 12 Mill Lane, Leeds LS1 4AB\nDOB: 1990-01-02\n".repeat(6),
  JSON.stringify({ text: "a\nName: Ann Lee\nAddress: 12 Mill Lane, Leeds LS1 4AB\nDOB: 1990-01-02\n".repeat(6) }),
];

test.each(streamed)("a stream with any cuts is masked like the whole text: %s", (text) => {
  const whole = mask(text);
  expect(whole).not.toBe(text);
  for (const size of [1, 2, 3, 5, 8, 13, 50]) {
    let state = streamBeginning;
    let shown = "";
    for (let at = 0; at < text.length; at += size) {
      const isLast = at + size >= text.length;
      const judged = inspectPiece(policy, { state, text: text.slice(at, at + size), isLast });
      shown += judged.shown;
      state = judged.state;
    }
    expect(shown).toBe(whole);
  }
});

const units = [
  ..."Mr. |Dr. Dr Dr. |my name is |Name: |1 |12 Main Street |Street |born |born on the |née |Straße 1 |rue de la ".split(
    "|",
  ),
  ..."Address: 1 |Dear A |regards,\n|1 A B C D |ul. A |我叫王|路1号|東京都市|서울시|C/ |d'A |John Smith |a-|’".split(
    "|",
  ),
  "\\",
  "\\n",
];

test.each(units)("the work grows linearly with the text: %j", (unit) => {
  const growth = growthOver(160_000, (length) => {
    const text = unit.repeat(Math.ceil(length / unit.length));
    return () => mask(text);
  });
  expect(growth).toBeLessThan(linearGrowthMax);
});
