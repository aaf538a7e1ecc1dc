import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonBounds } from "./json-bounds.ts";
import { JsonPart, outlinedMax, type OutlineSpec } from "./json-part.ts";
import { JsonRefusal, type JsonRefusalKind } from "./json-refusal.ts";
import { OutlineReader } from "./outline-reader.ts";

const deep: OutlineSpec = { members: { a: { members: { b: { items: {} } } } }, items: { members: {} } };

function outline(text: string, stepBytes = Number.MAX_SAFE_INTEGER, spec = deep): JsonPart {
  const reader = new OutlineReader(Buffer.from(text), spec, jsonBounds);
  for (;;) {
    const part = reader.read(stepBytes);
    if (part !== undefined) return part;
  }
}

function refusalOf(text: string, stepBytes?: number): JsonRefusalKind | undefined {
  try {
    outline(text, stepBytes);
    return undefined;
  } catch (err) {
    if (err instanceof JsonRefusal) return err.kind;
    throw err;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Texts that are nearly JSON: one cut, doubled or changed in one place. */
const nearlyJson = fc
  .tuple(fc.json(), fc.nat(), fc.constantFrom("", ",", ":", '"', "{", "]", "0", "-", ".", "e", "\\", "\u0001", " "))
  .map(([text, place, piece]) => {
    const at = place % (text.length + 1);
    return `${text.slice(0, at)}${piece}${text.slice(at + (place % 3))}`;
  });

test("a text is accepted if and only if JSON.parse accepts it, in steps of any size", () => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), nearlyJson), fc.integer({ min: 1, max: 20 }), (text, step) => {
      expect(refusalOf(text, step)).toBe(isJson(text) ? undefined : "malformed");
    }),
    { numRuns: 2_000 },
  );
});

test.each(["-0", "1e5", "1E+05", "0.5", "-1.25e-3", '"\\u00e9\\n"', "[]", "{}", " [ 1 , 2 ] ", "12345678901234567890"])(
  "%s is accepted, and its bytes are kept",
  (text) => {
    expect(outline(text).text).toBe(text.trim());
  },
);

test.each([
  "",
  " ",
  "01",
  "1.",
  ".5",
  "+1",
  "1e",
  "-",
  "nul",
  "nulll",
  "NaN",
  "[1,]",
  '{"a":1,}',
  "{a:1}",
  '"\\x"',
  "1 2",
])("%j is refused", (text) => {
  expect(refusalOf(text)).toBe("malformed");
});

describe("an outline", () => {
  const text = '{"x":[1,{"y":2}],"a":{"b":[ 12345678901234567890 ,"ü",{"c":1}],"b2":null},"n":"\\u0041","x":-1.5}';
  const part = outline(text, 7);

  test("has the requested members, and the last of equal keys", () => {
    expect([...(part.members?.keys() ?? [])]).toEqual(["x", "a", "n"]);
    expect(part.hasEqualKeys).toBe(true);
    expect(part.members?.get("x")?.asNumber()).toBe(-1.5);
    expect(part.members?.get("n")?.asString(100)).toBe("A");
    expect(part.members?.get("n")?.asString(3)).toBeUndefined();
  });

  test("has the requested depth, and keeps the text below it byte for byte", () => {
    const inner = part.members?.get("a")?.members;
    expect(inner?.get("b2")?.isNull).toBe(true);
    expect(inner?.get("b")?.items?.map((item) => item.text)).toEqual(["12345678901234567890", '"ü"', '{"c":1}']);
    expect(inner?.get("b")?.items?.[2]?.members).toBeUndefined();
  });

  test("has the depth of each value", () => {
    expect([part.depth, part.members?.get("x")?.depth, part.members?.get("a")?.depth]).toEqual([4, 0, 3]);
    expect(JsonPart.object(part.members ?? new Map()).depth).toBe(4);
  });

  test("of an array of objects has their members", () => {
    const items = outline('[{"k":1},[2],3]').items ?? [];
    expect(items.map(({ kind }) => kind)).toEqual(["object", "array", "number"]);
    expect(items[0]?.members?.get("k")?.text).toBe("1");
  });

  test("can be converted to an object with some of its members", () => {
    const members = new Map([...(part.members ?? [])].filter(([key]) => key !== "a"));
    expect(JsonPart.object(members).text).toBe('{"x":-1.5,"n":"\\u0041"}');
    expect(JsonPart.object(new Map()).text).toBe("{}");
  });
});

test.each([
  ["nesting", "[".repeat(1_000_000), "too_deep"],
  ["values", `[${"0,".repeat(1_000_000)}0]`, "too_many_values"],
  [
    "keys of an outlined object",
    `{${Array.from({ length: 10_002 }, (_, key) => `"${key}":1`).join(",")}}`,
    "too_many_values",
  ],
  ["keys", `{${'"a":1,'.repeat(100_000)}"a":1}`, "too_many_values"],
  ["a long key", `{"${"k".repeat(10_000)}":1}`, "key_too_long"],
])("%s beyond the bound is refused", (_name, text, kind) => {
  expect(refusalOf(text)).toBe(kind);
});

test("the first items of an outlined array are kept", () => {
  expect(outline(`[${"0,".repeat(20_000)}0]`).items?.length).toBe(outlinedMax);
});

test("time grows linearly with the text", () => {
  const shapes = ['{"a":', "[", '"\\u0041', '"\\\\', "0,", '{"', " ", "[[],", "1"];
  for (const shape of shapes) {
    const time = (size: number) => {
      const text = shape.repeat(Math.ceil(size / shape.length));
      const startedAt = performance.now();
      refusalOf(`[${text}`);
      return performance.now() - startedAt;
    };
    time(1_000_000);
    expect(time(8_000_000)).toBeLessThan(1_000);
  }
});
