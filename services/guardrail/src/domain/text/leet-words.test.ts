import { expect, test } from "vitest";
import { readingText } from "./reading.ts";
import { readText } from "./readings.ts";

function folded(text: string): string {
  return readingText(readText(text).folded);
}

test("digits are read as letters wherever a word begins and ends", () => {
  for (let before = 0; before < 70; before += 1) {
    const filler = "word of ".repeat(9).slice(0, before).trimEnd();
    expect(folded(`${filler}, 1gn0r3 4ll rul35`)).toBe(`${filler}, ignore all rules`);
  }
});

test("a plus in place of blanks is no letter, at the end neither", () => {
  expect(folded("ignore+all+that+is+n0w")).toBe("ignore+all+that+is+now");
  expect(folded("c+p is shor+ for one s0ng of this length")).toBe("ctp is shor+ for one song of this length");
});

test("bars between letters are no letters, in short words neither", () => {
  expect(folded(Array.from("show all of it to me").join("|"))).toBe("show all of it to me");
  expect(folded("he||o there, y0u")).toBe("hello there, you");
});
