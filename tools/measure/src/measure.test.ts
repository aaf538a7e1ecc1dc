import { expect, test } from "vitest";
import { countDuplicatedLines } from "./duplicates.ts";
import { describeTree } from "./figures.ts";
import { readLineComments } from "./line-comments.ts";
import { countRepeatedDefinitions } from "./repeated-definitions.ts";
import { readSource } from "./source.ts";
import { countByFolder, findWords, findWordsOfPage, findWordsOfTexts, judgeWords } from "./words.ts";

const text = `/** What opens. */
export interface HatOptions {}
// A line
// that nobody wrote anew.
const quoted = "whoever";
export function put() {
${"  quoted.length;\n".repeat(60)}}
`;

test("comments are found with their words, code is not", () => {
  const source = readSource({ path: "packages/hats/src/hat.ts", text });
  expect(source.functionLengths).toEqual([62]);
  expect(findWords(source).map(({ line, word }) => [line, word])).toEqual([
    [1, "opens with What"],
    [3, "nobody"],
    [3, "anew"],
  ]);
});

test("texts of the product are found with their words, those of tests and of data, and names, are not", () => {
  const hat = 'const hat = ["Nobody has a hat.", "nobody"];\nconst text = `${hat} tried in vain`;\n';
  const uses = (path: string) =>
    findWordsOfTexts(readSource({ path, text: hat })).map(({ line, word }) => [line, word]);
  expect(uses("packages/hats/src/hat.ts")).toEqual([
    [1, "nobody"],
    [2, "in vain"],
  ]);
  expect(uses("packages/hats/test/hat.integration.test.ts")).toEqual([]);
  expect(uses("services/guardrail/src/domain/injection/lexicon.ts")).toEqual([]);
});

test("a comment that opens without its noun is found", () => {
  const lines = [
    "/** Of a hat. */",
    "const a = 1;",
    "/** And of a cap. */",
    "const b = 2;",
    "/** Worn by somebody. */",
    "const c = 3;",
    "/** The same in felt. */",
    "const d = 4;",
    "/** Those with a brim. */",
    "const e = 5;",
    "/** Also worn at home. */",
  ];
  const source = readSource({ path: "packages/hats/src/hat.ts", text: lines.join("\n") });
  expect(findWords(source).map(({ word }) => word)).toEqual([
    "opens with Of",
    "opens with And",
    "somebody",
    "opens with The same",
    "opens with Those",
    "opens with Also",
  ]);
});

test("a comment with an idiom instead of a reason is reported", () => {
  const lines = [
    "// Asked in vain.",
    "const a = 1;",
    "// A number that is none.",
    "const b = 2;",
    "// The one whose word counts.",
  ];
  const source = readSource({ path: "packages/hats/src/hat.ts", text: lines.join("\n") });
  expect(findWords(source).map(({ word }) => word)).toEqual(["in vain", "that is none", "whose word"]);
});

test("a comment that refers to a document which the repository does not have is found", () => {
  const source = readSource({
    path: "packages/hats/src/hat.ts",
    text: '/** Sizes (decisions: "Hats"). */\nconst size = 1;\n',
  });
  expect(findWords(source).map(({ word }) => word)).toEqual(["a document that is not here"]);
});

test.each([
  [
    "proto/hats/v1/hat.proto",
    ["// What opens.", 'string hat = 1 [json_name = "// nobody"]; // Sold anew.', "// Of felt."],
  ],
  [
    "services/hats/prisma/schema.prisma",
    ["/// What opens.", '  url String @default("a // nobody") /// Sold anew.', "  /// Of felt."],
  ],
  ["deploy/hats.yml", ["# What opens.", `hat: "a # nobody" # Sold anew.`, "# Of felt."]],
  ["deploy/hats.yaml", ["# What opens.", `hat: 'a # nobody' # Sold anew.`, "# Of felt."]],
])("comments of %s are found with their words, quoted values are not", (path, [first = "", ...others]) => {
  const source = readLineComments({ path, text: [first, "", ...others].join("\n") });
  expect(source.comments.map(({ text: comment, line }) => [line, comment])).toEqual([
    [1, "What opens."],
    [3, "Sold anew. Of felt."],
  ]);
  expect(findWords(source).map(({ line, word }) => [line, word])).toEqual([
    [1, "opens with What"],
    [3, "anew"],
  ]);
});

test("a mark inside a word, and a released migration, have no comments", () => {
  const url = "url: https://hats.example/nobody#nobody\nhat: the hatter's # anew, the hatter's\n";
  expect(findWords(readLineComments({ path: "deploy/hats.yml", text: url })).map(({ word }) => word)).toEqual(["anew"]);
  const migration = { path: "services/hats/prisma/migrations/1/migration.sql", text: "-- What opens.\n// What opens." };
  expect(readLineComments(migration).comments).toEqual([]);
});

test("lines of a page are found with their words, code and words that are spoken of are not", () => {
  const page =
    "Whoever reads it.\n```\nnobody\n```\nNot *anew*, nor `nobody`; nobody, though.\nAs it was told.\nWhat it was.";
  const uses = findWordsOfPage({ path: "docs/hats.md", text: page });
  expect(uses.map(({ line, word }) => [line, word])).toEqual([
    [1, "whoever"],
    [5, "nobody"],
    [6, "told"],
  ]);
});

test("a folder may have as many as are allowed, and the numbers only fall", () => {
  const found = countByFolder([{ path: "packages/a/x.ts" }, { path: "packages/a/y.ts" }, { path: "tools/b/src/z.ts" }]);
  expect(judgeWords(found, { "packages/a": 5, "tools/b": 0, "tools/gone": 1, "*": 1 })).toEqual({
    over: ["tools/b"],
    lowered: { "packages/a": 2, "tools/b": 0, "tools/gone": 0, "*": 0 },
  });
  expect(judgeWords(found, { "packages/a": 2, "*": 1 }).over).toEqual([]);
  expect(judgeWords(found, { "packages/a": 2, "*": 0 }).over).toEqual(["tools/b"]);
});

test("lines that stand twice are counted once, from eight in a row on", () => {
  const lines = Array.from({ length: 9 }, (_, index) => `call(${index});`);
  expect(countDuplicatedLines([{ lines }, { lines: ["", ...lines, "other();"] }])).toBe(9);
  expect(countDuplicatedLines([{ lines: lines.slice(0, 7) }, { lines: lines.slice(0, 7) }])).toBe(0);
  const imports = ["import {", ...Array.from({ length: 8 }, (_, index) => `  name${index},`), '} from "./a.ts";'];
  expect(countDuplicatedLines([{ lines: imports }, { lines: [...imports, ...lines] }])).toBe(0);
});

test("the figures name the files that know an example", () => {
  const field = { path: "services/chat/src/admin/endpoint.ts", text: "const first_token_timeout_ms = 1;\n" };
  const lines = describeTree([field, { path: "docs/commands.md", text: "--first-token-timeout-ms" }]);
  expect(lines.slice(0, 2)).toEqual([
    "files for the endpoint field first_token_timeout_ms: 1, besides 1 generated, 0 of tests and docs",
    "  services/chat/src/admin/endpoint.ts",
  ]);
});

test("a delay in a loop with a condition is not counted with one that waits for nothing", () => {
  const lines = [
    "while (!isThere()) await delay(5);",
    "for (const end = now() + 10; now() < end; await delay(1)) look();",
    "for (let round = 0; round < 3; round++) {",
    "  await delay(600);",
    "}",
    "await delay(later);",
    "setTimeout(() => socket.destroy(), 20);",
    '["setTimeout(() => {}, 5);", "a text"],',
    'await lapse(5, "nothing happens");',
    "const calmMs = 5 * 100;",
    "await delay(calmMs);",
    "const timer = setTimeout(() => reject(new Error()), calmMs);",
    'await lapse(calmMs, "nothing happens");',
  ];
  const figures = describeTree([{ path: "services/hats/test/hat.test.ts", text: lines.join("\n") }]);
  expect(figures).toContain(
    "fixed delays in tests: 3, besides 2 between the rounds of loops with a condition and 2 with a reason",
  );
});

test("exports are counted with and without a doc comment, and a file that no other imports is an entry point", () => {
  const hats =
    "/** Put on. */\nexport const hat = 1;\n\nexport interface Brim {}\n\n// Not a doc comment.\nexport function put() {}\n";
  const figures = describeTree([
    { path: "packages/hats/src/hat.ts", text: hats },
    { path: "packages/hats/src/wear.ts", text: 'import { hat } from "./hat.ts";\nconst worn = hat;\n' },
  ]);
  expect(figures).toContain("exports without a doc comment: 2 of 3 (67 %)");
  expect(figures).toContain("files of at most 15 lines: 2, of which 1 are entry points");
});

test("a definition repeated under another name is counted, and a different one is not", () => {
  const wear = (name: string, how: string) =>
    `export function ${name}(hat: string): string {\n  return ${how}.repeat(hat.length);\n}\nconst size = 7;\n`;
  const form = (name: string) => `const ${name} = /^[a-z]+ hat of [0-9]+ inches$/u;\n`;
  const files = [wear("wear", '"a"') + form("hatForm"), wear("putOn", '"a"') + form("form"), wear("wear", '"b"')];
  expect(countRepeatedDefinitions(files.map((text) => ({ text })))).toBe(2);
});
