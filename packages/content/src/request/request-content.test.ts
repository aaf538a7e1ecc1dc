import { type Masking, toUnitsInSteps } from "@gatehouse/guardrail-client";
import { runAtOnce } from "@gatehouse/pace";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import {
  documentsOfContentInSteps,
  inspectionOfInSteps,
  maskContentInSteps,
  measureContentInSteps,
  mediaPartsMax,
  type RequestContent,
  textsOfContentInSteps,
  toSendableInSteps,
} from "./request-content.ts";
import { toolNameLengthMax } from "./tool-names.ts";

const inspectionOf = (content: RequestContent) => runAtOnce(inspectionOfInSteps(content));
const maskContent = (content: RequestContent, masking: Masking) => runAtOnce(maskContentInSteps(content, masking));
const measureContent = (content: RequestContent) => runAtOnce(measureContentInSteps(content));
const textsOfContent = (content: RequestContent) => runAtOnce(textsOfContentInSteps(content));
const toSendable = (content: RequestContent) => runAtOnce(toSendableInSteps(content));

const png = `data:image/png;base64,${"iVBORw0KGgoA".repeat(10)}`;
const base64 = (text: string) => Buffer.from(text).toString("base64");

function contentOf(messages: readonly object[], parameters?: object): RequestContent {
  return { messages, variables: {}, ...(parameters && { parameters }) } as unknown as RequestContent;
}

function textsIn(content: RequestContent): readonly string[] {
  return textsOfContent(content).map(({ text }) => text);
}

test("values are judged with their names, in parameters and in arguments that are objects", () => {
  const call = { type: "tool_use", id: "c", name: "login", input: { password: "hunter2", on: true, list: ["a"] } };
  const content = contentOf([{ role: "assistant", content: [call] }], { metadata: { api_key: "k1", "": "x" } });
  const texts = inspectionOf(content).texts.map(({ text }) => text);
  expect(texts).toContain('password: "hunter2"');
  expect(texts).toContain("a");
  expect(texts.join("\n")).toContain('api_key: "k1"\nx');
});

test("in messages, all but contents and media are no content, alone and joined", () => {
  const user = {
    role: "user",
    name: "a name",
    content: [
      { type: "text", text: "one", note: "x", cache_control: { type: "ephemeral" } },
      { type: "image_url", image_url: { url: "https://images.example/1.png" } },
      { type: "text", n: 7, text: "two" },
    ],
  };
  const result = { role: "tool", tool_call_id: "call", content: "three" };
  const call = { id: "call", type: "function", function: { name: "find", arguments: "{}" } };
  const assistant = { role: "assistant", content: "four", reasoning: "five", tool_calls: [call] };
  const { texts } = inspectionOf(contentOf([user, assistant, result], { user: "me" }));
  const asides = texts.filter(({ isAside }) => isAside === true).map(({ text }) => text);
  expect(asides).toEqual(["a name", 'note: "x"', 'n: "7"', "five", "call", "find", "{}", "call"]);
  expect(texts.filter(({ isAside }) => isAside !== true).map(({ text }) => text)).toEqual([
    "me",
    "one",
    "https://images.example/1.png",
    "two",
    "four",
    "three",
  ]);
});

test("a plain chat is judged as any other content is", () => {
  const roles = fc.constantFrom("system", "developer", "user", "assistant", "tool", "function", "parameter", "x y", "");
  const texts = fc.oneof(fc.string(), fc.constantFrom("", "a", '{"a":1}', "[1]", "x".repeat(2_000)));
  const messages = fc.array(fc.record({ role: roles, content: texts }), { maxLength: 8 });
  fc.assert(
    fc.property(messages, (given) => {
      const content = contentOf(given);
      const units = runAtOnce(toUnitsInSteps(textsOfContent(content)));
      const judged = units.map(({ role, text }) => ({ role, text }));
      expect(inspectionOf(content).texts.map(({ role, text }) => ({ role, text }))).toEqual(judged);
    }),
  );
});

describe("the texts of a request", () => {
  it("are all texts of a caller, at every place", () => {
    const messages = [
      { role: "system", content: "one", name: "two" },
      { role: "developer", content: [{ type: "text", text: "three" }] },
      {
        role: "user",
        content: [
          { type: "document", data: "four" },
          { type: "text", text: "five", Text: "six" },
        ],
      },
      {
        role: "assistant",
        content: null,
        refusal: "seven",
        reasoning_content: "eight",
        tool_calls: [
          { id: "nine", type: "function", function: { name: "ten", arguments: '{"a":"eleven"}' } },
          { id: "twelve", type: "custom", custom: { name: "thirteen", input: "fourteen" } },
        ],
      },
      { role: "tool", tool_call_id: "fifteen", content: "sixteen" },
    ];
    expect(textsIn(contentOf(messages)).join(" ")).toBe(
      "one two three document data four five Text six seven eight nine ten " +
        '{"a":"eleven"} twelve thirteen fourteen fifteen sixteen',
    );
    expect(textsOfContent(contentOf(messages)).map(({ role, place }) => `${place} ${role}`)).toContain(
      "messages[4] tool",
    );
  });

  it("include a tool's arguments and results with the tool's name", () => {
    const call = (id: string, name: string, given: unknown) => ({
      id,
      type: "function",
      function: { name, arguments: given },
    });
    const long = "l".repeat(toolNameLengthMax + 1);
    const messages = [
      { role: "user", content: "one" },
      {
        role: "assistant",
        content: "two",
        tool_calls: [call("i", "send", '{"a":1}'), call("j", "list", ""), call("k", long, { b: ["three"] })],
      },
      { role: "tool", tool_call_id: "i", content: "four" },
      { role: "tool", tool_call_id: "j", content: [{ type: "text", text: "five" }], name: "other" },
      { role: "tool", tool_call_id: "?", content: "six", name: "named" },
      { role: "tool", tool_call_id: "?", content: "seven" },
      { role: "assistant", tool_calls: [{ id: "m", type: "custom", custom: { name: "run", input: "eight" } }] },
      { role: "tool", tool_call_id: "m", content: "nine" },
      { role: "assistant", function_call: { name: "old", arguments: "ten" } },
      { role: "function", name: "old", content: "eleven" },
      { role: "assistant", content: [{ type: "tool_use", id: "n", name: "read", input: { c: "twelve" } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "n", content: [{ type: "text", text: "13th" }] }] },
      { role: "assistant", content: [{ type: "text", text: "fourteen", name: "fifteen" }], name: "sixteen" },
    ];
    const tools = textsOfContent(contentOf(messages)).flatMap(({ text, tool }) => (tool ? [[text, tool]] : []));
    const cut = "l".repeat(toolNameLengthMax);
    expect(tools).toEqual([
      ['{"a":1}', "send"],
      ["list", "list"],
      ["b", cut],
      ["three", cut],
      ["four", "send"],
      ["five", "list"],
      ["six", "named"],
      ["eight", "run"],
      ["nine", "run"],
      ["ten", "old"],
      ["eleven", "old"],
      ["c", "read"],
      ["twelve", "read"],
      ["type", "read"],
      ["text", "read"],
      ["text", "read"],
      ["13th", "read"],
    ]);
  });

  it("include the values of tools as documents, and no text that is judged alone", () => {
    const called = { id: "1", type: "function", function: { name: "send", arguments: { to: ["a"] } } };
    const messages = [
      { role: "assistant", tool_calls: [called, { id: "2", function: { name: "get", arguments: '{"b":1}' } }] },
      { role: "assistant", content: [{ type: "tool_use", id: "3", name: "read", input: { c: 2 } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "3", content: { d: "e" } }] },
      { role: "tool", tool_call_id: "1", content: [{ type: "text", text: "no value" }] },
      { role: "user", content: [{ type: "text", text: '{"judged":"alone"}' }] },
    ];
    const metadata = { first: '{"f":3}', second: "no value" };
    expect(runAtOnce(documentsOfContentInSteps(contentOf(messages, { metadata })))).toEqual([
      { role: "assistant", text: '{"to":["a"]}', tool: "send" },
      { role: "assistant", text: '{"c":2}', tool: "read" },
      { role: "user", text: '{"d":"e"}', tool: "read" },
    ]);
  });

  it("include tools, schemas and every other parameter, with names and numbers", () => {
    const schema = {
      type: "object",
      description: "a",
      properties: { b: { type: "string", enum: ["c"], default: "d", minLength: 3 }, type: { const: 4111111111111111 } },
      required: ["b"],
      additionalProperties: false,
    };
    const parameters = {
      temperature: 0.7,
      seed: 4111111111111111,
      tools: [{ type: "function", function: { name: "e", description: "f", strict: true, parameters: schema } }],
      response_format: { type: "json_schema", json_schema: { name: "g", schema: { title: "h", x: "i" } } },
      prediction: { type: "content", content: "j" },
      stop: ["k"],
      user: "l",
      metadata: { m: "n" },
      logit_bias: { "50256": -100 },
      unknown: [[{ o: null }]],
    };
    expect(textsIn(contentOf([], parameters)).join(" ")).toBe(
      "4111111111111111 e f a b c d type 4111111111111111 b g h x i j k l m n unknown o",
    );
  });

  it("include variables that are texts or numbers, and a parameter that equals a word of the protocol", () => {
    const variables = { topic: "eight", card: 4111111111111111, ok: true };
    expect(textsOfContent({ messages: [], variables })).toEqual([
      { role: "user", place: "variables", text: "eight" },
      { role: "user", place: "variables", text: "4111111111111111" },
    ]);
    expect(textsIn(contentOf([{ role: "user", content: "text" }], { stop: "function" }))).toEqual(["function", "text"]);
  });

  it("include text at a place for media that is not a payload, and files that are text", () => {
    const parts = [
      { type: "image_url", image_url: { url: png, detail: "low" } },
      { type: "image_url", image_url: { url: "https://example.com/?q=one", detail: "two" } },
      { type: "image_url", image_url: { url: "data:image/three;base64,AAAA" } },
      { type: "image_url", image_url: { url: "data:image/png;base64,not payload" } },
      { type: "file", file: { filename: "four.txt", file_data: `data:text/plain;base64,${base64("five")}` } },
      {
        type: "file",
        file: { file_data: `data:application/pdf;base64,${Buffer.from([37, 80, 255, 254]).toString("base64")}` },
      },
      { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } },
      { type: "text", text: png },
    ];
    const content = contentOf([{ role: "user", content: parts }]);
    expect(textsIn(content)).toEqual([
      "https://example.com/?q=one",
      "two",
      "data:image/three;base64,AAAA",
      "data:image/png;base64,not payload",
      "four.txt",
      "five",
      png,
    ]);
    expect(measureContent(content).media.map(({ kind, sizeBytes, detail }) => [kind, sizeBytes > 0, detail])).toEqual([
      ["image", true, "low"],
      ["image", false, "two"],
      ["image", false, undefined],
      ["image", false, undefined],
      ["file", false, undefined],
      ["file", true, undefined],
      ["audio", true, undefined],
    ]);
  });
});

function leavesOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(leavesOf);
  return Object.entries(value).flatMap(([name, member]) => [name, ...leavesOf(member)]);
}

const anyName = fc.oneof(
  fc.constantFrom("content", "text", "type", "tools", "function", "image_url", "url", "__proto__", "constructor"),
  fc.string(),
);
const anyValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.string({ unit: "binary" }),
    fc.integer(),
    fc.constantFrom("text", "user", png, null, true),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.tuple(anyName, tie("value")), { maxLength: 4 }).map((entries) => Object.fromEntries(entries) as object),
  ),
})).value;
const anyContent = fc
  .record({ content: fc.dictionary(anyName, anyValue), parameters: fc.dictionary(anyName, anyValue) })
  .map(({ content, parameters }) => contentOf([{ role: "user", ...content }], parameters));

test("a text at any path of a message's content or of the tools is found", () => {
  const marked = fc.string({ minLength: 12 }).map((text) => `mark ${text}`);
  const place = fc.array(fc.oneof(anyName, fc.nat(2)), { maxLength: 6 });
  fc.assert(
    fc.property(place, marked, fc.boolean(), (path, mark, isInMessage) => {
      let value: unknown = mark;
      for (const step of path) value = typeof step === "number" ? [value] : Object.fromEntries([[step, value]]);
      const content = isInMessage ? contentOf([{ role: "user", content: value }]) : contentOf([], { tools: value });
      expect(textsIn(content)).toContain(mark);
    }),
  );
});

test("masking replaces exactly the collected texts, and changes nothing else", () => {
  fc.assert(
    fc.property(anyContent, (content) => {
      const { texts } = inspectionOf(content);
      expect(maskContent(content, { texts: texts.map(({ text }) => text), spans: [] })).toBe(content);
      const before = leavesOf([content.messages, content.parameters]).length;
      if (texts.length !== textsOfContent(content).length) return;
      const marks = texts.map((_, index) => `mark ${index}`);
      const masked = maskContent(content, { texts: marks, spans: [] });
      expect(inspectionOf(masked).texts.flatMap(({ text }) => text.split("\n"))).toEqual(marks);
      expect(leavesOf([masked.messages, masked.parameters]).length).toBe(before);
    }),
  );
});

test("the sendable form is stable and survives JSON", () => {
  fc.assert(
    fc.property(anyContent, (content) => {
      const sendable = toSendable(content);
      const { messages, parameters } = sendable;
      expect(JSON.parse(JSON.stringify({ messages, parameters }))).toEqual({ messages, parameters });
      expect(leavesOf([messages, parameters]).every((leaf) => leaf.isWellFormed())).toBe(true);
      expect(toSendable(sendable)).toBe(sendable);
    }),
  );
});

describe("joined texts", () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => ({ type: "text", text: `p${index}` }));

  it("form a bounded number of units for a very large number of tiny parts", () => {
    const content = contentOf([{ role: "user", content: many(300_000) }]);
    expect(inspectionOf(content).texts.length).toBeLessThan(4_096);
  });

  it("of one message are not joined where they are few", () => {
    expect(inspectionOf(contentOf([{ role: "user", content: many(3) }])).texts.map(({ text }) => text)).toEqual([
      "p0",
      "p1",
      "p2",
    ]);
  });

  it("are masked only at the place of a finding", () => {
    const content = contentOf([], { metadata: { owner: "a@b.example", other: "x" }, user: "me" });
    const [unit] = inspectionOf(content).texts;
    expect(unit?.text).toBe('owner: "a@b.example"\nother: "x"\nme');
    const masked = unit?.text.replace("a@b.example", "[E-Mail]") ?? "";
    const spans = [{ textIndex: 0, start: 8, end: 19, label: "E-Mail" }];
    expect(maskContent(content, { texts: [masked], spans }).parameters).toEqual({
      metadata: { owner: "[E-Mail]", other: "x" },
      user: "me",
    });
  });

  it("mask a finding that covers several of them in the first", () => {
    const content = contentOf([], { stop: ["ab", "cd", "ef"] });
    const spans = [{ textIndex: 0, start: 1, end: 7, label: "X" }];
    expect(maskContent(content, { texts: ["a[X]f"], spans }).parameters).toEqual({ stop: ["a[X]", "", "f"] });
  });

  it("are refused when a finding cannot be assigned to one of them", () => {
    const content = contentOf([], { stop: ["ab", "cd"] });
    expect(() => maskContent(content, { texts: ["[X]"], spans: [] })).toThrow(
      expect.objectContaining({ code: "guardrail_blocked" }),
    );
  });
});

test("masked numbers become text, masked names stay different, and masked files stay files", () => {
  const content = contentOf(
    [{ role: "user", content: [{ type: "file", file: { file_data: `data:text/plain;base64,${base64("a@b.c")}` } }] }],
    { metadata: { "a@b.c": 4111111111111111, "b@c.d": "x ".repeat(33) } },
  );
  const { texts } = inspectionOf(content);
  expect(texts.map(({ text }) => text)).toEqual(['a@b.c: "4111111111111111"\nb@c.d', "x ".repeat(33), "a@b.c"]);
  const spans = [
    { textIndex: 0, start: 0, end: 5, label: "E" },
    { textIndex: 0, start: 8, end: 24, label: "C" },
    { textIndex: 0, start: 26, end: 31, label: "E" },
  ];
  const masked = maskContent(content, { texts: ['[E]: "[C]"\n[E]', "y", "[E]"], spans });
  expect(masked.parameters).toEqual({ metadata: { "[E]": "[C]", "[E] 2": "y" } });
  expect(masked.messages[0]?.content).toEqual([
    { type: "file", file: { file_data: `data:text/plain;base64,${base64("[E]")}` } },
  ]);
});

test.each([Infinity, 2 ** 64, -(2 ** 53)])("the number %d is refused, since it cannot be sent exactly", (value) => {
  const loggedMessage = expect.stringMatching(/^Request body holds a number, which cannot be kept/);
  const refusal = { code: "malformed_body", message: expect.stringContaining(`about ${value},`), loggedMessage };
  expect(() => toSendable(contentOf([], { seed: value }))).toThrow(expect.objectContaining(refusal));
});

test("bounds of a schema may be rounded, other numbers of it may not", () => {
  const toolWith = (parameters: object) =>
    contentOf([], { tools: [{ type: "function", function: { name: "f", parameters } }] });
  expect(toSendable(toolWith({ type: "integer", maximum: 2 ** 63 }))).toBeDefined();
  expect(() => toSendable(toolWith({ enum: [2 ** 63] }))).toThrow("cannot be kept to the digit");
});

test("media are bounded in number", () => {
  const parts = (count: number) =>
    Array.from({ length: count }, () => ({ type: "image_url", image_url: { url: png } }));
  expect(toSendable(contentOf([{ role: "user", content: parts(mediaPartsMax) }]))).toBeDefined();
  expect(() => toSendable(contentOf([{ role: "user", content: parts(mediaPartsMax + 1) }]))).toThrow("1000 images");
});

test("the measure is at least the size of everything except payloads", () => {
  fc.assert(
    fc.property(anyContent, (content) => {
      const { textBytes, values } = measureContent(content);
      const leaves = leavesOf([...content.messages, content.parameters]).filter((leaf) => !leaf.startsWith("data:"));
      const bytes = leaves.reduce((sum, leaf) => sum + Buffer.byteLength(leaf), 0);
      expect(textBytes).toBeGreaterThanOrEqual(bytes);
      expect(values).toBeGreaterThanOrEqual(leaves.length);
    }),
  );
});

test("content with many values is walked in many steps", () => {
  const many = Array.from({ length: 50_000 }, (_, at) => at);
  const values = [many, many.map((at) => [at]), many.map((at) => ({ a: at })), { deep: [[many]] }];
  for (const value of values) {
    const content = contentOf([{ role: "user", content: "x", value }], { value });
    const walks = [toSendableInSteps(content), measureContentInSteps(content), inspectionOfInSteps(content)];
    for (const walk of walks) {
      let steps = 0;
      while (walk.next().done !== true) steps += 1;
      expect(steps).toBeGreaterThan(100_000 / 1_000);
    }
  }
  const messages = many.map(() => ({ role: "user", content: "x" }));
  let steps = 0;
  for (const walk = toSendableInSteps(contentOf(messages)); walk.next().done !== true;) steps += 1;
  expect(steps).toBeGreaterThan(500);
});
