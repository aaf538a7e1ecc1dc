import fc from "fast-check";
import { expect, test } from "vitest";
import { ContinuationJoiner } from "./continuation-joiner.ts";

function join(first: string, pieces: readonly string[]): string {
  const joiner = new ContinuationJoiner(first);
  return first + pieces.map((piece) => joiner.push(piece)).join("") + joiner.end();
}

const first = "The quick brown fox jumps over ";

test.each([
  ["goes on", ["the lazy", " dog."]],
  ["repeats the last words", ["jumps over the lazy", " dog."]],
  ["begins from the start", ["The quick ", "brown fox jumps over the lazy", " dog."]],
])("a second part that %s makes one text", (_case, pieces) => {
  expect(join(first, pieces)).toBe("The quick brown fox jumps over the lazy dog.");
});

test.each([
  ["He said ha ", "ha and went.", "He said ha ha and went."],
  ["It is very ", "very big.", "It is very very big."],
  ["It costs 100", "1001 at most", "It costs 1001001 at most"],
  ["b", "bb", "bbb"],
])("a short repetition that may be intended is kept: %j and %j", (begun, rest, text) => {
  expect(join(begun, [rest])).toBe(text);
});

test.each([
  ["The big bad wol", "wolf today.", "The big bad wolf today."],
  ["The big bad wolf", "wolf today.", "The big bad wolf today."],
  ["Hello ", "Hello world", "Hello world"],
  ["Hel", "Hello world", "Hello world"],
  ["Grü", "Grüße aus Köln", "Grüße aus Köln"],
])("a repeated word, or the whole of a short text, is removed: %j and %j", (begun, rest, text) => {
  expect(join(begun, rest.split(""))).toBe(text);
});

test.each([
  ["soon", first, "The quick brown cat sleeps."],
  ["after one word more", "The quick brown fox jumps", "The quick red fox sits on the mat"],
  ["late", first.repeat(3), `${first.repeat(2)}${first.slice(0, 20)} sleeps and sleeps and sleeps.`],
])("a second part that starts the answer again and differs %s is refused", (_when, begun, rest) => {
  expect(() => join(begun, [rest])).toThrow(/began a different answer/);
  expect(() => join(begun, rest.split(""))).toThrow(/began a different answer/);
});

test.each([
  ["- a\n", "- b\n", "- a\n- b\n"],
  ["The quick fox. The quick ", "The quick cat.", "The quick fox. The quick cat."],
])(
  "a second part that begins as the text did, but fits its end or is short, is joined: %j and %j",
  (begun, rest, text) => {
    expect(join(begun, [rest])).toBe(text);
  },
);

test("a text and its rest join to the whole text, with or without repetition, in any pieces", () => {
  const words = fc.array(fc.stringMatching(/^[a-z]{9,12}$/), { minLength: 12, maxLength: 30 });
  fc.assert(
    fc.property(
      words,
      fc.record({ at: fc.nat(), way: fc.nat({ max: 2 }), size: fc.integer({ min: 1, max: 40 }) }),
      (list, { at, way, size }) => {
        const unique = list.map((word, index) => `${word}${index} `);
        const cut = 2 + (at % (unique.length - 2));
        const from = way === 0 ? cut : way === 1 ? cut - 1 : 0;
        const rest = unique.slice(from).join("");
        const pieces = rest.match(new RegExp(`.{1,${size}}`, "gs")) ?? [];
        expect(join(unique.slice(0, cut).join(""), pieces)).toBe(unique.join(""));
      },
    ),
  );
});

/** Parts of a megabyte, as a provider without small pieces sends them; the second differs from the first late, at each place. */
const long = 1_000_000;
test.each<[string, string, readonly string[]]>([
  ["fits nowhere", `b${"a".repeat(long)}`, [`${"a".repeat(long / 2)}c`]],
  [
    "repeats the first in small pieces",
    "a b c d ".repeat(long / 8),
    Array.from({ length: long / 8 }, () => "a b c d "),
  ],
])("a long second part that %s is joined in linear time", (_case, begun, pieces) => {
  const startedAt = performance.now();
  join(begun, pieces);
  expect(performance.now() - startedAt).toBeLessThan(2_000);
});
