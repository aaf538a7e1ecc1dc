import fc from "fast-check";
import { expect, test } from "vitest";
import { type CompletionChunk, textRun } from "../forms/completion.ts";
import { TextChunkTemplate } from "./text-chunk-template.ts";

function chunkOf(content: string, more: object = {}): CompletionChunk {
  return { id: "c", model: "m", created: 5, choices: [{ index: 0, delta: { content }, finish_reason: null, ...more }] };
}

/** Parts of texts that JSON escapes differently. */
const signs = ["a", "b", " ", '"', "\\", "\n", "\u0000", "\u007f", "\u2028", "ü", "\u{1f600}", "\ud800", '","', "}]"];

function learn(json: string): TextChunkTemplate {
  const template = new TextChunkTemplate();
  template.learn(json, JSON.parse(json) as CompletionChunk);
  return template;
}

/** Reads events with these JSON texts through a template. */
function read(template: TextChunkTemplate, ...texts: readonly string[]) {
  return template.read(Buffer.from(texts.map((json) => `data: ${json}\n\n`).join("")));
}

const jsonOf = (content: string, more?: object) => JSON.stringify(chunkOf(content, more));

test("a chunk with any other text is read as its JSON is, or left to be parsed", () => {
  const template = learn(jsonOf("Hello"));
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...signs)).map((some) => some.join("")),
      (text) => {
        const json = jsonOf(text);
        const run = read(template, json);
        if (run !== undefined) expect(run.chunk).toEqual(JSON.parse(Buffer.from(json).toString()));
      },
    ),
    { numRuns: 500 },
  );
  expect(read(template, jsonOf("a plain text, ü"))?.chunk).toEqual(chunkOf("a plain text, ü"));
});

test("a text that ends its string is left to be parsed", () => {
  const template = learn(jsonOf("Hello"));
  const inserted = jsonOf("Hello").replace("Hello", 'a","role":"system","x":"b');
  expect(read(template, inserted)).toBeUndefined();
  for (const text of ["", "a\\nb", "a\nb", "\u0000"]) {
    expect(
      read(
        template,
        jsonOf("Hello").replace("Hello", () => text),
      ),
    ).toBeUndefined();
  }
});

test("a chunk that differs in another way is left to be parsed", () => {
  const template = learn(jsonOf("Hello"));
  const changed = [
    jsonOf("x", { finish_reason: "stop" }),
    jsonOf("x").replace('"c"', '"d"'),
    '{"error":{}}',
    "",
    "[DONE]",
  ];
  for (const json of changed) expect(read(template, json)).toBeUndefined();
});

test("a text that occurs elsewhere too gives no template", () => {
  // The text also occurs before its place, in another member, or in one that a later member of its name overrides.
  for (const json of [
    '{"id":"Hello","model":"m","created":5,"choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":null}]}',
    '{"id":"c","model":"m","created":5,"choices":[{"index":0,"delta":{"content":"Hello","content":"Hello"},"finish_reason":null}]}',
  ]) {
    expect(read(learn(json), json.replace("Hello", "other"))).toBeUndefined();
    expect(read(learn(json), json)).toBeUndefined();
  }
});

test("a template is sought in the first few chunks only", () => {
  const template = new TextChunkTemplate();
  const unclear =
    '{"id":"a","model":"m","created":5,"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}]}';
  for (let at = 0; at < 3; at += 1) template.learn(unclear, JSON.parse(unclear) as CompletionChunk);
  template.learn(jsonOf("Hello"), chunkOf("Hello"));
  expect(read(template, jsonOf("Hello"))).toBeUndefined();
});

test("consecutive events become one chunk with their texts", () => {
  const template = learn(jsonOf("Hello"));
  const [last, next] = [jsonOf("x", { finish_reason: "stop" }), jsonOf("never read")];
  const run = read(template, jsonOf(" wörld"), jsonOf("!"), last, next);
  expect(run?.chunk).toEqual(chunkOf(" wörld!"));
  expect(run?.bytes).toBe(Buffer.byteLength(`data: ${jsonOf(" wörld")}\n\ndata: ${jsonOf("!")}\n\n`));
  const { texts, before, after } = run?.chunk[textRun] ?? { texts: [], before: "", after: "" };
  expect(texts.map((text) => before + text + after)).toEqual([jsonOf(" wörld"), jsonOf("!")]);
  expect({ ...(run?.chunk ?? chunkOf("")) }[textRun]).toBeUndefined();
});

test("an incomplete event is left to be parsed", () => {
  const [whole, cut] = [`data: ${jsonOf("one")}\n\n`, `data: ${jsonOf("two")}\n`];
  for (let length = 0; length <= cut.length; length += 1) {
    const run = learn(jsonOf("Hello")).read(Buffer.from(whole + cut.slice(0, length)));
    expect(run).toMatchObject({ bytes: whole.length, chunk: chunkOf("one") });
  }
});

test("lines may end with CRLF", () => {
  const events = `data: ${jsonOf("one")}\r\n\r\ndata: ${jsonOf("two")}\r\n\r\n`;
  const run = learn(jsonOf("Hello")).read(Buffer.from(events));
  expect(run).toMatchObject({ bytes: events.length, chunk: chunkOf("onetwo") });
});

test("JSON of several lines gives no template, since each line is a field of its event", () => {
  const json = jsonOf("Hello").replace("{", "{\n");
  expect(read(learn(json), json)).toBeUndefined();
});
