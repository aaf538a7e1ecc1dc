import { expect, test } from "vitest";
import { isStructuredOutput, PlaceholderValues } from "./placeholder-values.ts";

test("values are restored at their placeholders, and hidden again", () => {
  const values = new PlaceholderValues([{ label: "EMAIL 1", value: 'a"b@example.org' }]);
  expect(values.restore("To [email 1] and [EMAIL 2].", false)).toBe('To a"b@example.org and [EMAIL 2].');
  expect(values.restore('{"to":"[EMAIL 1]"}', true)).toBe(String.raw`{"to":"a\"b@example.org"}`);
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
  ['{"a":', true],
  ['[ {"a":1}]', true],
  ['["a"]', true],
  ["{}", false],
  ["[EMAIL 1] wrote", false],
  ["[1, 2]", false],
  ["{name}, hello", false],
])("%j is the start of a structured output: %j", (text, expected) => {
  expect(isStructuredOutput(text)).toBe(expected);
});
