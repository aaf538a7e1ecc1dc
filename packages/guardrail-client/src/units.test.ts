import { expect, test } from "vitest";
import { type MaskedSpan, maskSegmentsInSteps, replaceSpans, type Segment, toUnitsInSteps } from "./units.ts";

const segment = (text: string): Segment => ({ role: "parameter", place: "output", text });
const named = (text: string): Segment => ({ ...segment(text), isNamed: true });

function resultOf<T>(steps: Generator<void, T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

function unitsOf(texts: readonly (string | Segment)[]): readonly string[] {
  const segments = texts.map((text) => (typeof text === "string" ? segment(text) : text));
  return resultOf(toUnitsInSteps(segments)).map(({ text }) => text);
}

test("small texts are joined, but a text that is JSON stays alone, so that its masks fit into it", () => {
  expect(unitsOf(["a", "b", '{"card":4111}', "c", '["x"]', ' [{"y":1}]', "[note]", "d"])).toEqual([
    "a\nb",
    '{"card":4111}',
    "c",
    '["x"]',
    ' [{"y":1}]',
    "[note]\nd",
  ]);
});

test("the number of units is bounded, also of texts that are JSON", () => {
  expect(unitsOf(Array.from({ length: 10_000 }, () => '{"a":1}')).length).toBeLessThan(100);
});

test("values are joined to their names as in JSON, in quotes that they do not have", () => {
  const word = "w".repeat(200);
  const sentence = "many words ".repeat(20);
  expect(unitsOf(["password", named('a "b" c'), "key", named(word), "text", named(sentence)])).toEqual([
    `password: 'a "b" c'\nkey: "${word}"\ntext`,
    sentence,
  ]);
  expect(unitsOf(["key", named("\"'`"), "other"])).toEqual(["key: \"'`\nother"]);
});

test("the length of what stands between joined texts is known, since it is no content", () => {
  const units = resultOf(toUnitsInSteps([segment("a"), named("b"), segment("c"), segment("d".repeat(65))]));
  expect(units.map(({ text, addedLength }) => [text, addedLength])).toEqual([
    ['a: "b"\nc', 5],
    ["d".repeat(65), undefined],
  ]);
});

test("a full unit does not part a name from its value", () => {
  const texts = Array.from({ length: 500 }, (_, index) => [segment(`name${index}`), named("value")]).flat();
  const units = unitsOf(texts);
  expect(units.length).toBeGreaterThan(5);
  for (const unit of units) expect(unit).toMatch(/^name\d+: "value"(?:\nname\d+: "value")*$/);
});

test("masks of named values go back to their texts, also those over a name and its value", () => {
  const segments = ["password", named("hunter2 x"), "mail", named("ann@example.com")].map((text) =>
    typeof text === "string" ? segment(text) : text,
  );
  const joined = unitsOf(segments)[0] ?? "";
  const masked = (...found: readonly (readonly [string, string])[]) => {
    const spans = found.map(([text, label]): MaskedSpan => {
      const start = joined.indexOf(text);
      return { textIndex: 0, start, end: start + text.length, label };
    });
    return resultOf(maskSegmentsInSteps(segments, { texts: [replaceSpans(joined, spans)], spans }));
  };
  expect(masked(["hunter2 x", "P"], ["ann@example.com", "E"])).toEqual(["password", "[P]", "mail", "[E]"]);
  expect(masked(['password: "hunter2', "P"])).toEqual(["[P]", " x", "mail", "ann@example.com"]);
  expect(masked(['hunter2 x"\nmail: "ann@', "P"])).toEqual(["password", "[P]", "", "example.com"]);
});
