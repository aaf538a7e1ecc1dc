import { expect, test } from "vitest";
import { PlaceholderValues } from "./placeholder-values.ts";

test("values are restored at their placeholders, and hidden again", () => {
  const values = new PlaceholderValues([{ label: "EMAIL 1", value: 'a"b@example.org' }]);
  expect(values.restore("To [email 1] and [EMAIL 2].")).toBe('To a"b@example.org and [EMAIL 2].');
  expect(values.restore('{"to":"[EMAIL 1]"}')).toBe(String.raw`{"to":"a\"b@example.org"}`);
  expect(values.hide('To a"b@example.org.')).toBe("To [EMAIL 1].");
});

test("a value that contains another one is hidden as a whole", () => {
  const values = new PlaceholderValues([
    { label: "NAME 1", value: "Ann" },
    { label: "NAME 2", value: "Ann Smith" },
  ]);
  expect(values.hide("Ann Smith, Ann")).toBe("[NAME 2], [NAME 1]");
});

test("a value inside a longer word is not hidden, in scripts with blanks between words", () => {
  const values = new PlaceholderValues([
    { label: "NAME 1", value: "Ann" },
    { label: "NAME 2", value: "王" },
    { label: "PHONE 1", value: "+49 170" },
  ]);
  expect(values.hide("Annual (Ann) Joann 我叫王小 +49 1701, +49 170.")).toBe(
    "Annual ([NAME 1]) Joann 我叫[NAME 2]小 +49 1701, [PHONE 1].",
  );
});

test.each([
  ["a string", '{"to":"[M 1], \\"[N 1]\\""}', String.raw`{"to":"a\"b, \"-4.5e3\""}`],
  ["values without quotation marks", '{"to":[M 1],"n":[[N 1],[Z 1]]}', String.raw`{"to":"a\"b","n":[-4.5e3,"007"]}`],
  ["a list of objects or strings", '[ {"a":"[M 1]"}, [N 1] ]', String.raw`[ {"a":"a\"b"}, -4.5e3 ]`],
  ["text behind JSON", '{"a":"[M 1]"} [M 1]', String.raw`{"a":"a\"b"} a"b`],
  ["prose", '[M 1] wrote: "[M 1]"', 'a"b wrote: "a"b"'],
  ["a list of numbers in prose", '[1, 2] "[M 1]"', '[1, 2] "a"b"'],
  ["a placeholder in brackets", '[[M 1]] "[M 1]"', '[a"b] "a"b"'],
  ["a template", '{name}, "[M 1]"', '{name}, "a"b"'],
])("values are restored in %s", (_where, text, expected) => {
  const values = new PlaceholderValues([
    { label: "M 1", value: 'a"b' },
    { label: "N 1", value: "-4.5e3" },
    { label: "Z 1", value: "007" },
  ]);
  expect(values.restore(text)).toBe(expected);
});
