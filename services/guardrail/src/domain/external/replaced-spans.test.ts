import { expect, test } from "vitest";
import { maskedSpansMax } from "../policy/verdict.ts";
import { replacedSpans } from "./replaced-spans.ts";

const span = (textIndex: number, start: number, end: number, label: string) => {
  return { textIndex, start, end, label, isVerbatim: true };
};

test("each line has its own replacement where the number of lines stays", () => {
  expect(replacedSpans(["same", "pet\ndog\nname\nother\ndogs"], ["same", "pet\nDOG\nname\nother\nDOGs"])).toEqual([
    span(1, 4, 7, "DOG"),
    span(1, 19, 22, "DOG"),
  ]);
});

test("a text with another number of lines has one replacement", () => {
  expect(replacedSpans(["pet\ndog\nx"], ["pet\nbig\ndog\nx"])).toEqual([span(0, 4, 4, "big\n")]);
  expect(replacedSpans(["pet\ndog\nx"], ["cat"])).toEqual([span(0, 0, 9, "cat")]);
});

test("texts with too many replacements have one each", () => {
  const before = "a\n".repeat(maskedSpansMax);
  const after = "b\n".repeat(maskedSpansMax);
  const spans = replacedSpans(["x", before, "a\na"], ["y", after, "b\nb"]);
  expect(spans).toEqual([
    span(0, 0, 1, "y"),
    span(1, 0, before.length - 1, after.slice(0, -1)),
    span(2, 0, 1, "b"),
    span(2, 2, 3, "b"),
  ]);
});
