import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { toAscii } from "./to-ascii.ts";

test.each([
  ["a string", '"naïve ’ 😀 \\’ \\\\’"'],
  ["a name", "(() => { const größe = { ğ: 7 }; return größe.ğ; })()"],
  ["a regular expression", 'String("x’😀y".match(/x[’]?[😀]y/u))'],
  ["a regular expression that escapes a letter", 'String("’".match(/[\\’]/))'],
  ["a template", "`${1 + 1}’${`é😀`} \\n`"],
  ["a raw template", "String.raw`\\p{Lu}’${`ş${2}`}\\.é`"],
  ["a comment", "/* ’ */ 1 // 😀"],
])("%s means the same", (_, code) => {
  const ascii = toAscii(code);
  expect(ascii).toMatch(/^[\0-\x7f]*$/);
  expect(runInNewContext(ascii)).toEqual(runInNewContext(code));
});

test("code in ASCII stays as it is", () => {
  expect(toAscii("not code `")).toBe("not code `");
});

test("a template whose tag sees how it is written is refused", () => {
  expect(() => toAscii("tag`’`")).toThrow("A template of tag has letters that are not in ASCII.");
});

test("a template that escapes a letter is refused", () => {
  expect(() => toAscii("`\\’`")).toThrow("A template escapes a letter that is not in ASCII.");
});

test("code that cannot be read is refused", () => {
  expect(() => toAscii("const ’ = ;")).toThrow();
});
