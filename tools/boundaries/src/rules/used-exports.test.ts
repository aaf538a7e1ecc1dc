import { expect, test } from "vitest";
import { breachesOf, manifest } from "../testing/in-memory-repository.ts";

const path = "packages/clock/src/a.ts";
const clock = {
  "packages/clock/package.json": manifest("@x/clock", {
    exports: {
      ".": { source: "./src/index.ts", default: "./dist/index.js" },
      "./testing": { source: "./src/testing.ts" },
      "./icons/*": "./c",
    },
  }),
};

const unused = (text: string, others: Readonly<Record<string, string>> = {}) =>
  breachesOf("used-exports", { ...clock, [path]: text, ...others });

test.each([
  "export const a = 1;",
  "export function a() {}",
  "export function* a() {}",
  "export class a {}",
  "const b = 1;export { b as a };",
  "export const { x: a = 1 } = { x: 2 };",
  "export const [...a] = [1];",
  `export { a } from "./b.ts";`,
])("a value that no other file imports is reported: %s", (text) => {
  expect(unused(text)).toEqual([`${path}:1 exports a, which no other file imports`]);
});

test.each(["export type a = 1;", "export interface a {}", "type b = 1;export { type b as a };", "const a = 1;", ""])(
  "a type or a value that is not exported is not reported: %s",
  (text) => {
    expect(unused(text)).toEqual([]);
  },
);

test.each([
  [`import { a } from "./a.ts";`],
  [`import { a as b } from "./a.ts";`],
  [`import type { a } from "./a.ts";`],
  [`import { type a } from "./a.ts";`],
  [`import * as all from "./a.ts";`],
  [`await import("./a.ts");`],
  [`new URL("./a.ts", import.meta.url);`],
  [`taskModule(import.meta.url, "./a");`],
])("a value is used by %s", (text) => {
  expect(unused("export class a {}", { "packages/clock/src/a.test.ts": text })).toEqual([]);
});

test("an import of other names uses none", () => {
  expect(unused("export class a {}", { "packages/clock/src/b.ts": `import { b } from "./a.ts";` })).toEqual([
    `${path}:1 exports a, which no other file imports`,
  ]);
});

test("a value of an entry point is used by another workspace, through that entry point alone", () => {
  const entries = {
    "packages/clock/src/index.ts": `export { a } from "./a.ts";`,
    "packages/clock/src/testing.ts": "export const a = 1;",
  };
  const user = (specifier: string) => ({ "services/chat/src/b.ts": `import { a } from "${specifier}";` });
  const breach = (file: string) => `packages/clock/src/${file}:1 exports a, which no other file imports`;
  expect(unused("export const a = 1;", entries)).toEqual([breach("index.ts"), breach("testing.ts")]);
  expect(unused("export const a = 1;", { ...entries, ...user("@x/clock") })).toEqual([breach("testing.ts")]);
  expect(unused("export const a = 1;", { ...entries, ...user("@x/clock/testing") })).toEqual([breach("index.ts")]);
});

test("a file outside src may have the exports that its tool requires", () => {
  expect(
    breachesOf("used-exports", { ...clock, "packages/clock/vitest.setup.ts": "export function setup() {}" }),
  ).toEqual([]);
});
