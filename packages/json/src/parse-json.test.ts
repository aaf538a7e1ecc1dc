import fc from "fast-check";
import { expect, test } from "vitest";
import { type JsonBounds, jsonBounds } from "./json-bounds.ts";
import { JsonRefusal, type JsonRefusalKind } from "./json-refusal.ts";
import { type KeyRule, parseJson, parseJsonInSteps } from "./parse-json.ts";

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
  ["members of one object", { objectMembersMax: 2 }, '[{"a":1,"b":{"a":1}},{"a":1,"b":2,"c":3}]', "too_many_values"],
  ["a key's length", { keyLengthMax: 3 }, '{"abcd":1}', "key_too_long"],
])("%s is bounded", (...[, bounds, text, kind]) => {
  expect(refusalOf(text, { bounds: { ...roomy, ...bounds } })).toBe(kind);
  expect(refusalOf(text, { bounds: roomy })).toBeUndefined();
});

test("brackets and commas inside strings count for no bound", () => {
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

test("malformed text is refused with its position, and not quoted", () => {
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

test("a key is cut in the message of its refusal", () => {
  const key = "k".repeat(1_000);
  expect(() => parseJson(`{"${key}":1,"${key.toUpperCase()}":2}`)).toThrow(
    expect.objectContaining({ message: expect.stringMatching(/^.{60,140}$/) }),
  );
});

test("an object parsed as unambiguous has no two keys that are equal, also without regard to case", () => {
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

function parseInSteps(json: string | Buffer, options: Parameters<typeof parseJsonInSteps>[1] = {}) {
  const steps = parseJsonInSteps(json, options);
  for (let count = 0; ; count += 1) {
    const { done, value } = steps.next();
    if (done === true) return { value, steps: count };
  }
}

function outcomeOf(parse: () => unknown): unknown {
  try {
    return { value: parse() };
  } catch (err) {
    if (err instanceof JsonRefusal) return err.kind;
    throw err;
  }
}

/** Texts that are nearly JSON: one changed in one place. */
const nearlyJson = fc
  .tuple(
    fc.json({ maxDepth: 4 }),
    fc.nat(),
    fc.constantFrom("", ",", ":", '"', "{", "]", "[", "}", "0", "-", " ", "\\", "\u0001"),
  )
  .map(([text, place, piece]) => {
    const at = place % (text.length + 1);
    return `${text.slice(0, at)}${piece}${text.slice(at + (place % 3))}`;
  });
const marks = fc
  .array(fc.constantFrom("[", "]", "{", "}", ",", ":", '"a"', '"', "1", " ", '"long string"', "null"), {
    maxLength: 24,
  })
  .map((all) => all.join(""));

test("a parse in steps gives the same value or refusal as one at once, in pieces of any length", () => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), nearlyJson, marks), fc.integer({ min: 8, max: 60 }), (text, pieceLength) => {
      for (const keys of ["any", "unambiguous"] as const) {
        const atOnce = outcomeOf(() => parseJson(text, { bounds: roomy, keys }));
        expect(outcomeOf(() => parseInSteps(text, { bounds: roomy, keys, pieceLength }).value)).toStrictEqual(atOnce);
      }
    }),
    { numRuns: 5_000 },
  );
});

test("bytes give the same value, or the same refusal, as their text", () => {
  const unit = fc.constantFrom("a", "é", "–", "\u{1f600}", '"', "\\", "\n", "\u{10ffff}");
  const json = fc.jsonValue({ maxDepth: 4, stringUnit: unit }).map((value) => JSON.stringify(value));
  const cut = fc.tuple(json, fc.nat(40)).map(([text, at]) => text.slice(0, -at).toWellFormed());
  const bounds = fc.record({ keyLengthMax: fc.nat(20), membersMax: fc.constant(20), depthMax: fc.constant(3) });
  fc.assert(
    fc.property(
      fc.oneof(json, cut, nearlyJson),
      fc.integer({ min: 8, max: 60 }),
      fc.option(bounds),
      (text, pieceLength, given) => {
        const options = { bounds: { ...roomy, ...given }, pieceLength };
        const wellFormed = text.toWellFormed();
        const ofBytes = outcomeOf(() => parseInSteps(Buffer.from(wellFormed), options).value);
        expect(ofBytes).toStrictEqual(outcomeOf(() => parseInSteps(wellFormed, options).value));
      },
    ),
    { numRuns: 3_000 },
  );
});

test("bytes are refused at their place in the text", () => {
  const far = "–".repeat(100);
  for (const text of ['{"ü":"–",}', `["${far}",{"ü":1,},${"2,".repeat(100)}3]`, `{"a":"${far}\u0001"}`]) {
    const refusalOfJson = (json: string | Buffer) => {
      try {
        return parseInSteps(json, { pieceLength: 50 }).value;
      } catch (err) {
        return (err as Error).message;
      }
    };
    expect(refusalOfJson(Buffer.from(text))).toBe(refusalOfJson(text));
    expect(refusalOfJson(text)).toMatch(/^is not valid JSON \(at character \d+\)\.$/);
  }
});

test.each<[string, string]>([
  ["one string of escapes", JSON.stringify('\\"\u{1f600}\ud800\u0001'.repeat(500))],
  ["escapes in hex", `"${"\\u0061\\\\".repeat(500)}"`],
  ["backslashes", `"${"\\\\".repeat(3_000)}"`],
  ["many values", `[${"1,".repeat(5_000)}[]]`],
  ["many keys", `{${Array.from({ length: 1_000 }, (_, at) => `"k${at}":{}`).join(",")},"__proto__":{"a":1}}`],
  ["large values in each other", `${'{"__proto__":[0, '.repeat(50)}"${"x".repeat(2_000)}" ${'],"b":1}'.repeat(50)}`],
  ["white space", `[1${" ".repeat(3_000)}, ${"\n".repeat(3_000)}2]  `],
])("%s are parsed in many steps", (_name, text) => {
  for (const json of [text, Buffer.from(text)]) {
    const { value, steps } = parseInSteps(json, { pieceLength: 100 });
    expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
    expect(steps).toBeGreaterThan(20);
  }
});

test("a parse in steps refuses a text at its position too", () => {
  const refused = () => parseInSteps(`[${"1,".repeat(100)}{"a":1,},${"1,".repeat(100)}1]`, { pieceLength: 50 });
  expect(refused).toThrow(/^is not valid JSON \(at character 208\)\.$/);
});

test("the cost of a step in a long string does not grow with the text", () => {
  const text = JSON.stringify("a".repeat(4_000_000));
  const startedAt = performance.now();
  const { steps } = parseInSteps(text, { pieceLength: 512 });
  expect(steps).toBeGreaterThan(7_000);
  // About 20 ms; with a scan back through the text in each step it took more than ten seconds.
  expect(performance.now() - startedAt).toBeLessThan(2_000);
});
