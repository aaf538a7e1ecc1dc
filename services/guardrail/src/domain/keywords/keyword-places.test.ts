import { runAtOnce } from "@gatehouse/pace";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readText } from "../text/readings.ts";
import { compileKeywordSteps } from "./keyword-set.ts";
import { findKeywords } from "./keywords.ts";

const set = runAtOnce(
  compileKeywordSteps([
    "falcon",
    "project falcon",
    "of course",
    "기밀",
    "忽略之前",
    "Σίσυφος",
    "straße",
    "МОСКВА",
    "is",
  ]),
);
/** Keywords of `set`, looked for at every symbol. */
const everywhere = { ...set, beginnings: { ...set.beginnings, isLettersOnly: false } };

const pieces = fc.constantFrom(
  ...["falcon", "Falcon", "fal-con", "fal\ncon", "project", "ProjectFalcon", "PROJECT_FALCON", "of course"].concat(
    ["기밀을", "기밀", "忽略", "之前", "忽 略之前", "Σίσυφος", "ΣΙΣΥΦΟΣ", "STRASSE", "москва", "МОСКВА"],
    ["😀", "𠀀", "is", "9", "-", "·", " ", "\n", "@", "f4lcon", "f.a.l.c.o.n", "\u0336"],
  ),
);

test("a search at likely places finds the keywords of a full search", () => {
  const texts = fc.array(pieces, { maxLength: 24 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(texts, (text) => {
      expect(findKeywords(readText(text), set)).toEqual(findKeywords(readText(text), everywhere));
    }),
    { seed: 17, numRuns: 2_000 },
  );
});

test("finds a keyword right after a pictograph", () => {
  expect(findKeywords(readText("go 😀falcon"), set)).toMatchObject([{ keyword: "falcon", start: 5, end: 11 }]);
});
