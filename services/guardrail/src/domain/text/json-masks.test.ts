import { expect, test } from "vitest";
import { fitMasks, fitPiece, jsonBeginning } from "./json-masks.ts";
import { maskText, type MaskSpan } from "./mask-text.ts";

/** The text without its marks, and the spans between them. */
function marked(text: string, label = "X"): { readonly text: string; readonly spans: readonly MaskSpan[] } {
  const spans: MaskSpan[] = [];
  let plain = "";
  for (const [index, part] of text.split(/[⟦⟧]/u).entries()) {
    if (index % 2 === 1) spans.push({ label, start: plain.length, end: plain.length + part.length });
    plain += part;
  }
  return { text: plain, spans };
}

function mask(given: string, label?: string): string {
  const { text, spans } = marked(given, label);
  return maskText(text, fitMasks(text, spans));
}

test.each([
  ["a number becomes a string", '{"card":⟦4111111111111111⟧}', '{"card":"[X]"}'],
  ["a part of a number, too", '{"n":[1,-⟦4111⟧.5 , 2]}', '{"n":[1,"-[X].5" , 2]}'],
  ["a string keeps its quotation marks", '{"to":"Ann, ⟦a@b.c⟧"}', '{"to":"Ann, [X]"}'],
  ["an escape is masked whole", String.raw`{"to":"\⟦"ann\⟧"@b.c \\⟦n⟧"}`, String.raw`{"to":"[X]@b.c \\[X]"}`],
  ["a span over values masks the first", '{"a":⟦1,"b":[2,"c⟧d"]}', '{"a":"[X]","":["","d"]}'],
  ["a span of marks alone is left out", '{"a"⟦:⟧1}', '{"a":1}'],
  [
    "equal names are numbered",
    '{"⟦a⟧":1,"⟦b⟧":{"⟦c⟧":2},"[X] 2":3,"⟦d⟧":4}',
    '{"[X]":1,"[X] 2":{"[X]":2},"[X] 2 2":3,"[X] 3":4}',
  ],
  ["names of another object are not", '[{"⟦a⟧":1},{"⟦b⟧":2}]', '[{"[X]":1},{"[X]":2}]'],
  ["lines of JSON", '{"a":⟦1⟧}\n{"a":⟦2⟧}', '{"a":"[X]"}\n{"a":"[X]"}'],
  ["JSON behind a byte order mark", '\ufeff{"a":⟦1⟧}', '\ufeff{"a":"[X]"}'],
  ["prose", "card ⟦4111⟧, [⟦1⟧]", "card [X], [[X]]"],
  ["a reference in prose", "[⟦1⟧] and {name ⟦2⟧}", "[[X]] and {name [X]}"],
  ["prose behind JSON", '{"a":1} and ⟦2⟧ "⟦c⟧', '{"a":1} and [X] "[X]'],
])("%s", (_name, given, expected) => {
  expect(mask(given)).toBe(expected);
});

test("a label is escaped in a string", () => {
  expect(mask('{"a":"⟦1⟧","b":⟦2⟧}', 'a "b"')).toBe(String.raw`{"a":"[a \"b\"]","b":"[a \"b\"]"}`);
});

test("pieces are fitted as the whole text is, wherever strings and names are cut", () => {
  const { text, spans } = marked(
    String.raw`{"⟦a⟧ c":{"e⟦f⟧":"x⟦1⟧\"\\"},"⟦b⟧ c":[⟦12⟧,true,{"⟦a⟧":"⟦g⟧"}],"⟦d⟧ c":"\n⟦h⟧"} ⟦i⟧`,
  );
  const whole = maskText(text, fitMasks(text, spans));
  for (let at = 0; at <= text.length; at += 1) {
    // Pieces never end in a span, and numbers are not cut.
    if (
      spans.some(({ start, end }) => start < at && at < end) ||
      /[\w]$/u.test(text.slice(at - 1, at)) === /^\d/u.test(text.slice(at))
    )
      continue;
    let state = jsonBeginning;
    const shown = [[0, at] as const, [at, text.length] as const].map(([from, to]) => {
      const own = spans.filter(({ start, end }) => start >= from && end <= to);
      const shifted = own.map((span) => ({ ...span, start: span.start - from, end: span.end - from }));
      const piece = text.slice(from, to);
      const fitted = fitPiece(piece, shifted, state);
      state = fitted.state;
      return maskText(piece, fitted.spans);
    });
    expect(shown.join("")).toBe(whole);
  }
});
