import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeUtf8 } from "./encode-utf8.ts";

test("a well-formed text of any units has the bytes that Node writes", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 100 }), fc.nat(9), (text, times) => {
      const long = `${text}\u{1f600}é–a`.repeat(times);
      expect(encodeUtf8(long)?.equals(Buffer.from(long))).toBe(true);
    }),
  );
});

test.each(["\ud800", "a\udc00", "\udc00\ud800", `${"–".repeat(1_000)}\ud83d`])(
  "a text with a lone surrogate has no bytes",
  (text) => {
    expect(encodeUtf8(text)).toBeUndefined();
  },
);
