import { expect, test } from "vitest";
import { extractProgram } from "./embedded-program.ts";

test("a program embedded in a module as text becomes a file", () => {
  const { bytes, code } = extractProgram('const wasm = "AGFzbQE=";\nexport { wasm }\n', "a.wasm");
  expect([...bytes]).toEqual([0, 0x61, 0x73, 0x6d, 1]);
  expect(code).toContain('"./a.wasm"');
});

test("a module of another form is refused", () => {
  expect(() => extractProgram('export const program = "AGFzbQE=";', "a.wasm")).toThrow(/another form/);
});
