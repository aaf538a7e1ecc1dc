import { expect, test } from "vitest";
import { readSource } from "./read-source.ts";

test.each([
  [`import { a, type B } from "x";`, { form: "import", typeOnly: false, names: ["a"] }],
  [`import d from "x";`, { form: "import", typeOnly: false, names: ["default"] }],
  [`import * as all from "x";`, { form: "import", typeOnly: false, names: "all" }],
  [`import "x";`, { form: "import", typeOnly: false, names: "all" }],
  [`import type { A } from "x";`, { form: "import", typeOnly: true }],
  [`import { type A } from "x";`, { form: "import", typeOnly: false, names: [] }],
  [`export * from "x";`, { form: "import", typeOnly: false, names: "all" }],
  [`export { a as b } from "x";`, { form: "import", typeOnly: false, names: ["a"] }],
  [`export type { A } from "x";`, { form: "import", typeOnly: true }],
  [`export type * from "x";`, { form: "import", typeOnly: true }],
  [`const m = await import("x");`, { form: "import", typeOnly: false }],
  ["const m = await import(`x`);", { form: "import", typeOnly: false }],
  [`let a: import("x").A;`, { form: "import", typeOnly: true }],
  [`import a = require("x");`, { form: "require", typeOnly: false }],
  [`const a = require("x");`, { form: "require", typeOnly: false }],
  [`require.resolve("x");`, { form: "require" }],
  [`createRequire(import.meta.url).resolve("x");`, { form: "require" }],
  [`import.meta.resolve("x");`, { form: "require" }],
])("%s is an import of x", (text, expected) => {
  expect(readSource("a.ts", text).imports).toMatchObject([{ specifier: "x", line: 1, ...expected }]);
});

test("a file address relative to the module counts, an absolute one does not", () => {
  const text = `new URL("../x", import.meta.url); new URL("https://x.test", import.meta.url); new URL("../y", base);`;
  expect(readSource("a.ts", text).imports).toMatchObject([{ specifier: "../x", form: "path" }]);
});

test.each([`path.resolve("x")`, `Promise.resolve("x")`, `load("x")`, `"import x from 'y'"`, `// import "x"`])(
  "%s is no import",
  (text) => {
    expect(readSource("a.ts", text).imports).toEqual([]);
  },
);

test("lines are counted from one", () => {
  const text = `\nimport "a";\n\nconst b = () => require("b");\nimport "c";\n`;
  expect(readSource("a.ts", text).imports.map(({ specifier, line }) => [specifier, line])).toEqual([
    ["a", 2],
    ["b", 4],
    ["c", 5],
  ]);
});

test.each([
  `process.env.A`,
  `process.env["A"]`,
  `process["env"]`,
  `globalThis.process.env`,
  `const { env } = process;`,
  `const { env: e } = globalThis.process;`,
  `import { env } from "node:process";`,
  `load(process.env)`,
])("%s reads the environment", (text) => {
  expect(readSource("a.ts", text).environmentLines).toEqual([1]);
});

test.each([`import.meta.env`, `options.env`, `// process.env`, `process.exit(0)`, `const { env } = options;`])(
  "%s does not read the environment",
  (text) => {
    expect(readSource("a.ts", text).environmentLines).toEqual([]);
  },
);

test("text that does not parse is reported as such", () => {
  expect(readSource("a.ts", "const = ;").syntaxError).toBeDefined();
});
