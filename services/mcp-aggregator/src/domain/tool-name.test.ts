import { expect, test } from "vitest";
import { checkPrefix, joinToolName, splitToolName } from "./tool-name.ts";

test.each(["a", "A9", "a-b", "a_b", "-a", "_a", "x".repeat(24)])("%s is a prefix", (prefix) => {
  expect(() => checkPrefix(prefix)).not.toThrow();
  for (const name of ["echo", "_echo", "a__b", "__", "-"]) {
    expect(splitToolName(joinToolName(prefix, name))).toEqual({ prefix, rest: name });
  }
});

test.each(["", "_", "a_", "a__b", "__a", "a b", "a.b", "ü", "x".repeat(25)])(
  "%o is no prefix, and the rule is named",
  (prefix) => {
    expect(() => checkPrefix(prefix)).toThrow('Use 1 to 24 letters, digits, "-" and "_"');
  },
);

test.each(["echo", "", "__echo", "a__", "a_b"])("%o has no prefix", (name) => {
  expect(splitToolName(name)).toBeUndefined();
});
