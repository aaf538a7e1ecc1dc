import { notJson } from "@gatehouse/json";
import fc from "fast-check";
import { expect, test } from "vitest";
import { loadModel } from "../../model-file.ts";
import { compilePolicyWith } from "../policy/compile-given-policy.ts";
import { inspect } from "../policy/inspect.ts";
import { type PieceOfJson, readJsonEscapes } from "./json-escapes.ts";
import { plainReading, readingText, toSourceSpan } from "./reading.ts";

const masking = compilePolicyWith(
  {
    pii: { mode: "mask" },
    secrets: { mode: "mask" },
    patterns: [{ name: "own", pattern: "(?m)^own: .+$", mode: "mask" }],
  },
  loadModel(),
);

function masked(text: string): string {
  const { maskedTexts } = inspect(masking, { side: "input", texts: [{ role: "user", text }] });
  return maskedTexts?.[0] ?? text;
}

function read(text: string, piece?: PieceOfJson): string {
  return readingText(readJsonEscapes(plainReading(text), piece));
}

test.each([
  ["blanks", String.raw`{"a":"x\ny\r\n\tz"}`, '{"a":"x\ny\r\n\tz"}'],
  ["a slash", String.raw`{"a":"http:\/\/b"}`, '{"a":"http://b"}'],
  ["a name", String.raw`{"\ta":1}`, '{"\ta":1}'],
  ["a list of strings", String.raw`["\n"]`, '["\n"]'],
  ["a text that is cut", String.raw`{"a":"x\ny\n`, '{"a":"x\ny\n'],
  ["a text that is cut inside an escape", '{"a":"x\\ny\\', '{"a":"x\ny\\'],
  ["several values", '{"a":"\\n"}\n{"a":"\\n"}', '{"a":"\n"}\n{"a":"\n"}'],
  ["the part of a text that is JSON", String.raw`{"a":"\n"} C:\new`, `{"a":"\n"} C:\\new`],
])("escapes of %s are read", (_, text, expected) => {
  expect(read(text)).toBe(expected);
});

test.each([
  ["a path", String.raw`C:\new\table`],
  ["code", String.raw`print("a\nb")`],
  ["a list in prose", String.raw`[1] see C:\new`],
  ["an object of code", String.raw`{a: "C:\new"}`],
  ["a backslash in a string", String.raw`{"path":"C:\\new\\table"}`],
  ["a quotation mark in a string", String.raw`{"a":"the \"new\" one"}`],
])("nothing is read in %s", (_, text) => {
  const sent = plainReading(text);
  expect(readJsonEscapes(sent)).toBe(sent);
});

test("a unit that an escape stands for has the place of the escape", () => {
  const reading = readJsonEscapes(plainReading(String.raw`{"a":"x\ny"}`));
  const at = readingText(reading).indexOf("\n");
  expect(toSourceSpan(reading, at, at + 1)).toEqual({ start: 7, end: 9 });
  expect(toSourceSpan(reading, at - 1, at + 2)).toEqual({ start: 6, end: 10 });
});

test("a piece of a stream is read by its place in the text's JSON, with what stands before it", () => {
  const text = String.raw`shown\nbefore and\n`;
  expect(read(text, { at: 14, place: '}"' })).toBe("shown\nbefore and\n");
  expect(read(text, { at: 14, place: notJson })).toBe(text);
  expect(read(String.raw`x\n"} C:\new`, { at: 2, place: "}\\" })).toBe('x\n"} C:\\new');
});

const values = fc.constantFrom(
  "DE89370400440532013000",
  "GB82 WEST 1234 5698 7654 32",
  "card 4111\n1111\n1111\n1111",
  "IBAN DE89 3704 0044\n0532 0130 00",
  "+1 415 555 2671",
  "2001:db8::7",
  "ana@example.org",
  "ana [at] example [dot] org",
  "ana_silva at example dot org",
  ["gh", "p_", "a1B2".repeat(9)].join(""),
  "Bearer abcDEF123456ghiJKL789mnoPQR012stu",
  "docker login -u me -p Hunter2Secret9",
  "my password is Hunter2Secret9",
  "password=Hunter2Secret9",
  "api_key: abcDEF123456ghiJKL789mno",
  "https://user:Hunter2Secret9@host.example/x",
  "own: word",
  "see a/b or c",
);
const blanks = fc.constantFrom("\n", "\r\n", "\t", "\n\n\t", " ");

test("a string of JSON is masked as its text is, whatever blanks stand before its values", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(blanks, values), { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      (parts, hasSlashes) => {
        const text = parts.flat().join("");
        const json = JSON.stringify({ note: text });
        const sent = hasSlashes ? json.replaceAll("/", String.raw`\/`) : json;
        expect(JSON.parse(masked(sent))).toEqual({ note: masked(text) });
      },
    ),
    { seed: 11, numRuns: 500 },
  );
});
