import { expect, test } from "vitest";
import { codeOf, hasCode } from "./system-error-code.ts";

const missing = Object.assign(new Error("no such file"), { code: "ENOENT" });

test("a system error is recognised by its code", () => {
  expect(codeOf(missing)).toBe("ENOENT");
  expect(hasCode(missing, "ENOENT")).toBe(true);
  expect(hasCode(missing, "EEXIST")).toBe(false);
});

test.each([
  [new Error("plain")],
  [Object.assign(new Error("numbered"), { code: 5 })],
  [{ code: "ENOENT" }],
  [undefined],
])("%j has no code", (err: unknown) => expect(codeOf(err)).toBeUndefined());
