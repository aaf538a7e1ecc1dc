import { expect, test } from "vitest";
import { cutText } from "./delivery.ts";

test("a text is cut at a bound of bytes, never inside a character", () => {
  expect(cutText("abc", 3)).toEqual({ text: "abc", truncated: false });
  expect(cutText("abcd", 3)).toEqual({ text: "abc", truncated: true });
  expect(cutText("aé", 2)).toEqual({ text: "a", truncated: true });
  expect(cutText("a😀b", 5)).toEqual({ text: "a😀", truncated: true });
});
