import { expect, test } from "vitest";
import { visibleName } from "./visible-name.ts";

test.each([
  ["Web shop", "Web shop"],
  ["\u200B", "[U+200B]"],
  ["\u2800\u3164", "[U+2800][U+3164]"],
  ["abc\u202Egnp.exe", "abc[U+202E]gnp.exe"],
  ["می\u200Cخواهم", "می\u200Cخواهم"],
  ["👩\u200D💻", "👩\u200D💻"],
])("%j is shown as %j", (name, shown) => {
  expect(visibleName(name)).toBe(shown);
});
