import fc from "fast-check";
import { expect, test } from "vitest";
import { type JsonBounds, jsonBounds } from "./json-bounds.ts";
import { JsonRefusal, type JsonRefusalKind } from "./json-refusal.ts";
import { type KeyRule, parseJson } from "./parse-json.ts";

const roomy: JsonBounds = { depthMax: 1e9, valuesMax: 1e9, membersMax: 1e9, keyLengthMax: 1e9 };

function refusalOf(text: string, options: Parameters<typeof parseJson>[1] = {}): JsonRefusalKind | undefined {
  try {
    parseJson(text, options);
    return undefined;
  } catch (err) {
    if (err instanceof JsonRefusal) return err.kind;
    throw err;
  }
}

test("any JSON text parses as the platform parses it", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), (text) => {
      expect(parseJson(text, { keys: "any" })).toEqual(JSON.parse(text));
    }),
  );
});

test("any text gives a value or a refusal", () => {
  const alphabet = fc.constantFrom('"', "\\", "{", "}", "[", "]", ":", ",", "a", "A", "1", " ", "\u017f", "\ud800");
  fc.assert(
    fc.property(fc.array(alphabet, { maxLength: 80 }), (letters) => {
      refusalOf(letters.join(""));
    }),
    { numRuns: 5_000 },
  );
});

test.each<[string, Partial<JsonBounds>, string, JsonRefusalKind]>([
  ["depth", { depthMax: 3 }, "[[[[1]]]]", "too_deep"],
  ["depth of objects", { depthMax: 2 }, '{"a":[{}]}', "too_deep"],
  ["values", { valuesMax: 4 }, "[1,2,3,4]", "too_many_values"],
  ["empty values", { valuesMax: 4 }, "[[],[],[]]", "too_many_values"],
  ["arrays and objects", { containersMax: 3 }, "[[],{},[],1,2,3]", "too_many_values"],
  ["members", { membersMax: 2 }, '[{"a":1},{"a":1,"b":2}]', "too_many_values"],
  ["a key's length", { keyLengthMax: 3 }, '{"abcd":1}', "key_too_long"],
])("%s is bounded", (...[, bounds, text, kind]) => {
  expect(refusalOf(text, { bounds: { ...roomy, ...bounds } })).toBe(kind);
  expect(refusalOf(text, { bounds: roomy })).toBeUndefined();
});

test("structure inside strings counts for nothing", () => {
  const bounds = { depthMax: 1, valuesMax: 2, membersMax: 1, keyLengthMax: 1 };
  for (const inside of [
    "[[[[",
    "{{{{",
    ",,,,,,",
    ":::::",
    '\\"[[[',
    "\\\\",
    "x".repeat(100) + '\\"[[[[,,,,',
    "\\\\".repeat(60),
  ]) {
    expect(refusalOf(`["${inside}"]`, { bounds }), inside).toBeUndefined();
  }
});

test("malformed text is refused with its place, and not quoted", () => {
  expect(() => parseJson('{"password":"hunter2",}')).toThrow(/^is not valid JSON \(at character 22\)\.$/);
  expect(() => parseJson("hunter2")).toThrow(/^is not valid JSON[^h]*\.$/);
});

test.each<[string, readonly KeyRule[]]>([
  ['{"a":1,"a":1}', ["distinct", "unambiguous"]],
  ['{"content":"x","\\u0063ontent":"y"}', ["distinct", "unambiguous"]],
  ['[[{"x":{"__proto__":1,"__proto__":2}}]]', ["distinct", "unambiguous"]],
  ['{"1":0,"1":1}', ["distinct", "unambiguous"]],
  ['{"content":1,"Content":2}', ["unambiguous"]],
  ['{"user":1,"u\u017fer":2}', ["unambiguous"]],
  ['{"k":1,"\u212a":2}', ["unambiguous"]],
  ['{"\u00e9":1,"\u00c9":2}', ["unambiguous"]],
  ['{"a":{"b":1},"c":{"b":2,"B":{}}}', ["unambiguous"]],
  ['{"a":{"b":1},"c":[{"b":2},{"B":1}],"constructor":1,"__proto__":2}', []],
])("%s is refused under the rules %j", (text, refusing) => {
  for (const keys of ["any", "distinct", "unambiguous"] as const) {
    expect(refusalOf(text, { keys }), keys).toBe(refusing.includes(keys) ? "ambiguous_key" : undefined);
  }
});

test("a key of a refusal is cut in its message", () => {
  const key = "k".repeat(1_000);
  expect(() => parseJson(`{"${key}":1,"${key.toUpperCase()}":2}`)).toThrow(
    expect.objectContaining({ message: expect.stringMatching(/^.{60,140}$/) }),
  );
});

test("an object parsed as unambiguous reads the same by the first, the last and the case-blind last of its keys", () => {
  const key = fc.constantFrom("a", "A", "k", "\u212a", "s", "\u017f", "S", "content", "Content");
  const object = fc.array(fc.tuple(key, fc.nat()), { maxLength: 5 });
  fc.assert(
    fc.property(object, (members) => {
      const text = `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",")}}`;
      if (refusalOf(text) !== undefined) return;
      const folds = members.map(([name]) => name.toUpperCase().toLowerCase());
      expect(new Set(folds).size).toBe(members.length);
    }),
  );
});

test("a batch of 300,000 token ids and 10,000 messages of two parts are within the bounds", () => {
  expect(refusalOf(JSON.stringify({ input: [Array.from({ length: 300_000 }, () => 1)] }))).toBeUndefined();
  const part = { type: "text", text: "" };
  const messages = Array.from({ length: 10_000 }, () => ({ role: "user", content: [part, part] }));
  expect(refusalOf(JSON.stringify({ messages }))).toBeUndefined();
  expect(jsonBounds.valuesMax).toBeGreaterThan(300_000);
});
