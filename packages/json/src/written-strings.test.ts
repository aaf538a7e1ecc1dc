import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeJsonBytesInSteps } from "./encode-json.ts";
import { parseJsonInSteps } from "./parse-json.ts";
import { WrittenStrings } from "./written-strings.ts";

const pieceLength = 16;

function parse(json: string): { readonly value: unknown; readonly written: WrittenStrings } {
  const written = new WrittenStrings();
  return { value: run(parseJsonInSteps(Buffer.from(json), { pieceLength, written, keys: "any" })), written };
}

function run<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

test("a long string is kept with its bytes", () => {
  const text = 'Grüße – "and" more\n\t\b\f\r\\ \u2028\u007f';
  const { value, written } = parse(JSON.stringify({ text }));
  expect(value).toEqual({ text });
  expect(written.find(text)?.json.toString()).toBe(JSON.stringify(text));
  expect(written.find(text)?.textBytes).toBe(Buffer.byteLength(text));
});

test.each(["\\u0041", "\\u2013", "\\/", "\\u000a", "\\\\u0041"])(
  "a string with %s, which JSON.stringify may write differently, is not kept",
  (escape) => {
    const json = `"${"long ".repeat(10)}${escape}"`;
    const { value, written } = parse(json);
    expect(value).toBe(JSON.parse(json));
    expect(written.find(value as string)).toBeUndefined();
  },
);

test("few strings are kept", () => {
  const texts = Array.from({ length: 100 }, (_, at) => `${"long ".repeat(10)}${at}`);
  const { written } = parse(JSON.stringify(texts));
  expect(texts.filter((text) => written.find(text) !== undefined)).toHaveLength(8);
});

/** Texts and escapes of every kind, in JSON. */
const inside = fc
  .array(
    fc.oneof(
      fc.constantFrom("a", "é", "–", "\u{1f600}", "\\n", '\\"', "\\\\", "\\/", "\\u0041", "\\u2013", "\\ud83d\\ude00"),
      fc.constantFrom("\\ud83d", "\\u0000", "\\t", "\\b", "\\f", "\\r", "\u007f", "\u2028", " \ufeff", "\\\\u0041"),
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(""));

test("a value is written as without what was kept", () => {
  fc.assert(
    fc.property(fc.array(inside, { maxLength: 3 }), (strings) => {
      const { value, written } = parse(`{"a":[${strings.map((string) => `"${string}"`).join(",")}]}`);
      const bytes = run(encodeJsonBytesInSteps(value, { pieceLength, written }));
      expect(bytes.toString()).toBe(JSON.stringify(value));
      for (const text of (value as { readonly a: readonly string[] }).a) {
        const found = written.find(text);
        if (found === undefined) continue;
        expect(found.textBytes).toBe(Buffer.byteLength(text));
        expect(text.isWellFormed()).toBe(true);
      }
    }),
    { numRuns: 2_000 },
  );
});
