import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeJsonBytesInSteps } from "./encode-json.ts";
import { parseJsonInSteps } from "./parse-json.ts";
import { type KeptRun, WrittenStrings } from "./written-strings.ts";

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

test("a changed string is written as by JSON.stringify, whatever is said to be kept", () => {
  const change = fc.record({
    at: fc.nat(300),
    cut: fc.nat(30),
    label: fc.constantFrom("[E-Mail]", "", "–\ud800", '"'),
  });
  fc.assert(
    fc.property(inside, fc.array(change, { maxLength: 3 }), fc.nat(5), (string, changes, lie) => {
      const { value, written } = parse(`"${string}${"as it came ".repeat(10)}"`);
      const text = value as string;
      const runs: KeptRun[] = [];
      let changed = "";
      let from = 0;
      for (const { at, cut, label } of changes.toSorted((one, other) => one.at - other.at)) {
        if (at < from || at > text.length) continue;
        runs.push({ from, to: changed.length + (lie === 1 ? 1 : 0), length: at - from });
        changed += text.slice(from, at) + label;
        from = Math.min(text.length, at + cut);
      }
      runs.push({ from, to: changed.length, length: text.length - from });
      changed += text.slice(from);
      written.addChanged(text, changed, runs);
      const bytes = run(encodeJsonBytesInSteps([changed], { pieceLength, written }));
      expect(bytes.toString()).toBe(JSON.stringify([changed]));
    }),
    { numRuns: 3_000 },
  );
});

test("pieces without a change keep their bytes", () => {
  const text = "as it came – ".repeat(50);
  const { written } = parse(JSON.stringify(text));
  const changed = `${text.slice(0, 300)}[E-Mail]${text.slice(320)}`;
  const runs = [
    { from: 0, to: 0, length: 300 },
    { from: 320, to: 308, length: text.length - 320 },
  ];
  written.addChanged(text, changed, runs);
  const kept = written.partsOf(changed)?.filter((part) => typeof part !== "string") ?? [];
  expect(Buffer.concat(kept).length).toBeGreaterThan(Buffer.byteLength(text) - 80);
});
