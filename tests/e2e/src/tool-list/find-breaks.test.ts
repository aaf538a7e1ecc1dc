import { expect, test } from "vitest";
import { findBreaks, type Schema } from "./find-breaks.ts";

const member = {
  name: { type: "string", minLength: 1, maxLength: 10, pattern: "^a" },
  kind: { type: ["string", "null"], enum: ["x", "y", null] },
  items: { type: "array", maxItems: 5, items: { type: "integer", minimum: 1, maximum: 9 } },
  auth: { type: "object", oneOf: [kind("none"), kind("basic")] },
} as const satisfies Record<string, Schema>;

function kind(name: string): Schema {
  return { type: "object", properties: { type: { const: name } }, required: ["type"], additionalProperties: false };
}

function schema(properties: Readonly<Record<string, Schema>>, required: readonly string[] = ["name"]): Schema {
  return { type: "object", properties, required, additionalProperties: false };
}

const tool = (inputSchema: Schema) => [{ name: "svc_x", inputSchema }];
const breaks = (after: Schema) => findBreaks(tool(schema(member)), tool(after));

test("the same list, and additions to it, break no client", () => {
  expect(breaks(schema(member))).toEqual([]);
  const added = { more: { type: "string" } };
  expect(
    findBreaks(tool(schema(member)), [
      ...tool(schema({ ...member, ...added })),
      { name: "svc_y", inputSchema: schema({}) },
    ]),
  ).toEqual([]);
  expect(breaks(schema(member, []))).toEqual([]);
});

test.each<[Schema]>([
  [schema({ ...member, name: { type: "string", maxLength: 11 } })],
  [schema({ ...member, kind: { type: ["string", "null"], enum: ["x", "y", "z", null] } })],
  [schema({ ...member, items: { type: "array", items: { type: "number" } } })],
  [schema({ ...member, auth: { type: "object", oneOf: [kind("none"), kind("basic"), kind("header")] } })],
])("a wider schema breaks no client: %j", (after) => {
  expect(breaks(after)).toEqual([]);
});

const { kind: _, ...without } = member;

test.each<[string, Schema]>([
  ["svc_x.kind is removed", schema(without)],
  ["svc_x.kind is required", schema(member, ["name", "kind"])],
  ["svc_x.more is required", schema({ ...member, more: { type: "string" } }, ["name", "more"])],
  ["svc_x.name takes no string any more", schema({ ...member, name: { ...member.name, type: "integer" } })],
  ["svc_x.name is narrower: maxLength is 9", schema({ ...member, name: { ...member.name, maxLength: 9 } })],
  ['svc_x.name is narrower: pattern is "^b"', schema({ ...member, name: { ...member.name, pattern: "^b" } })],
  ['svc_x.kind takes no "y" any more', schema({ ...member, kind: { type: ["string", "null"], enum: ["x", null] } })],
  ["svc_x.kind takes no null any more", schema({ ...member, kind: { type: "string", enum: ["x", "y", null] } })],
  ["svc_x.items is narrower: minItems is 1", schema({ ...member, items: { ...member.items, minItems: 1 } })],
  [
    "svc_x.items[] is narrower: minimum is 2",
    schema({ ...member, items: { ...member.items, items: { ...member.items.items, minimum: 2 } } }),
  ],
  ["svc_x.auth(basic) is removed", schema({ ...member, auth: { type: "object", oneOf: [kind("none")] } })],
])("%s", (message, after) => {
  expect(breaks(after)).toEqual([message]);
});

test("a removed operation breaks clients", () => {
  expect(findBreaks(tool(schema(member)), [])).toEqual(["svc_x is removed"]);
});
