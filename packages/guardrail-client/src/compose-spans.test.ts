import { expect, test } from "vitest";
import { composeSpans } from "./compose-spans.ts";
import { type MaskedSpan, maskSegmentsInSteps, replaceSpans, type Segment } from "./units.ts";

const email = (start: number, end: number) => ({ textIndex: 0, start, end, label: "E" });
const replaced = (start: number, end: number, label: string) => ({ textIndex: 0, start, end, label, isVerbatim: true });

test("a replacement of several short texts at once is refused", () => {
  const segments: Segment[] = ["pet", "dog", "x"].map((text) => ({ role: "parameter", place: "p", text }));
  const steps = maskSegmentsInSteps(segments, { texts: ["cat"], spans: [replaced(0, 9, "cat")] });
  expect(() => steps.next()).toThrow(expect.objectContaining({ code: "guardrail_blocked" }));
});

test("replacements in masked texts are placed in the original texts", () => {
  // Original text: `ann@a.b dog ann@a.b`.
  const first = [email(0, 7), email(12, 19)];
  expect(composeSpans("[E] dog [E]", first, [replaced(4, 7, "DOG")])).toEqual([
    email(0, 7),
    replaced(8, 11, "DOG"),
    email(12, 19),
  ]);
  expect(composeSpans("[E] dog [E]", first, [replaced(2, 7, " dogs")])).toEqual([
    replaced(0, 11, "[E dogs"),
    email(12, 19),
  ]);
});

/** Lines that differ, or the whole text where the number of lines does. */
function replacedLines(before: string, after: string): readonly MaskedSpan[] {
  const linesAfter = after.split("\n");
  const linesBefore = [...before.matchAll(/^.*$/gmu)];
  if (linesBefore.length !== linesAfter.length) return [replaced(0, before.length, after)];
  return linesBefore.flatMap(({ index, 0: line }, at) => {
    const now = linesAfter[at] ?? "";
    return now === line ? [] : [replaced(index, index + line.length, now)];
  });
}

/** All texts of at most so many pieces. */
function textsOf(pieces: readonly string[], countMax: number): readonly string[] {
  if (countMax === 0) return [""];
  const shorter = textsOf(pieces, countMax - 1);
  return [...new Set([...shorter, ...shorter.flatMap((text) => pieces.map((piece) => text + piece))])];
}

test("spans composed of two rounds give the text of the second round", () => {
  const finals = textsOf(["a", "\n", "[E]"], 3);
  for (const sent of textsOf(["a", "b", "\n", "ann@a.b"], 4)) {
    const first = [...sent.matchAll(/ann@a\.b/gu)].map(({ index }) => email(index, index + 7));
    const masked = replaceSpans(sent, first);
    for (const final of [...finals, masked.replaceAll("a", "xyz"), masked.replaceAll("[E]", ""), `${masked}!`]) {
      const spans = composeSpans(masked, first, replacedLines(masked, final));
      if (replaceSpans(sent, spans) !== final) expect([sent, final, spans]).toBe("changed as the guardrails said");
    }
  }
});
