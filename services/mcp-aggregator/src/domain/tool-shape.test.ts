import { JsonPart } from "@gatehouse/json";
import { expect, test } from "vitest";
import { sortTools } from "./tool-shape.ts";

function sorted(...texts: readonly string[]) {
  const steps = sortTools(texts.map((text) => JsonPart.known(text, "object")));
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

const schema = String.raw`{"type":"object","properties":{"\ud83d\ude00":{"enum":["\uDFFF","\\ud800","\ud83d\ude00\ud83d"]}}}`;
const tool = String.raw`{"name":"a","description":"b\ud800c","title":"\udc00","inputSchema":${schema}}`;

test("lone surrogates of a tool's texts are replaced, pairs and escaped backslashes are not", () => {
  const [{ definitionText, metadataText } = { definitionText: "", metadataText: "" }] = sorted(tool).tools;
  expect(JSON.parse(definitionText)).toEqual({
    name: "a",
    description: "b\uFFFDc",
    inputSchema: { type: "object", properties: { "😀": { enum: ["\uFFFD", String.raw`\ud800`, "😀\uFFFD"] } } },
  });
  expect(JSON.parse(metadataText)).toEqual({ title: "\uFFFD" });
});

test("a name with a lone surrogate is refused: repaired, two of them would be the same", () => {
  const { tools, quarantined } = sorted(String.raw`{"name":"a\ud800"}`, String.raw`{"name":"a\ud801"}`);
  expect(tools).toEqual([]);
  expect(quarantined.map(({ reason }) => reason)).toEqual(Array(2).fill("its name has half of a surrogate pair"));
});

test("a name with a control character is refused as such", () => {
  const { quarantined } = sorted(String.raw`{"name":"a\u0007"}`);
  expect(quarantined).toEqual([{ name: "a\uFFFD", reason: "its name has control characters" }]);
});

test.each([
  ["inputSchema", String.raw`{"properties":{"\ud800":{},"\udbff":{}},"required":["\ud800","\udbff"]}`],
  ["inputSchema", String.raw`{"properties":{"a":{"anyOf":[{"type":"object","properties":{"b\uDC00":{}}}]}}}`],
  ["outputSchema", String.raw`{"type":"object","properties":{"\ud800":{}}}`],
])("a tool whose %s has a member with a lone surrogate in its name is refused: %s", (member, text) => {
  const { tools, quarantined } = sorted(`{"name":"a","${member}":${text}}`);
  expect(tools).toEqual([]);
  const reason = `its ${member} has a member whose name has half of a surrogate pair`;
  expect(quarantined).toEqual([{ name: "a", reason }]);
});
