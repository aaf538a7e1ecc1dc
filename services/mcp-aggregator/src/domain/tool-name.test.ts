import { expect, test } from "vitest";
import { joinToolName, prefixLengthMax, prefixPattern, splitToolName } from "./tool-name.ts";

const isPrefix = (text: string) => prefixPattern.test(text) && text.length <= prefixLengthMax;

test.each(["a", "A9", "a-b", "a_b", "-a", "_a", "x".repeat(24)])("%s is a prefix", (prefix) => {
  expect(isPrefix(prefix)).toBe(true);
  for (const name of ["echo", "_echo", "a__b", "__", "-"]) {
    expect(splitToolName(joinToolName(prefix, name))).toEqual({ prefix, rest: name });
  }
});

test.each(["", "_", "a_", "a__b", "__a", "a b", "a.b", "ü", "x".repeat(25)])("%o is not a prefix", (text) => {
  expect(isPrefix(text)).toBe(false);
});

test.each(["echo", "", "__echo", "a__", "a_b"])("%o has no prefix", (name) => {
  expect(splitToolName(name)).toBeUndefined();
});
