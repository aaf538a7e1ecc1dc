import { expect, test } from "vitest";
import { readNumber } from "./read-number.ts";
import { Unreadable } from "./unreadable.ts";

const open = { type: "number" } as const;
const tokens = { type: ["integer", "null"], minimum: 1, maximum: 10_000_000 } as const;
const usd = { type: "number", minimum: 0, maximum: 1_000_000_000, decimalsMax: 6 } as const;

test.each([
  ["2.50", 2.5],
  ["0.30000000000000004", 0.300_000_000_000_000_04],
  [".5", 0.5],
  ["5.", 5],
  [" 7 ", 7],
  ["\t7\n", 7],
  ["+7", 7],
  ["007", 7],
  ["-1.25", -1.25],
  ["12 500", 12_500],
  ["1\u202F234\u00A0567.5", 1_234_567.5],
  ["1e3", 1_000],
  ["1E-7", 0.000_000_1],
  ["1e21", 1e21],
  ["9007199254740994", 9_007_199_254_740_994],
])("%j is read as %d", (text, value) => {
  expect(readNumber(text, open)).toBe(value);
});

test.each([
  ["0.000001", 0.000_001],
  ["1.50000000", 1.5],
  ["999999999.999999", 999_999_999.999_999],
])("%j is read as an amount of %d", (text, value) => {
  expect(readNumber(text, usd)).toBe(value);
});

test.each(["", " ", "\t"])("%j is read as empty", (text) => {
  expect(readNumber(text, open)).toBeUndefined();
});

const notNumber = "This is not a number.";
const comma = "Write a decimal point as a point, and thousands without a comma.";
const ofTokens = "This must be at least 1 and at most 10\u202F000\u202F000.";

test.each([
  ["abc", open, notNumber],
  [".", open, notNumber],
  ["-", open, notNumber],
  ["1 2", open, notNumber],
  ["1 2345", open, notNumber],
  ["1.2.3", open, notNumber],
  ["1e", open, notNumber],
  ["0x10", open, notNumber],
  ["Infinity", open, notNumber],
  ["NaN", open, notNumber],
  ["١٢", open, notNumber],
  ["5💰", open, notNumber],
  ["5\u0000", open, notNumber],
  ["\u202E12", open, notNumber],
  ["1,5", open, comma],
  ["1.234,56", open, comma],
  ["9007199254740993", open, "9007199254740993 cannot be kept exactly: it would become 9007199254740992."],
  ["0.1000000000000000055", open, "0.1000000000000000055 cannot be kept exactly: it would become 0.1."],
  ["-0", open, "-0 cannot be kept exactly: it would become 0."],
  ["1e-400", open, "1e-400 cannot be kept exactly: it would become 0."],
  ["1e400", open, "1e400 is too large."],
  ["9".repeat(10_000), open, `${"9".repeat(40)}… is too large.`],
  ["9".repeat(10_000), tokens, ofTokens],
  ["9007199254740993", tokens, ofTokens],
  ["99999999999", tokens, ofTokens],
  ["0", tokens, ofTokens],
  ["1.5", tokens, "This must be a whole number."],
  ["-1", usd, "This must be at least 0 and at most 1\u202F000\u202F000\u202F000."],
  ["0.0000001", usd, "This must have at most 6 decimals."],
  ["1e-7", usd, "This must have at most 6 decimals."],
  ["12.3456789", usd, "This must have at most 6 decimals."],
  ["0", { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 }, "This must be more than 0 and less than 1."],
])("%j is refused, and kept as text", (text, schema, problem) => {
  expect(readNumber(text, schema)).toEqual(new Unreadable(text, problem));
});
