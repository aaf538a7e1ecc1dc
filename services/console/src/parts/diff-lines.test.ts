import { expect, test } from "vitest";
import { diffLines } from "./diff-lines.ts";

const signs = { same: " ", added: "+", removed: "-" } as const;
const shown = (before: string, after: string) =>
  diffLines(before, after).map(({ kind, text }) => `${signs[kind]}${text}`).join("|"); // prettier-ignore

test("lines are marked as kept, removed or added", () => {
  expect(shown("a\nb\nc", "a\nx\nc\nd")).toBe(" a|-b|+x| c|+d");
  expect(shown("a", "a")).toBe(" a");
  expect(shown("", "a")).toBe("+a");
});

test("texts too long to compare are all removed lines, then all added ones", () => {
  const long = "x\n".repeat(2_000);
  expect(diffLines(long, "y").filter(({ kind }) => kind === "same")).toEqual([]);
  expect(diffLines(long, "y").at(-1)).toEqual({ kind: "added", text: "y" });
});
