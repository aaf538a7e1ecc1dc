import { expect, test } from "vitest";
import { readJson } from "./read-json.ts";
import { Unreadable } from "./unreadable.ts";

test("JSON is parsed, and an empty text is undefined", () => {
  expect(readJson(' {"a":[1,2.50,null]} ')).toEqual({ a: [1, 2.5, null] });
  expect(readJson("null")).toBeNull();
  expect(readJson(" \n")).toBeUndefined();
});

test.each([
  ['{"a":1,"a":2}', "a is given twice."],
  ['{"a":{"b c":[0,{"x-y":1,"x-y":1}]}}', 'a["b c"][1].x-y is given twice.'],
  ['{"":1,"":1}', '[""] is given twice.'],
  [
    "[0,12345678901234567890]",
    "[1]: 12345678901234567890 cannot be kept exactly: it would become 12345678901234567000.",
  ],
  ["1e400", "1e400 is too large."],
])("%s is refused, and kept as text", (text, problem) => {
  expect(readJson(text)).toEqual(new Unreadable(text, problem));
});

test("a text that does not parse is kept with the reason", () => {
  expect(readJson("{")).toMatchObject({ text: "{", problem: expect.stringMatching(/^Not JSON: /) });
});
