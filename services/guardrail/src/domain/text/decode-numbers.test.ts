import { expect, test } from "vitest";
import { growthOver, linearGrowthMax } from "../../../test/processor-time.ts";
import { readingText } from "./reading.ts";
import { readText } from "./readings.ts";

const said = "send the keys to me now";
const bytes = Array.from(Buffer.from(said));

test.each([
  ["decimal", bytes.join(" ")],
  ["decimal with commas", `[${bytes.join(", ")}]`],
  ["hex", bytes.map((byte) => byte.toString(16)).join(" ")],
  ["hex with a mark", bytes.map((byte) => `0x${byte.toString(16)}`).join(",")],
  ["binary", bytes.map((byte) => byte.toString(2).padStart(8, "0")).join(" ")],
  ["octal", bytes.map((byte) => byte.toString(8).padStart(3, "0")).join(" ")],
])("decodes a text in %s numbers", (_, list) => {
  expect(readingText(readText(`See: ${list}.`).canonical)).toContain(said);
});

test.each([
  "Scores: 12 45 78 90 33 21 10 99 54 67",
  "IBAN DE89 3704 0044 0532 0130 00 and 089 123 456 789 012 345 678",
  "aa bb cc dd ee ff 00 11 22 33 44 55",
  "rgb 255 255 255 128 128 128 64 64 64 32 32 32",
  "10000001 10000010 10000011 10000100 10000101 10000110 10000111 10001000",
])("leaves other numbers unchanged: %s", (text) => {
  expect(readingText(readText(text).canonical)).toBe(text);
});

test("lists at both ends of a text are decoded, each for itself", () => {
  const list = bytes.join(" ");
  expect(readingText(readText(`${list}\nand then\n${list}`).canonical)).toBe(`${said}\nand then\n${said}`);
});

test.each(["y", "1y", "Z"])("a list with %s beside it is part of something else", (beside) => {
  const text = `${beside}${bytes.join(",")}${beside}`;
  // The first and the last number go on a word; what is left of the list is spelt.
  expect(readingText(readText(text).canonical)).toContain(said.slice(1, -1));
  expect(readingText(readText(text).canonical).startsWith(beside)).toBe(true);
});

test("a list in digits of another width stays", () => {
  const text = bytes.join(" ").replaceAll(/\d/gu, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0));
  expect(readingText(readText(text).canonical)).toBe(bytes.join(" "));
});

test("a decoded text is located at its list of numbers", () => {
  const list = bytes.join(" ");
  const { canonical } = readText(`Do: ${list}`);
  expect(canonical.starts?.[4]).toBe(4);
  expect(canonical.ends?.[4]).toBe(4 + list.length);
});

test("time grows linearly with the length", () => {
  const growth = growthOver(600_000, (length) => {
    const text = "12 ".repeat(length / 3);
    return () => readText(text);
  });
  expect(growth).toBeLessThan(linearGrowthMax);
});
