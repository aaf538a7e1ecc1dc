import fc from "fast-check";
import { expect, test } from "vitest";
import { codePointCount } from "./code-point-count.ts";

test("code points are counted as by the language, lone surrogates included", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom("a", "😀", "\ud83d", "\ude00", "\0")), (parts) => {
      const text = parts.join("");
      expect(codePointCount(text)).toBe(Array.from(text).length);
    }),
    { seed: 5 },
  );
});
