import { describe, expect, test } from "vitest";
import { changedSpans, composeSpans } from "./changed-spans.ts";
import { maskSegmentsInSteps, replaceSpans, type Segment } from "./units.ts";

const email = (start: number, end: number) => ({ textIndex: 0, start, end, label: "E" });

function place(texts: readonly string[], after: string) {
  const segments: Segment[] = texts.map((text) => ({ role: "parameter", place: "p", text }));
  const spans = changedSpans(0, texts.join("\n"), after);
  const steps = maskSegmentsInSteps(segments, { texts: [after], spans });
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

describe("small texts that are judged together", () => {
  test("get each its own replacement", () => {
    expect(place(["pet", "dog", "name", "x", "other", "dog"], "pet\nDOG\nname\nx\nother\nDOG")).toEqual([
      "pet",
      "DOG",
      "name",
      "x",
      "other",
      "DOG",
    ]);
  });

  test("may get more lines, where one of them is replaced", () => {
    expect(place(["pet", "dog", "x"], "pet\nbig\ndog\nx")).toEqual(["pet", "big\ndog", "x"]);
  });

  test("are refused where what was replaced belongs to none of them", () => {
    expect(() => place(["pet", "dog", "x"], "cat")).toThrow(expect.objectContaining({ code: "guardrail_blocked" }));
  });
});

test("changes of what was masked before are places of the text as it was sent", () => {
  // Original text: `ann@a.b dog ann@a.b`.
  const first = [email(0, 7), email(12, 19)];
  const later = changedSpans(0, "[E] dog [E]", "[E] DOG [E]");
  expect(composeSpans("[E] dog [E]", first, later)).toEqual([
    email(0, 7),
    { textIndex: 0, start: 8, end: 11, label: "DOG", isVerbatim: true },
    email(12, 19),
  ]);
  const over = changedSpans(0, "[E] dog [E]", "[E dogs [E]");
  expect(composeSpans("[E] dog [E]", first, over)).toEqual([
    { textIndex: 0, start: 0, end: 11, label: "[E dogs", isVerbatim: true },
    email(12, 19),
  ]);
});

/** All texts of at most so many pieces. */
function textsOf(pieces: readonly string[], countMax: number): readonly string[] {
  if (countMax === 0) return [""];
  const shorter = textsOf(pieces, countMax - 1);
  return [...new Set([...shorter, ...shorter.flatMap((text) => pieces.map((piece) => text + piece))])];
}

test("two rounds of changes are one", () => {
  const finals = textsOf(["a", "\n", "[E]"], 3);
  for (const sent of textsOf(["a", "b", "\n", "ann@a.b"], 4)) {
    const first = [...sent.matchAll(/ann@a\.b/gu)].map(({ index }) => email(index, index + 7));
    const masked = replaceSpans(sent, first);
    for (const final of [...finals, masked.replaceAll("a", "xyz"), masked.replaceAll("[E]", ""), `${masked}!`]) {
      const spans = composeSpans(masked, first, changedSpans(0, masked, final));
      if (replaceSpans(sent, spans) !== final) expect([sent, final, spans]).toBe("changed as the guardrails said");
    }
  }
});
