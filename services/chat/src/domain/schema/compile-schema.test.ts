import { expect, test } from "vitest";
import { compileSchema } from "./compile-schema.ts";

const message = { type: "object", properties: { message: { type: "string", minLength: 3 } }, required: ["message"] };

test("every violation is named once with its pointer", () => {
  const validate = compileSchema({ ...message, additionalProperties: false }, "input_schema");
  expect(validate({ message: "long enough" })).toEqual([]);
  expect(validate({ message: "x", extra: 1 })).toEqual([
    "/ must NOT have additional properties",
    "/message must NOT have fewer than 3 characters",
  ]);
  expect(validate({})).toEqual(["/ must have required property 'message'"]);
});

test("drafts 2020-12 and 7 differ in how they read items", () => {
  const of = ($schema: string) => compileSchema({ $schema, items: [{ type: "string" }] }, "s");
  expect(() => of("https://json-schema.org/draft/2020-12/schema")).toThrow("not a usable JSON schema");
  expect(of("http://json-schema.org/draft-07/schema#")([1])).toHaveLength(1);
  expect(compileSchema({ prefixItems: [{ type: "string" }] }, "s")([1])).toHaveLength(1);
});

test("formats are checked", () => {
  const validate = compileSchema({ type: "string", format: "email" }, "s");
  expect([validate("a@example.org"), validate("nobody")]).toEqual([[], ['/ must match format "email"']]);
});

test("references inside the document work, also recursive ones", () => {
  const tree = { $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } }, required: ["id"] } }, $ref: "#/$defs/node" }; // prettier-ignore
  expect(compileSchema(tree, "s")({ id: 1, next: {} })).toEqual(["/next must have required property 'id'"]);
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
  ["a dangling reference", { $ref: "#/$defs/nowhere" }, "not a usable JSON schema"],
])("%s is refused", (_name, schema, reason) => {
  expect(() => compileSchema(schema, "s")).toThrow(reason);
});

test("a pattern that makes backtracking engines explode is matched in linear time", () => {
  const validate = compileSchema({ type: "string", pattern: "^(a+)+$" }, "s");
  expect(validate("a".repeat(50_000) + "!")).toHaveLength(1);
});

test("two endpoints may use the same $id", () => {
  const schema = { $id: "https://example.org/s", type: "string" };
  expect(compileSchema(schema, "s")("x")).toEqual([]);
  expect(compileSchema(schema, "s")(1)).toHaveLength(1);
});
