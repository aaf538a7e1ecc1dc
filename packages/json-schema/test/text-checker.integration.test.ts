import { afterEach, expect, test } from "vitest";
import {
  compileSchema,
  createTextChecker,
  proveSchema,
  type TextChecker,
  tooMuchWork,
  violationsOf,
  violationsOfText,
} from "../src/index.ts";

let checker: TextChecker | undefined;
afterEach(() => checker?.close());

const scope = { tenant: "p" };

function open(deadlineMs?: number): TextChecker {
  checker = createTextChecker(deadlineMs);
  return checker;
}

const saved = (source: Record<string, unknown>) => ({ source, field: "input_schema" });

test("a text is checked as its value would be in this process", async () => {
  const { check } = open();
  const schema = saved({ properties: { a: { type: "string" } }, required: ["b"] });
  expect(await check(schema, '{"a":1}', scope)).toMatchObject({
    kind: "checked",
    violations: [{ text: "/ must have required property 'b'" }, { text: "/a must be string" }],
  });
  expect(await check(schema, '{"b":1}', scope)).toEqual({ kind: "checked", violations: [] });
  for (const text of ["no JSON", "[".repeat(200_000), '{"b":1'])
    expect(await check(schema, text, scope)).toEqual({ kind: "not_json" });
});

test.each([
  [
    "keys",
    `{${Array.from({ length: 10_001 }, (_, at) => `"k${at}":1`).join()}}`,
    "hold more than 10000 keys in one object",
  ],
  ["values", `[${"1,".repeat(400_000)}1]`, "hold more than 400000 values"],
  ["levels", "[".repeat(129) + "]".repeat(129), "be nested more than 128 levels deep"],
])("text of more %s than a request may have is a violation", async (_what, text, problem) => {
  const { check } = open();
  expect(await check(saved({}), text, scope)).toMatchObject({
    kind: "checked",
    violations: [{ text: `/ must not ${problem}` }],
  });
});

test("text with the same key twice is a violation, since another parser may read the unchecked one", async () => {
  const { check } = open();
  const schema = { properties: { a: { type: "number" } } };
  const twice = { text: "/ must not have the same key twice in one object" };
  const text = '{"a":"x","a":1}';
  expect(await check(saved(schema), text, scope)).toMatchObject({ kind: "checked", violations: [twice] });
  const here = await violationsOfText(compileSchema(schema, "output_schema"), text, async () => await unasked());
  expect(here).toMatchObject([twice]);
});

async function unasked(): Promise<never> {
  return await Promise.reject(new Error("A short text is checked here."));
}

test("a large value goes to the thread, and the event loop runs meanwhile", async () => {
  const { check } = open();
  const schema = compileSchema({ properties: { m: { pattern: "^(a+)+$" } } }, "input_schema");
  const value = { m: "a".repeat(1_000_000) };
  let turns = 0;
  const turn = setInterval(() => (turns += 1), 1);
  const violations = violationsOf(schema, value, async (text) => await check(schema, text, scope));
  expect(violations).toBeInstanceOf(Promise);
  expect(await violations).toEqual([]);
  clearInterval(turn);
  expect(turns).toBeGreaterThan(5);
});

test("a check that does not finish is ended, and the value refused", async () => {
  const { check } = open(1_000);
  const next = { properties: { next: { $ref: "#" } } };
  const schema = compileSchema({ oneOf: [next, { ...next, minProperties: 0 }] }, "input_schema");
  let value: unknown = {};
  for (let depth = 0; depth < 100; depth += 1) value = { next: value };
  expect(await violationsOf(schema, value, async (text) => await check(schema, text, scope))).toEqual(tooMuchWork);
  expect(await check(saved({}), "1", scope)).toEqual({ kind: "checked", violations: [] });
});

test("a check of more work than its bound is ended without waiting for the deadline", async () => {
  const { check } = open(60_000);
  // Each limit makes the check count the characters, since two UTF-16 units may be one.
  const value = "😀".repeat(1_000_000);
  const schema = { allOf: Array.from({ length: 200 }, (_, at) => ({ maxLength: 1_500_000 + at })) };
  expect(await check(saved(schema), JSON.stringify(value), scope)).toEqual({ kind: "unfinished" });
});

const wide = (count: number, pattern: string) => ({
  properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, { pattern }])),
});

test("a schema of many parts is proven on the thread before it is saved", async () => {
  const { check } = open();
  const schema = { source: wide(900, "^a"), field: "output_schema" };
  await expect(proveSchema(schema, check, scope)).resolves.toBeUndefined();
  await expect(proveSchema(saved(wide(900, "^(?=a)")), check, scope)).rejects.toMatchObject({
    code: "invalid_argument",
    message: expect.stringContaining("input_schema is not a usable JSON schema"),
  });
});
