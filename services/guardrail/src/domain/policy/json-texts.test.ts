import { expect, test } from "vitest";
import { parseJsonTexts } from "./json-texts.ts";

/** A JSON text inside `levels` JSON texts. */
function nest(value: unknown, levels: number): string {
  let text = JSON.stringify(value);
  for (let level = 0; level < levels; level += 1) text = JSON.stringify({ x: text });
  return text;
}

test.each([
  ['{"a":1}', [{ a: 1 }]],
  ["\ufeff [1] ", [[1]]],
  [JSON.stringify('{"a":1}'), ['{"a":1}', { a: 1 }]],
  [nest({ a: 1 }, 2), [{ x: nest({ a: 1 }, 1) }, { x: '{"a":1}' }, { a: 1 }]],
  ['["[1]",{"x":["{\\"a\\":1}"]}]', [["[1]", { x: ['{"a":1}'] }], { a: 1 }, [1]]],
  ['["[x]","{\\"a\\":","12","[1","text"]', [["[x]", '{"a":', "12", "[1", "text"]]],
])("the values of %s are its own and those of JSON texts inside it", (text, values) => {
  expect(parseJsonTexts(text)).toEqual(values);
});

test.each(["", "text", "12", "{", "[x]", '"a" and "b"', "$.a"])("%j is no JSON object, list or string", (text) => {
  expect(parseJsonTexts(text)).toBeUndefined();
});

test("texts are searched through eight levels, and deeper ones are not known", () => {
  expect(parseJsonTexts(nest({ a: 1 }, 8))).toHaveLength(9);
  expect(parseJsonTexts(nest({ a: 1 }, 9))).toBe("unsearchable");
});

test("more texts than are tried, and a text that is too long, are not known", () => {
  const list = (length: number) => JSON.stringify(Array.from({ length }, () => "[x]"));
  expect(parseJsonTexts(list(50_000))).toHaveLength(1);
  expect(parseJsonTexts(list(50_001))).toBe("unsearchable");
  expect(parseJsonTexts(JSON.stringify(["x".repeat(4_194_304)]))).toBe("unsearchable");
});

const twice = ['{"iban":"DE1","iban":"x"}', String.raw`{"iban":"DE1","\u0069ban":"x"}`, '[1,{"a":{"b":1,"b":1}}]'];

test.each(twice)("the values of %s are not known, since parsers take either of equal keys", (text) => {
  expect(parseJsonTexts(text)).toBe("unsearchable");
  expect(parseJsonTexts(nest(text, 2))).toBe("unsearchable");
});

test("equal keys of two objects, and keys in prose, are no equal keys", () => {
  expect(parseJsonTexts('[{"a":1},{"a":{"a":1}}]')).toHaveLength(1);
  expect(parseJsonTexts(JSON.stringify(['{"a":1,"a":']))).toHaveLength(1);
});

test("a text may be nested as deep as it likes", () => {
  const nested = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  expect(parseJsonTexts(JSON.stringify({ x: nested }))).toHaveLength(2);
});
