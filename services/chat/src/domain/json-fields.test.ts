import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitJsonFields } from "./json-fields.ts";

describe("splitting a JSON object into its fields", () => {
  it("keeps each value as it was written", () => {
    const text = ' { "a" : 1.0 ,"b":[ 1,{"}":"]"} ] , "c":"x\\"}" ,"d":{ }, "e":-1e+400,"f":null,"":true\n}\n';
    expect(Object.fromEntries(splitJsonFields(text))).toEqual({
      a: "1.0",
      b: '[ 1,{"}":"]"} ]',
      c: '"x\\"}"',
      d: "{ }",
      e: "-1e+400",
      f: "null",
      "": "true",
    });
  });

  it.each([
    ["{}", {}],
    ["\uFEFF{ }", {}],
    ['{"a":1,"a":2}', { a: "2" }],
    ['{"\\u0061\\"":1}', { 'a"': "1" }],
    ['{"a":"\\\\"}', { a: '"\\\\"' }],
    ['{"a":"\\\\\\""}', { a: '"\\\\\\""' }],
  ])("reads %s", (text, expected) => {
    expect(Object.fromEntries(splitJsonFields(text))).toEqual(expected);
  });

  it("agrees with JSON.parse on every object, however it is spaced", () => {
    const spaces = fc.constantFrom<string | number | undefined>(undefined, 1, "\t", "\r\n ");
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), spaces, (object, space) => {
        const text = JSON.stringify(object, undefined, space);
        const parsed = JSON.parse(text) as Record<string, unknown>;
        const fields = splitJsonFields(text);
        expect([...fields.keys()].toSorted()).toEqual(Object.keys(parsed).toSorted());
        for (const [name, value] of fields) expect(JSON.parse(value)).toEqual(parsed[name]);
      }),
    );
  });

  it("takes time in proportion to the text", () => {
    const hostile = `{"a":"${"\\".repeat(2_000_000)}","b":[${"[".repeat(10_000)}${"]".repeat(10_000)}]}`;
    const startedAt = performance.now();
    expect(splitJsonFields(hostile).size).toBe(2);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });
});
