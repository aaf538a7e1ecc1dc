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

const schema = String.raw`{"type":"object","properties":{"\ud801":{"enum":["\uDFFF","\\ud800","\ud83d\ude00\ud83d"]}}}`;
const tool = String.raw`{"name":"a","description":"b\ud800c","title":"\udc00","inputSchema":${schema}}`;

test("lone surrogates of a tool are replaced, pairs and escaped backslashes are not", () => {
  const [{ definitionText, metadataText } = { definitionText: "", metadataText: "" }] = sorted(tool).tools;
  expect(JSON.parse(definitionText)).toEqual({
    name: "a",
    description: "b\uFFFDc",
    inputSchema: { type: "object", properties: { "\uFFFD": { enum: ["\uFFFD", String.raw`\ud800`, "😀\uFFFD"] } } },
  });
  expect(JSON.parse(metadataText)).toEqual({ title: "\uFFFD" });
});

test("a name with a lone surrogate is refused: repaired, two of them would be the same", () => {
  const { tools, quarantined } = sorted(String.raw`{"name":"a\ud800"}`, String.raw`{"name":"a\ud801"}`);
  expect(tools).toEqual([]);
  expect(quarantined.map(({ reason }) => reason)).toEqual(Array(2).fill("its name has control characters"));
});
