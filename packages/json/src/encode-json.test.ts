import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeJsonBody, encodeJsonBytesInSteps, encodeJsonInSteps } from "./encode-json.ts";

function encode(value: unknown, pieceLength?: number): { readonly text: string; readonly steps: number } {
  const text = runAll(encodeJsonInSteps(value, pieceLength));
  const bytes = runAll(encodeJsonBytesInSteps(value, { pieceLength }));
  expect(bytes.result.toString()).toBe(text.result);
  expect(bytes.steps).toBe(text.steps);
  return { text: text.result, steps: text.steps };
}

function runAll<Result>(steps: Generator<void, Result>): { readonly result: Result; readonly steps: number } {
  for (let count = 0; ; count += 1) {
    const { done, value } = steps.next();
    if (done === true) return { result: value, steps: count };
  }
}

test("a body is a text where it is small, and bytes where it is large", async () => {
  expect(encodeJsonBody({ a: "ä" })).toBe('{"a":"ä"}');
  const large = { a: "ä\u{1f600}".repeat(50_000) };
  const body = await encodeJsonBody(large);
  expect(Buffer.isBuffer(body)).toBe(true);
  expect(body.toString()).toBe(JSON.stringify(large));
});

test("any value is written as by JSON.stringify, in pieces of any length", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 2, max: 40 }), (value, pieceLength) => {
      expect(encode(value, pieceLength).text).toBe(JSON.stringify(value));
    }),
    { numRuns: 1_000 },
  );
});

test.each<[string, unknown]>([
  ["many items", Array.from({ length: 5_000 }, (_, at) => at)],
  ["many members", Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`k"${at}`, `\u0001${at}`]))],
  ["a long string of escapes", 'a"\\\n\u{1f600}\ud800'.repeat(3_000)],
  ["large among small", [1, "x".repeat(9_000), 2, { a: undefined, b: ["y".repeat(9_000), null], c: [] }, 3]],
  ["deep values", Array.from({ length: 100 }).reduce((inner) => [inner, "z".repeat(100)], 1)],
  ["empty ones", [[], {}, "", null, undefined, "w".repeat(9_000)]],
])("%s are written in many steps", (_name, value) => {
  const { text, steps } = encode(value, 512);
  expect(text).toBe(JSON.stringify(value));
  expect(steps).toBeGreaterThan(10);
});

test("surrogate pairs are not split", () => {
  const text = "\u{1f600}".repeat(500);
  for (const length of [2, 3, 7, 64]) expect(encode(text, length).text).toBe(JSON.stringify(text));
});
