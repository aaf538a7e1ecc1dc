import type { JsonObject } from "@gatehouse/json";
import { expect, test } from "vitest";
import { compileSchema, compileWholeSchema } from "./compile-schema.ts";
import { schemaBounds } from "./schema-bounds.ts";
import type { Violation } from "./violation.ts";

/** Violations of a value, with unbounded work. */
function violationsIn(schema: JsonObject, field = "s", form: keyof Violation = "text") {
  const { check } = compileSchema(schema, field);
  return (value: unknown) => {
    const verdict = check(value, Number.MAX_SAFE_INTEGER);
    if (verdict.kind !== "checked") throw new Error("The check was not finished.");
    return verdict.violations.map((violation) => violation[form]);
  };
}

/** Least work that completes the check of a value. */
function workOf(schema: JsonObject, value: unknown): number {
  const { check } = compileWholeSchema(schema, "s");
  let [low, high] = [0, 1];
  while (check(value, high).kind === "unfinished") [low, high] = [high, high * 2];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (check(value, middle).kind === "unfinished") low = middle;
    else high = middle;
  }
  return high;
}

const message = { type: "object", properties: { message: { type: "string", minLength: 3 } }, required: ["message"] };

test("every violation is named once with its pointer", () => {
  const validate = violationsIn({ ...message, additionalProperties: false }, "input_schema");
  expect(validate({ message: "long enough" })).toEqual([]);
  expect(validate({ message: "x", extra: 1, more: 2 })).toEqual([
    "/ must NOT have additional properties: 'extra'",
    "/ must NOT have additional properties: 'more'",
    "/message must NOT have fewer than 3 characters",
  ]);
  expect(validate({})).toEqual(["/ must have required property 'message'"]);
});

test("drafts 2020-12 and 7 differ in how they read items", () => {
  const of = ($schema: string) => violationsIn({ $schema, items: [{ type: "string" }] }, "s");
  expect(() => of("https://json-schema.org/draft/2020-12/schema")).toThrow("not a usable JSON schema");
  expect(of("http://json-schema.org/draft-07/schema#")([1])).toHaveLength(1);
  expect(violationsIn({ prefixItems: [{ type: "string" }] }, "s")([1])).toHaveLength(1);
});

test("prices are multiples of a cent", () => {
  const validate = violationsIn({ properties: { price: { type: "number", multipleOf: 0.01 } } }, "s");
  for (const price of [19.99, 0.07, 4.35, 0.29, 1.1, 10]) expect(validate({ price })).toEqual([]);
  expect(validate({ price: 0.295 })).toEqual(["/price must be multiple of 0.01"]);
  expect(validate({ price: "0.295" })).toEqual(["/price must be number"]);
});

test("formats are checked", () => {
  const validate = violationsIn({ type: "string", format: "email" }, "s");
  expect([validate("a@example.org"), validate("nobody")]).toEqual([[], ['/ must match format "email"']]);
});

test("references inside the document work, also recursive ones", () => {
  const tree = { $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } }, required: ["id"] } }, $ref: "#/$defs/node" }; // prettier-ignore
  expect(violationsIn(tree, "s")({ id: 1, next: {} })).toEqual(["/next must have required property 'id'"]);
});

test("a schema may refer to itself as a whole", () => {
  const validate = violationsIn({ properties: { next: { $ref: "#" } }, required: ["id"] });
  expect(validate({ id: 1, next: { id: 2, next: {} } })).toEqual(["/next/next must have required property 'id'"]);
});

test.each<[string, Record<string, unknown>, string]>([
  ["a remote reference", { $ref: "https://evil.example/schema.json" }, "must not refer to other documents"],
  [
    "a remote reference deep inside",
    { properties: { a: { items: { $ref: "file:///etc/passwd" } } } },
    "must not refer",
  ],
  ["an unknown draft", { $schema: "https://json-schema.org/draft-03/schema" }, "draft 2020-12 or draft 7"],
  ["a wrong type", { type: "strnig" }, "s is not a usable JSON schema"],
  ["a look-ahead", { pattern: "^(?=a)b" }, "not a usable JSON schema"],
  ["an enormous one", { description: "x".repeat(70_000) }, "at most 65536 characters"],
  ["a deep one", JSON.parse('{"not":'.repeat(40) + "{}" + "}".repeat(40)), "at most 32 levels deep"],
  ["a dangling reference", { $ref: "#/$defs/nowhere" }, "must not refer to '#/$defs/nowhere', which is not a schema"],
])("%s is refused", (_name, schema, reason) => {
  expect(() => compileSchema(schema, "s")).toThrow(reason);
});

test("a pattern with exponential backtracking in other engines is matched in linear time", () => {
  const validate = violationsIn({ type: "string", pattern: "^(a+)+$" }, "s");
  expect(validate("a".repeat(50_000) + "!")).toHaveLength(1);
});

test("two endpoints may use the same $id", () => {
  const schema = { $id: "https://example.org/s", type: "string" };
  expect(violationsIn(schema, "s")("x")).toEqual([]);
  expect(violationsIn(schema, "s")(1)).toHaveLength(1);
});

const many = (count: number) => Array.from({ length: count }, (_, index) => index);

test("violations are listed up to a bound, and the search ends there", () => {
  const violations = violationsIn({ items: { type: "string" } })(many(100_000));
  expect(violations).toHaveLength(schemaBounds.violationsMax + 1);
  expect([violations[0], violations.at(-1)]).toEqual(["/0 must be string", "and more"]);
  expect(violationsIn({ items: { type: "string" } })(many(25)).at(-1)).toBe("and 5 more");
});

test("errors of alternatives do not hide the value's other violations", () => {
  const list = { anyOf: [{ items: { type: "string" } }, { items: { type: "number" } }] };
  const validate = violationsIn({ properties: { list, name: { type: "string" } }, required: ["id"] });
  expect(validate({ id: 1, list: many(10_000) })).toEqual([]);
  expect(validate({ list: many(10_000), name: 1 })).toContain("and more");
});

test("a violation is cut, also with a very long pointer", () => {
  const [violation = ""] = violationsIn({ additionalProperties: { type: "string" } })({ ["x".repeat(4_000)]: 1 });
  expect(violation.length).toBe(schemaBounds.violationCharsMax + 1);
});

test.each<[string, unknown[], boolean]>([
  ["numbers", [1, 2, 1], false],
  ["texts and numbers", [1, "1", true, null, "null", [], {}, [[]], [{}]], true],
  [
    "members in another order",
    [
      { a: 1, b: [2] },
      { b: [2], a: 1 },
    ],
    false,
  ],
  ["items in another order", [{ a: [1, 2] }, { a: [2, 1] }], true],
  ["numbers that are equal", [{ a: 0 }, { a: -0 }], false],
])("unique items are compared by value: %s", (_name, items, isUnique) => {
  const violations = violationsIn({ uniqueItems: true })(items);
  expect(violations).toHaveLength(isUnique ? 0 : 1);
  if (!isUnique)
    expect(violations[0]).toMatch(/^\/ must NOT have duplicate items \(items ## \d and \d are identical\)$/);
  expect(violationsIn({ uniqueItems: false })(items)).toEqual([]);
});

test("allowed values of any type are compared by value", () => {
  const validate = violationsIn({ items: { enum: [1, "1", null, { a: [1], b: 2 }, []] } });
  expect(validate([1, "1", null, { b: 2, a: [1] }, []])).toEqual([]);
  expect(validate([2, {}, [[]], "null"])).toEqual(
    [0, 1, 2, 3].map(
      (place) => `/${place} must be equal to one of the allowed values: 1, "1", null, {"a":[1],"b":2}, []`,
    ),
  );
});

test("a violation names the wrong member or the allowed values", () => {
  expect(violationsIn({ enum: many(1_000) })("x")[0]).toMatch(/^\/ must .* values: 0, 1, 2, .*…$/);
  expect(violationsIn({ const: { a: "b" } })(1)).toEqual([`/ must be equal to constant: {"a":"b"}`]);
  expect(violationsIn({ properties: { a: true }, unevaluatedProperties: false })({ a: 1, b: 2 })).toEqual([
    "/ must NOT have unevaluated properties: 'b'",
  ]);
  expect(violationsIn({ propertyNames: { maxLength: 2 } })({ abc: 1 })).toEqual([
    "/ must NOT have more than 2 characters",
    "/ property name must be valid: 'abc'",
  ]);
});

test("lengths are counted in characters, at every limit", () => {
  const texts = ["", "a", "ab", "\u{1f600}", "\u{1f600}a", "a\u{1f600}\ud83d", "\ude00\ud83d", "\u{1f600}".repeat(3)];
  for (const text of texts)
    for (let limit = 0; limit < 8; limit += 1) {
      const count = Array.from(text).length;
      const [min, max] = [violationsIn({ minLength: limit })(text), violationsIn({ maxLength: limit })(text)];
      expect(min).toEqual(count >= limit ? [] : [`/ must NOT have fewer than ${limit} characters`]);
      expect(max).toEqual(count <= limit ? [] : [`/ must NOT have more than ${limit} characters`]);
    }
});

test("the length of a long text costs nothing where its units decide, and is bounded work where they do not", () => {
  const text = "\u{1f600}".repeat(500_000);
  const { check } = compileSchema({ minLength: 1, maxLength: 1_000_000 }, "s");
  expect(check(text, 10)).toEqual({ kind: "checked", violations: [] });
  expect(compileSchema({ maxLength: 499_999 }, "s").check(text, 10).kind).toBe("checked");
  expect(compileSchema({ maxLength: 500_000 }, "s").check(text, 10).kind).toBe("unfinished");
});

test("the log has no names from the value", () => {
  const schema = {
    properties: { tags: { items: { additionalProperties: { type: "string" } } }, "a/b": { type: "integer" } },
    additionalProperties: false,
  };
  const value = { "ann@example.com": 1, "a/b": "x", tags: [{ "Jane Doe": 1, 4915112345678: 2 }] };
  expect(violationsIn(schema)(value)).toEqual([
    "/ must NOT have additional properties: 'ann@example.com'",
    "/tags/0/Jane Doe must be string",
    "/tags/0/4915112345678 must be string",
    "/a~1b must be integer",
  ]);
  expect(violationsIn(schema, "s", "logged")(value)).toEqual([
    "/ must NOT have additional properties",
    "/tags/0/* must be string",
    "/tags/0/* must be string",
    "/a~1b must be integer",
  ]);
});

/** A definition whose two alternatives both refer back to it. */
const forked = (to: string): JsonObject => ({ anyOf: [{ $ref: to }, { $ref: to }] });
const chain = Object.fromEntries(many(28).map((at) => [`d${at}`, forked(`#/$defs/d${at + 1}`)]));

test.each<[string, JsonObject, string]>([
  ["a reference to itself", { $ref: "#" }, "repeats itself"],
  ["a circle of references", { allOf: [{ $ref: "#/$defs/a" }], $defs: { a: { $ref: "#" } } }, "repeats itself"],
  [
    "a circle of definitions",
    { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } },
    "repeats itself",
  ],
  ["a dynamic reference to itself", { $dynamicAnchor: "a", $dynamicRef: "#a" }, "repeats itself"],
  [
    "alternatives of alternatives",
    { $ref: "#/$defs/d0", $defs: { ...chain, d28: { type: "string", minLength: 2 } } },
    "repeats itself",
  ],
  ["too many parts", { allOf: many(1_000).map(() => ({})) }, "at most 1000 subschemas"],
  [
    "a reference into data",
    { const: { type: "string" }, $ref: "#/const" },
    "must not refer to '#/const', which is not a schema",
  ],
  ["a reference to a map", { $defs: {}, $ref: "#/$defs" }, "must not refer to '#/$defs', which is not a schema"],
  ["an asynchronous schema", { $async: true, type: "string" }, "must not have $async"],
  [
    "another identity inside",
    { properties: { a: { $id: "https://example.org/a" } } },
    "must have $id at its root only",
  ],
])("%s is refused when it is saved", (_name, schema, reason) => {
  expect(() => compileSchema(schema, "s")).toThrow(reason);
});

test("a reference into a part that the draft does not know works", () => {
  const schema = { components: { schemas: { "a/b": { type: "string" } } }, $ref: "#/components/schemas/a~1b" };
  expect([violationsIn(schema)("x"), violationsIn(schema)(1)]).toEqual([[], ["/ must be string"]]);
});

const word = { type: "string", pattern: "^[a-z]+$", minLength: 1 };
const names = many(200).map((index) => `n${index}`);
const objects = (count: number) => many(count).map((index) => ({ [`n${index}`]: index, other: { index } }));

const growing: readonly (readonly [string, JsonObject, (size: number) => unknown])[] = [
  ["unique objects", { uniqueItems: true }, objects],
  ["unique lists within lists", { $defs: { l: { uniqueItems: true, items: { $ref: "#/$defs/l" } } }, $ref: "#/$defs/l" }, (size) => many(size).map((index) => [[index], [[index]]])],
  ["items that fail", { items: { type: "string" } }, many],
  ["items that fail by reference", { items: { $ref: "#/$defs/a" }, $defs: { a: { allOf: [{ type: "string" }, { type: "null" }] } } }, many],
  ["contains", { contains: { const: "x" } }, many],
  ["contains a number of times", { contains: { type: "number" }, maxContains: 3 }, many],
  ["names of members", { propertyNames: word }, (size) => Object.fromEntries(many(size).map((index) => [`n${index}`, index]))],
  ["patterns of names", { patternProperties: { "^n.*9$": { type: "string" }, "^n1": {} }, additionalProperties: false }, (size) => Object.fromEntries(many(size).map((index) => [`n${index}`, index]))],
  ["unevaluated members", { allOf: [{ properties: { n1: {} } }, { patternProperties: { "^n2": {} } }], unevaluatedProperties: { type: "number" } }, (size) => Object.fromEntries(many(size).map((index) => [`n${index}`, index]))],
  ["unevaluated items", { prefixItems: [{}], contains: { type: "string" }, unevaluatedItems: { type: "number" } }, many],
  ["dependent schemas", { items: { dependentSchemas: Object.fromEntries(names.map((name) => [name, { required: ["x"] }])) } }, objects],
  ["required names", { items: { required: names } }, objects],
  ["allowed values", { items: { properties: { other: { enum: [...names, { index: -1 }] } } } }, objects],
  ["nested alternatives", { items: { oneOf: [{ anyOf: [{ type: "string" }, { required: ["x"] }] }, { allOf: [{ type: "object" }, { not: { type: "null" } }] }] } }, objects],
  ["a long text", { pattern: "^(a+)+$" }, (size) => "a".repeat(size * 10)],
  ["a dynamic tree", { $dynamicAnchor: "node", properties: { n: { items: { $dynamicRef: "#node" } } } }, (size) => ({ n: many(size).map(() => ({ n: [] })) })],
]; // prettier-ignore

test.each(growing)("work grows no faster than the value: %s", (_name, schema, valueOf) => {
  const [one, two, four, eight] = [1, 2, 4, 8].map((times) => workOf(schema, valueOf(times * 500)));
  expect([one, two, four, eight].every((work) => work !== undefined && work > 0)).toBe(true);
  // Lists that end early may cost the same for any size.
  expect((eight ?? 0) / (one ?? 1)).toBeLessThan(8 ** 1.15);
});

test("a check of exponentially many alternatives is left unfinished", () => {
  const next = { properties: { next: { $ref: "#" } } };
  const { check } = compileSchema({ oneOf: [next, { ...next, minProperties: 0 }] }, "s");
  let value: unknown = {};
  for (let depth = 0; depth < 100; depth += 1) value = { next: value };
  expect(check(value, schemaBounds.inlineWorkMax)).toEqual({ kind: "unfinished" });
});

test("a schema with many parts is left to another thread", () => {
  const schema = { properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])) };
  expect(compileSchema(schema, "s").check({}, schemaBounds.workMax)).toEqual({ kind: "unfinished" });
  const verdict = compileWholeSchema(schema, "s").check({ n7: 1 }, schemaBounds.workMax);
  expect(verdict).toMatchObject({ kind: "checked", violations: [{ text: "/n7 must be string" }] });
});
