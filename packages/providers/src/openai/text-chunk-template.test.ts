import fc from "fast-check";
import { expect, test } from "vitest";
import type { CompletionChunk } from "../forms/completion.ts";
import { TextChunkTemplate } from "./text-chunk-template.ts";

function chunkOf(content: string, more: object = {}): CompletionChunk {
  return { id: "c", model: "m", created: 5, choices: [{ index: 0, delta: { content }, finish_reason: null, ...more }] };
}

/** Parts of texts that JSON writes in different ways. */
const signs = ["a", "b", " ", '"', "\\", "\n", "\u0000", "\u007f", "\u2028", "ü", "\u{1f600}", "\ud800", '","', "}]"];

/** A template of the first chunk's JSON. */
function learn(json: string): TextChunkTemplate {
  const template = new TextChunkTemplate();
  template.learn(json, JSON.parse(json) as CompletionChunk);
  return template;
}

const jsonOf = (content: string, more?: object) => JSON.stringify(chunkOf(content, more));

test("whatever the text of the next chunk, it is read as its JSON says, or left to be parsed", () => {
  const template = learn(jsonOf("Hello"));
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...signs)).map((some) => some.join("")),
      (text) => {
        const json = jsonOf(text);
        const read = template.read(json);
        if (read !== undefined) expect(read).toEqual(JSON.parse(json));
      },
    ),
    { numRuns: 500 },
  );
  expect(template.read(jsonOf("a plain text, ü"))).toEqual(chunkOf("a plain text, ü"));
});

test("a text that ends the string it stands in is parsed", () => {
  const template = learn(jsonOf("Hello"));
  const inserted = jsonOf("Hello").replace("Hello", 'a","role":"system","x":"b');
  expect(template.read(inserted)).toBeUndefined();
  for (const text of ["", "a\\nb", "a\nb", "\u0000"]) {
    expect(template.read(jsonOf("Hello").replace("Hello", () => text))).toBeUndefined();
  }
});

test("whatever else changes is parsed", () => {
  const template = learn(jsonOf("Hello"));
  const changed = [
    jsonOf("x", { finish_reason: "stop" }),
    jsonOf("x").replace('"c"', '"d"'),
    '{"error":{}}',
    "",
    "[DONE]",
  ];
  for (const json of changed) expect(template.read(json)).toBeUndefined();
});

test("the place of the text is not mistaken", () => {
  // The same words stand before the text, in a member that is not it, or in one that another of its name overrides.
  for (const json of [
    '{"id":"Hello","model":"m","created":5,"choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":null}]}',
    '{"id":"c","model":"m","created":5,"choices":[{"index":0,"delta":{"content":"Hello","content":"Hello"},"finish_reason":null}]}',
  ]) {
    expect(learn(json).read(json.replace("Hello", "other"))).toBeUndefined();
    expect(learn(json).read(json)).toBeUndefined();
  }
});

test("a template is sought in few chunks only", () => {
  const template = new TextChunkTemplate();
  const unclear =
    '{"id":"a","model":"m","created":5,"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}]}';
  for (let at = 0; at < 3; at += 1) template.learn(unclear, JSON.parse(unclear) as CompletionChunk);
  template.learn(jsonOf("Hello"), chunkOf("Hello"));
  expect(template.read(jsonOf("Hello"))).toBeUndefined();
});
