import { runAtOnce } from "@gatehouse/pace";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cpuMs } from "../../../test/processor-time.ts";
import { readText } from "../text/readings.ts";
import { compileKeywordSteps, type KeywordSet } from "./keyword-set.ts";
import { findKeywords } from "./keywords.ts";

const compileKeywords = (keywords: readonly string[]) => runAtOnce(compileKeywordSteps(keywords));

function matches(keywords: readonly string[], text: string): string[] {
  return findKeywords(readText(text), compileKeywords(keywords)).map(({ keyword }) => keyword);
}

test.each([
  ["as it is", "falcon"],
  ["in capitals", "FALCON"],
  ["beside punctuation", "(falcon)!"],
  ["in full-width letters", "ｆａｌｃｏｎ"],
  ["with zero-width characters", "fal\u200bc\u200don"],
  ["with Cyrillic look-alikes", "f\u0430lc\u043en"],
  ["in mathematical letters", "𝐟𝐚𝐥𝐜𝐨𝐧"],
  ["in digit spelling", "f4lc0n"],
  ["spaced out", "f a l c o n"],
  ["over a line end", "fal-\ncon"],
  ["behind a line end of JSON", String.raw`x\nfalcon\t`],
  ["of code behind a tab of JSON", String.raw`\tf(falcon)`],
  ["over a line end of two characters", "fal-\r\ncon"],
  ["before a Korean particle", "falcon을"],
  ["with stacked accents", "f\u0335a\u0335l\u0335c\u0335o\u0335n\u0335"],
])("finds a word %s and shows it as it was configured", (_, written) => {
  expect(matches(["FalCon"], `we saw ${written} today`)).toEqual(["FalCon"]);
});

test.each(["new", "table", "falcon"])("finds %s in a path, though it may follow an escape", (word) => {
  expect(matches([word], String.raw`C:\new\table\falcon`)).toEqual([word]);
});

test.each(["falconry", "xfalcon", "falcons", "fal con", "falco n", "balcony", "falcon강", "fal-\r\n\r\ncon"])(
  "does not find falcon in %s",
  (word) => {
    expect(matches(["falcon"], `the ${word} was here`)).toEqual([]);
  },
);

test.each([
  "print(falcon)",
  "falcon(x)",
  "a|falcon|b",
  "x+falcon+y",
  "so!falcon",
  "@falcon",
  "$falcon",
  "falcon@home",
  "f(g(falcon(x)))",
])("finds falcon beside a character that may stand for a letter: %s", (written) => {
  expect(matches(["falcon"], `const y = ${written};`)).toEqual(["falcon"]);
});

test.each(["fal(con", "falco+n", "xfalcon(7)", "falcons(x)", "@falcons"])("does not find falcon in %s", (written) => {
  expect(matches(["falcon"], `const y = ${written};`)).toEqual([]);
});

test("finds a phrase that ends beside such a character", () => {
  expect(matches(["red falcon"], "call red falcon(x) now")).toEqual(["red falcon"]);
});

test("finds a phrase over any white space between its words", () => {
  expect(matches(["blue moon"], "a Blue\n   Moon rises")).toEqual(["blue moon"]);
  expect(matches(["blue moon"], "a bluemoonish thing")).toEqual([]);
});

test.each([
  ["O'Brien", "O’Brien"],
  ["O’Brien", "O'Brien"],
  ["O’Brien", "oʼbrien"],
  ["Project O'Hare", "project O‘Hare’s"],
  ["rock 'n' roll", "Rock ’n’ Roll"],
  ["'tis time", "’tis time"],
  ["l'été", "l’été"],
])("finds %s, whatever its apostrophes, in %s", (keyword, written) => {
  for (const text of [`${written} it is`, `so ${written}, ${"prose of some length, ".repeat(20)}`]) {
    expect(matches([keyword], text)).toEqual([keyword]);
  }
});

test.each(["obrien", "o brien", "o’bryan"])("does not find O'Brien in %s", (written) => {
  expect(matches(["O'Brien"], `so ${written} it is`)).toEqual([]);
});

test("finds a phrase in spaced-out letters, with and without wider gaps between its words", () => {
  for (const written of ["p r o j e c t f a l c o n", "P.r.o.j.e.c.t.F.a.l.c.o.n", "p r o j e c t   f a l c o n"]) {
    expect(matches(["Project Falcon"], `about ${written} today`)).toEqual(["Project Falcon"]);
  }
  for (const written of ["projectfalcon", "p\u200br\u200bo\u200bject\u200bfalcon", "proje ctfalcon"]) {
    expect(matches(["Project Falcon"], `about ${written} today`)).toEqual([]);
  }
});

test("a word with another accent is not a match", () => {
  expect(matches(["ano"], "este año fue bueno")).toEqual([]);
});

test("finds keywords in scripts that put no spaces between words", () => {
  expect(matches(["机密"], "这是机密文件")).toEqual(["机密"]);
});

test("empty and blank keywords, and an empty list, match nothing", () => {
  expect(matches([], "anything")).toEqual([]);
  expect(matches(["", "   ", "\u200b"], "anything at all")).toEqual([]);
});

test("the first of equal keywords is reported, once per place", () => {
  expect(matches(["Falcon", "FALCON", "falcon"], "a falcon")).toEqual(["Falcon"]);
});

test("the longest of keywords with a common end is reported", () => {
  expect(matches(["moon", "blue moon"], "a blue moon")).toEqual(["blue moon"]);
});

test("offsets are those of the text as it was sent", () => {
  const text = "ﬁne: f\u200bａlcon, yes";
  const [match] = findKeywords(readText(text), compileKeywords(["falcon"]));
  expect(text.slice(match?.start, match?.end)).toBe("f\u200bａlcon");
});

test("any word of letters is found in a sentence, in any case", () => {
  const word = fc.stringMatching(/^[a-z]{5,12}$/);
  fc.assert(
    fc.property(word, fc.boolean(), (keyword, upper) => {
      const text = `It says: ${upper ? keyword.toUpperCase() : keyword}.`;
      expect(matches([keyword], text)).toContain(keyword);
    }),
    { seed: 4, numRuns: 300 },
  );
});

test("ten thousand keywords are as exact as one", () => {
  const keywords = Array.from(
    { length: 10_000 },
    (_, index) => `codename${String.fromCharCode(97 + (index % 26))}${index}`,
  );
  expect(matches(keywords, "about codenamec9232, no more")).toContain(keywords[9232]);
  expect(matches(keywords, "about codename, no more")).toEqual([]);
});

test.each([
  ["МОСКВА", "москва"],
  ["москва", "МОСКВА"],
  ["Москва", "МОСКВА"],
  ["секрет", "СЕКРЕТ"],
  ["ТОКЕН", "токен"],
  ["НАТО", "нато"],
  ["атака", "АТАКА"],
  ["Контракт", "КОНТРАКТ"],
  ["нос", "НОС"],
  ["straße", "STRASSE"],
  ["straße", "STRAẞE"],
  ["STRAẞE", "strasse"],
  ["Łódź", "łódź"],
  ["łódź", "ŁÓDŹ"],
  ["øst", "ØST"],
  ["Đuro", "ĐURO"],
  ["æble", "Æble"],
  ["STRASSE", "straße"],
  ["Straße", "strasse"],
  ["İstanbul", "istanbul"],
  ["istanbul", "İSTANBUL"],
  ["ISTANBUL", "ıstanbul"],
  ["Σίσυφος", "ΣΙΣΥΦΟΣ"],
  ["ΣΊΣΥΦΟΣ", "σίσυφος"],
  ["ΣΙΣΥΦΟΣ", "Σίσυφος"],
  ["ΜΑΪΟΣ", "Μάιος"],
  ["ΐδιος", "ΪΔΙΟΣ"],
  ["ΪΔΙΟΣ", "ΐδιος"],
  ["οδοσ", "οδος"],
  ["ΟΔΟΣ", "οδοσ"],
  ["όσος", "ΟΣΟΣ"],
  ["ΟΣΟΣ", "όσος"],
  ["νερό", "ΝΕΡΟ"],
  ["ΝΕΡΟ", "νερό"],
  ["ΕΛΛΗΝΙΚΟΣ ΛΟΓΟΣ", "ελληνικός λόγος"],
  ["İSTANBUL", "istanbul"],
])("finds %s written as %s", (keyword, written) => {
  expect(matches([keyword], `see ${written}, there`)).toEqual([keyword]);
});

test.each([
  ["нато", "hato"],
  ["masse", "mase"],
  ["Σίσυφος", "σισυφος"],
])("does not find %s in another word: %s", (keyword, written) => {
  expect(matches([keyword], `see ${written}, there`)).toEqual([]);
});

test.each([
  ["falcon", "@falcon"],
  ["falcon", "$falcon"],
  ["admin", "@dmin"],
  ["기밀", "기밀을"],
  ["기밀", "기밀입니다"],
  ["机密", "机 密"],
  ["机密", "机-密"],
  ["falcon", "fal-con"],
  ["falcon", "f-alcon"],
  ["falcon", "fal-\ncon"],
  ["falcon", "fal\u2010con"],
  ["Project Falcon", "project-falcon"],
  ["Project Falcon", "project_falcon"],
  ["Project Falcon", "ProjectFalcon"],
  ["project-falcon", "Project Falcon"],
  ["🚀", "up🚀🚀up"],
  ["🚀 day", "🚀 DAY"],
  ["C++", "c++"],
  ["4chan", "4CHAN"],
])("finds %s in %s", (keyword, written) => {
  expect(matches([keyword], `see ${written} there`)).toEqual([keyword, ...(written === "up🚀🚀up" ? [keyword] : [])]);
});

test.each([
  ["project falcon", "projectfalcon"],
  ["the rapist", "therapist"],
  ["기밀", "기밀문서"],
  ["falcon", "fal con"],
  ["falcon", "fal--con"],
  ["falcon", "fal - con"],
])("does not find %s in %s", (keyword, written) => {
  expect(matches([keyword], `see ${written} there`)).toEqual([]);
});

test("keywords with equal letters are told apart by their blanks", () => {
  expect(matches(["bluemoon", "blue moon"], "a blue moon")).toEqual(["blue moon"]);
  expect(matches(["blue moon", "bluemoon"], "a bluemoon")).toEqual(["bluemoon"]);
});

test("names keywords that can never be found", () => {
  const keywords = [
    "a",
    "",
    "--",
    " - ",
    "\u200b\u200b",
    "🚀",
    "...",
    "·",
    "• •",
    "   ",
    "\t\n",
    "\u3000\u00a0",
    "\ufeff",
  ];
  expect(compileKeywords(keywords).unfindable).toEqual([1, 2, 3, 4, 7, 8, 9, 10, 11, 12]);
});

test.each(["ς", "ςα", "’kay", "…", "wait…"])("the keyword %s is found where it stands", (keyword) => {
  for (const text of [keyword, `say ${keyword} to her`]) expect(matches([keyword], text)).toEqual([keyword]);
});

test.each([
  ["Project·Falcon", "our Project·Falcon"],
  ["Project·Falcon", "our project falcon"],
  ["Project Falcon", "our Project•Falcon"],
  ["falcon", "fal·con"],
  ["falcon", "fal\u2027con"],
  ["col·lecció", "la COL·LECCIÓ nova"],
  ["ジョン・スミス", "ジョン･スミスさん"],
])("a dot that divides is like a hyphen, in the keyword %s and in the text %s", (keyword, text) => {
  expect(matches([keyword], text)).toEqual([keyword]);
});

test("a dot between words does not join them", () => {
  expect(matches(["onetwo"], "one • two")).toEqual([]);
});

test("finds exactly what a search for each keyword alone finds", () => {
  const word = fc.stringMatching(/^[ab]{1,4}$/);
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 1, maxLength: 8 }),
      fc.array(word, { maxLength: 12 }),
      (keywords, words) => {
        const text = words.join(" ");
        const expected = [...new Set(words)].filter((found) => keywords.includes(found)).toSorted();
        expect([...new Set(matches(keywords, text))].toSorted()).toEqual(expected);
      },
    ),
    { seed: 6, numRuns: 300 },
  );
});

describe("the work grows linearly with the text", () => {
  const nested = Array.from({ length: 200 }, (_, index) => "a".repeat(index + 1));
  const cases: readonly (readonly [string, readonly string[], string])[] = [
    ["nested endings, no blanks", nested, "a"],
    ["nested endings, words apart", nested.slice(1), "a "],
    ["nested endings in a script without blanks", nested.map((word) => `${word.replaceAll("a", "中")}x`), "中"],
    ["near misses", ["ano", "ano ano", "ano ano ano"], "año "],
    ["nested phrases", nested.map((word) => word.split("").join(" ")), "a b "],
  ];
  /** Steps of the clock, and a collection of garbage. */
  const unsteadyMs = 50;
  test.each(cases)("%s", (_, keywords, piece) => {
    const readings = readText(piece.repeat(1_000_000 / piece.length));
    const takenMs = (set: KeywordSet): number => {
      findKeywords(readings, set);
      return cpuMs(() => findKeywords(readings, set));
    };
    const ofTwo = takenMs(compileKeywords([keywords[0] ?? "", keywords.at(-1) ?? ""]));
    // A hundred times as many nested keywords cost an automaton a hundred times the work: 75 s of it.
    expect(takenMs(compileKeywords(keywords))).toBeLessThan(5 * ofTwo + unsteadyMs);
  });
});

test("ten thousand long keywords cost about ten times a thousand to compile", () => {
  let state = 7;
  const letter = (): string => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return String.fromCharCode(97 + ((state >>> 16) % 26));
  };
  const keywords = Array.from({ length: 10_000 }, () => Array.from({ length: 200 }, letter).join(""));
  compileKeywords(keywords.slice(0, 1_000));
  const ofThousand = cpuMs(() => compileKeywords(keywords.slice(0, 1_000)));
  const ofAll = cpuMs(() => compileKeywords(keywords));
  expect(ofAll / ofThousand).toBeLessThan(30);
  const set = compileKeywords(keywords);
  expect(findKeywords(readText(`see ${keywords[9_999] ?? ""}.`), set)).toHaveLength(1);
});
