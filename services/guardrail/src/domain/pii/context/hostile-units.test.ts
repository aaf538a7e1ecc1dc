import { expect, test } from "vitest";
import { readText } from "../../text/readings.ts";
import { contextEntities } from "../entity.ts";
import { findContext } from "./find-context.ts";

/** As much as is judged on the event loop. */
const inlineUnits = 32 * 1024;
const entities = new Set(contextEntities);

const prose =
  "The committee met on Tuesday in the old town hall, where Anna read the minutes and the treasurer explained why " +
  "the rent of 12 rooms in Oak Street had risen again. ";

/** Times the work on plain prose that a text of the same length may take; the worst known takes 10, a catastrophe over 1,000. */
const proseTimesMax = 40;
const roundsMax = 5;

/** The best time of some rounds, the last of which is the first within the limit. */
function bestTime(unit: string, limit: number): number {
  const text = unit.repeat(Math.ceil(inlineUnits / unit.length)).slice(0, inlineUnits);
  const { canonical } = readText(text);
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < roundsMax && best >= limit; round += 1) {
    const before = performance.now();
    findContext(canonical, entities);
    best = Math.min(best, performance.now() - before);
  }
  return best;
}

bestTime(prose, 0);
const proseTime = bestTime(prose, 0);

/** Texts that the expressions take in pieces, without the end that they ask for. */
const units = [
  "Abweg 1  " + "Ab-".repeat(60) + "\n",
  "Abweg 1  " + "A-".repeat(65) + " ",
  "Abweg 1, " + "Ab ".repeat(60) + "\n",
  "Abweg 1, " + "A. ".repeat(40) + "\n",
  "Abweg 1 ",
  "Abweg 1",
  "Abweg 1" + " ".repeat(60),
  "Abweg 1,\t\t",
  "Abweg 1 \t, \t",
  "Abweg 1" + "\t \n".repeat(20),
  "Abweg 1  " + "A’".repeat(60) + " ",
  "Abweg 1  " + "Aa.".repeat(50) + " ",
  "Abweg 1  A" + "-a".repeat(60) + " ",
  "Abweg 1  10115 " + "A-".repeat(60) + " ",
  "Abweg 1 A-1 ",
  "Abweg 1 AB AB AB AB, AB ",
  "Weg 1,, ",
  "Abweg " + "1".repeat(60) + " ",
  "Abweg 1 1 1 1 1 1 ",
  "Abweg 1-1-1-1-1 ",
  "Abweg 1, apt  #  ",
  "Abweg 1, apt ABCDEFGH ",
  "Abweg 1, 1. A ",
  "A-",
  "Ab-",
  "A-A-A Street ",
  "A ",
  "AA",
  "Aa. ",
  "A’",
  "a-",
  "-",
  " ",
  "\t",
  "\n",
  "  \n",
  "1",
  "1 ",
  "12-",
  "1,",
  "1/",
  "1 A B C D Street ",
  "1 of the of Street ",
  "1 N N N N Street ",
  "12-1234A, N. A B C D E Street ",
  "1 1 1 1 1 1 1 Street ",
  "flat 1, 1 A Street ",
  "1st 1st 1st 1st Street ",
  "1 " + "A-".repeat(25) + " Street ",
  "rue ",
  "rue de la de la ",
  "rue dedede",
  "rue d’d’d’A ",
  "rue A A A A A no ",
  "rue A-A-A-A-A ",
  "rue A de la A de la A de la A ",
  "rue A, n.º. ",
  "ul. " + "A-".repeat(60) + " ",
  "1 rue ",
  "1 bis, rue A ",
  "C/ " + "Aa ".repeat(20),
  "A A A Straße 1 ",
  "A-A-A-A-A-A Straße 1 ",
  "A".repeat(24) + " Straße 1 ",
  "Am A A ",
  "am " + "a-".repeat(30) + " ",
  "unter den unter den ",
  "P. O. Box  :  ",
  "P.O. Box 1 1 1 1 1 ",
  "Address: ",
  "address:1@",
  "address: " + "1".repeat(110) + "\n",
  "Address: " + ".1".repeat(60),
  "adres:1.1.1",
  "home address on file is: ",
  "Address:   '  ",
  "Mr. ",
  "Mr. " + "A-".repeat(60) + " ",
  "Mr. " + "A".repeat(60) + " ",
  "Mr. De De De De ",
  "Mr. Al-Al-Al-D'D'D'A ",
  "Mr. A. A. A. A. ",
  "Dr. Dr Dr. ",
  "Dear A ",
  "Dear " + "A-".repeat(30) + "A ",
  "my name is ",
  "my name is aa" + " ".repeat(200),
  "my name is " + "a-".repeat(30) + " ",
  "my name is aa aa ",
  "my name is  :  ",
  "my name is ab" + "\n \t".repeat(80) + "x ",
  "je m'appelle d'",
  "Name: ",
  'Name:   "',
  "Name: A, A",
  "Full name: A, ",
  "name '  :  '",
  "regards,\n",
  "regards" + " ".repeat(60),
  "regards  ,  \n \n ",
  "thanks thanks ",
  "kind best ",
  "اسمي وليد ",
  "اسمي " + "ا".repeat(60) + " ",
  "मेरा नाम है ",
  "مرحبا",
  "born ",
  "born on the ",
  "born 1/1/",
  "born 1 Jan",
  "born 1 of Mar" + "a".repeat(12) + " ",
  "born 2020-1-",
  "geb. ",
  "born " + "a".repeat(45) + "1 ",
  "born 12 Juni de de ",
  "我叫王",
  "路1号",
  "住在住在住在住在住在路",
  "住在住在住在住在路1 ",
  "市".repeat(30) + "路12345 ",
  "東京都市",
  "東京都" + "市".repeat(36) + " ",
  "県県",
  "市市県",
  "市市県1",
  "東京都" + "市".repeat(17) + "あ".repeat(18) + "1 ",
  "東京都市1丁目1-1-1-",
  "123-4567東京都",
  "서울시",
  "시시시시시시시 ",
  "시".repeat(7) + "구구구구구구로로로로로로 ",
  "서울시 강남구 로 ",
  "시시시시시시시 시시시시시시시 시시시시시시시 로로로로로로로로로로로로 ",
  "김이박",
  "氏名:カカカカ",
  "생일: ",
  "出生日期",
  "AАΑ-",
  "A–А-Α’",
  "Straße улица 1 А-Б-В-Г-",
  "проспект " + "А-".repeat(30) + " 1 ",
  "ул. А-Б-В А-Б-В ",
  "𝐀-",
  "Ａ－",
  "A\u0301-",
  "Abweg 1 \u00c4-\u00d6-\u0130-",
  "السيد A-و-",
  "Weg 1 王-A-",
];

test.each(units)("no inline text costs much more than prose: %j", (unit) => {
  const limit = proseTime * proseTimesMax;
  expect(bestTime(unit, limit)).toBeLessThan(limit);
});

test("a finding has at least one letter, after any lead", () => {
  for (const unit of units) {
    const { canonical } = readText(`${unit.repeat(3)}\n${unit}`);
    for (const { start, end } of findContext(canonical, entities)) expect(end, unit).toBeGreaterThan(start);
  }
});
