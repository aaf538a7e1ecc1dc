import { expect, test } from "vitest";
import { isMediaType, token, invalidInFieldValue, trimFieldValue } from "./index.ts";

test("a name is a token", () => {
  for (const name of ["a", "X-Request-Id", "!#$%&'*+.^_`|~9"]) expect(token.test(name)).toBe(true);
  for (const name of ["", "a b", "a:", "\u00e9", "a\n"]) expect(token.test(name)).toBe(false);
});

test("a value has no control characters but tabs", () => {
  for (const value of ["", "a\tb", "\u00e9\u0080"]) expect(invalidInFieldValue.test(value)).toBe(false);
  for (const value of ["a\r", "a\nb", "\u0000", "\u007f", "\u0100"]) expect(invalidInFieldValue.test(value)).toBe(true);
});

test("a value is trimmed within its range", () => {
  expect(trimFieldValue("a: \t b c\t ;", 2, 9)).toBe("b c");
  expect(trimFieldValue("a: \t ;", 2, 5)).toBe("");
});

test("a media type is recognised in any case and with any parameters", () => {
  for (const given of [
    "text/event-stream",
    "Text/Event-Stream",
    "TEXT/EVENT-STREAM;charset=UTF-8",
    " text/event-stream , x",
  ]) {
    expect(isMediaType(given, "text/event-stream")).toBe(true);
  }
  for (const given of [undefined, "", ";", "text/event-streams", "text/plain; text/event-stream", "text"]) {
    expect(isMediaType(given, "text/event-stream")).toBe(false);
  }
});
