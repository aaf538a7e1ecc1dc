import { isGatewayError } from "@gatehouse/errors";
import { toPrincipalMessage } from "@gatehouse/principal";
import { GuardrailServiceDefinition } from "@gatehouse/proto/guardrail";
import { type Answer, json } from "@gatehouse/providers/testing";
import { bindRpc, connectLocally } from "@gatehouse/rpc";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import type { Surface } from "../src/app/call.ts";
import { leavesOf, parseTree, textsReadBy } from "./three-parsers.ts";
import { startWrapper, type WrapperHarness } from "./wrapper-harness.ts";

/** Texts that the guardrails have received since the last call. */
const shown: { readonly role: string; readonly text: string }[] = [];
/** Texts of tools among them, with the tool. */
let ofTools: (readonly [tool: string, text: string])[] = [];

/** Guardrails that admit and record everything. */
const recording = connectLocally(
  bindRpc(GuardrailServiceDefinition, {
    consult: async () => await Promise.resolve({}),
    inspectPiece: async ({ text }) => await Promise.resolve({ shown: text }),
    async inspect({ texts }) {
      shown.push(...texts.map(({ role, text }) => ({ role, text })));
      ofTools.push(...texts.flatMap(({ tool, text }) => (tool === "" ? [] : [[tool, text] as const])));
      return await Promise.resolve({});
    },
  }),
);

let harness: WrapperHarness;
let slug: string;
beforeAll(async () => {
  harness = await startWrapper({ guardrail: recording });
  slug = await harness.alias({
    expose_as_mcp_tool: true,
    system_prompt: "Serve {{x}}.",
    parameters: { temperature: 1 },
  });
});
afterAll(async () => await harness.stop());

const choices = [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }];
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const answer = { id: "c", object: "chat.completion", created: 1, model: "m", choices, usage };

/** A completion, with an embedding for each text. */
const answerAll: Answer = async (res, request) => {
  const { input } = JSON.parse(request.body) as { readonly input?: unknown };
  const texts: readonly unknown[] = Array.isArray(input) ? input : [input];
  const data = texts.map((_, index) => ({ object: "embedding", index, embedding: [1] }));
  await json(200, { ...answer, data })(res, request);
};

/** Sends a body to an endpoint; returns the status and what reached the provider. */
type Send = (fields: string, at: string) => Promise<number>;

/** Sends a body with these members to each surface; a missing surface does not compile. */
const surfaces: Readonly<Record<Surface, Send>> = {
  "chat.direct": async (fields, at) => (await harness.postTo(at, `{${fields}}`)).status,
  "chat.dispatcher": async (fields, at) =>
    (await harness.postTo("chat/completions", `{"endpoint":"${at}",${fields}}`)).status,
  "wrapper.chat": async (fields, at) => (await harness.post("chat/completions", `{"model":"${at}",${fields}}`)).status,
  "wrapper.completions": async (fields, at) =>
    (await harness.post("completions", `{"model":"${at}",${fields}}`)).status,
  "wrapper.embeddings": async (fields, at) => (await harness.post("embeddings", `{"model":"${at}",${fields}}`)).status,
  "mcp.bridge": async (fields, at) => await complete(`{${fields}}`, at),
};
const surfaceNames = Object.keys(surfaces) as Surface[];

async function complete(bodyJson: string, at: string): Promise<number> {
  try {
    await harness.calls.complete({ principal: toPrincipalMessage(harness.principal), slug: at, bodyJson });
    return 200;
  } catch (err) {
    if (!isGatewayError(err)) throw err;
    return err.profile.http;
  }
}

async function send(surface: Surface, fields: string, at = slug) {
  shown.length = 0;
  ofTools = [];
  harness.play(answerAll);
  const status = await surfaces[surface](fields, at);
  return { status, bodies: harness.received.map(({ body }) => body) };
}

/** Every string, number and name that a caller can have written was judged, and all parsers agree on the message. */
function expectJudged(body: string): void {
  const tree = parseTree(body);
  const everything = shown.flatMap(({ text }) => [text, ...argumentsIn(text)]).join("\n");
  for (const leaf of leavesOf(tree)) {
    const [, own = leaf] = prompt.exec(leaf) ?? [];
    if (isCallers(own)) expect(everything, `unseen: ${own}`).toContain(own);
  }
  const read = textsReadBy("lastWins", tree).sort();
  expect(textsReadBy("firstWins", tree).sort()).toEqual(read);
  expect(textsReadBy("foldedLastWins", tree).sort()).toEqual(read);
}

/** The endpoint's own text around a caller's variable. */
const prompt = /^Serve (.*)\.$/s;

/** Arguments of a tool call are judged as JSON text; some dialects send them as values. */
function argumentsIn(text: string): readonly string[] {
  return text.startsWith('{"a":') ? leavesOf(parseTree(text)) : [];
}

/** Recognises callers' strings by their mark, and their numbers by eight digits or more. */
function isCallers(leaf: string): boolean {
  return leaf.includes("mark") || /^-?[0-9]{8,}$/.test(leaf);
}

/** JSON text of an object, also with repeated names and escaped names. */
type Text = string;

const marked = fc
  .tuple(
    fc.nat(999_999),
    fc.string({ unit: "grapheme", maxLength: 6 }),
    fc.constantFrom("", "\\ud800", "\\udc00", "\\u0000"),
  )
  .map(([id, text, escape]): Text => `${JSON.stringify(`mark ${id} ${text}`).slice(0, -1)}${escape}"`);
const number = fc.integer({ min: 10_000_000, max: 9_999_999_999 }).map(String);
const protocolNames = [
  "content", "role", "name", "text", "type", "tool_calls", "function", "arguments", "custom", "input", "refusal", "tools",
  "description", "parameters", "properties", "enum", "default", "prediction", "stop", "user", "metadata", "image_url",
  "url", "input_audio", "data", "file", "file_data", "response_format", "json_schema", "schema", "variables", "x",
  "message", "messages", "stream", "max_tokens", "seed", "logit_bias", "reasoning_content", "audio", "tool_choice",
]; // prettier-ignore
const hostileNames = [
  "Content", "CONTENT", "con\\u0074ent", "\\u0063ontent", "re\\u017fult", "u\\u017fer", "\\u212aey", "__proto__", "constructor",
  "toJSON", "prototype", "Messages", "me\\u017f\\u017fages", "Model", "Stream", "Max_Tokens", "Variables", "Input",
]; // prettier-ignore
const name = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...protocolNames).map((text): Text => `"${text}"`) },
  { weight: 2, arbitrary: fc.constantFrom(...hostileNames).map((text): Text => `"${text}"`) },
  { weight: 2, arbitrary: marked },
);
const { value } = fc.letrec<{ value: Text }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthSize: "small" },
    { weight: 4, arbitrary: marked },
    number,
    fc.constantFrom("null", "true", '"text"', '"function"', "0.5", "1e400", "12345678901234567890"),
    fc.array(tie("value"), { maxLength: 4 }).map((items) => `[${items.join(",")}]`),
    fc
      .array(fc.tuple(name, tie("value")), { maxLength: 4 })
      .map((members) => `{${members.map((member) => member.join(":")).join(",")}}`),
  ),
}));
const members = fc.array(fc.tuple(name, value), { maxLength: 4 }).map((list) => list.map((member) => member.join(":")));

const part = fc.oneof(
  marked.map((text) => `{"type":"text","text":${text}}`),
  fc.tuple(marked, value).map(([type, odd]) => `{"type":${type},"data":${odd}}`),
  fc.tuple(marked, marked).map(([url, detail]) => `{"type":"image_url","image_url":{"url":${url},"detail":${detail}}}`),
  marked.map((text) => `{"type":"file","file":{"filename":${text},"file_data":"data:text/plain;base64,aGk="}}`),
);
const role = fc.constantFrom("system", "developer", "user", "assistant", "tool").map((text) => `"role":"${text}"`);
const content = fc.oneof(
  marked,
  fc.array(part, { maxLength: 3 }).map((parts) => `[${parts.join(",")}]`),
);
const message = fc
  .tuple(role, content, members)
  .map(([ofRole, text, odd]) => `{${[ofRole, `"content":${text}`, ...odd].join(",")}}`);
const messages = fc.array(message, { minLength: 1, maxLength: 3 }).map((list) => `[${list.join(",")}]`);
const plainMessages = fc
  .array(fc.tuple(fc.constantFrom("system", "user", "assistant"), marked), { minLength: 1, maxLength: 3 })
  .map((list) => `[${list.map(([ofRole, text]) => `{"role":"${ofRole}","content":${text}}`).join(",")}]`);

const bodies: Readonly<Record<Surface, fc.Arbitrary<Text>>> = {
  "chat.direct": chatBody(),
  "chat.dispatcher": chatBody(),
  "mcp.bridge": chatBody(),
  "wrapper.chat": fc
    .tuple(messages, members, value)
    .map(([list, odd, x]) => [`"messages":${list}`, `"variables":{"x":1}`, `"y":${x}`, ...odd].join(",")),
  "wrapper.completions": fc
    .tuple(marked, members)
    .map(([prompt, odd]) => [`"prompt":${prompt}`, `"variables":{"x":1}`, ...odd].join(",")),
  "wrapper.embeddings": fc
    .tuple(
      fc.oneof(
        marked,
        fc.array(marked, { minLength: 1 }).map((list) => `[${list.join(",")}]`),
      ),
      members,
    )
    .map(([input, odd]) => [`"input":${input}`, ...odd].join(",")),
};

function chatBody(): fc.Arbitrary<Text> {
  const said = fc.oneof(
    marked.map((text) => `"message":${text}`),
    plainMessages.map((list) => `"messages":${list}`),
  );
  const variable = fc.oneof(marked, number);
  return fc.tuple(said, variable, members).map(([text, x, odd]) => [text, `"variables":{"x":${x}}`, ...odd].join(","));
}

describe.each(surfaceNames)("on %s", (surface) => {
  it("everything that reaches a provider was judged by the guardrails, and three parsers read it alike", async () => {
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(bodies[surface], async (fields) => {
        const { status, bodies: sent } = await send(surface, fields);
        statuses.add(status);
        for (const body of sent) expectJudged(body);
        expect([200, 400]).toContain(status);
        expect(sent).toHaveLength(status === 200 ? 1 : 0);
      }),
      { numRuns: 250, seed: 11 },
    );
    expect(statuses).toEqual(new Set([200, 400]));
  });

  const said =
    { "wrapper.embeddings": '"input":"x"', "wrapper.completions": '"prompt":"x"' }[surface as string] ??
    '"messages":[{"role":"user","content":"x"}]';
  it.each([
    ["the same key twice", `${said},"x":1,"x":2`],
    ["the same key twice, once in escapes", `${said},"x":1,"\\u0078":2`],
    ["a key that differs in case only", `${said},"user":"a","User":"b"`],
    ["a key that differs by the long s", `${said},"user":"a","u\\u017fer":"b"`],
    ["a key that differs by the Kelvin sign", `${said},"key":"a","\\u212aey":"b"`],
    ["content twice in a message", '"messages":[{"role":"user","content":"harmful","content":"x"}],"input":"x"'],
    ["Content beside content", '"messages":[{"role":"user","content":"x","Content":"harmful"}],"input":"x"'],
  ])("%s is refused, and nothing is sent", async (_what, fields) => {
    expect(await send(surface, fields)).toEqual({ status: 400, bodies: [] });
    expect(shown).toEqual([]);
  });
});

describe("on every dialect", () => {
  const text = marked.map((mark) => mark.replaceAll("\\ud800", "").replaceAll("\\udc00", "").replaceAll("\\u0000", ""));
  const tool = fc
    .tuple(text, text, text)
    .map(
      ([description, title, option]) =>
        `{"type":"function","function":{"name":"f","description":${description},"parameters":{"type":"object","properties":{"a":{"title":${title},"enum":[${option}]}}}}}`,
    );
  const body = fc
    .record({ said: text, seen: text, called: text, result: text, tool, stop: text, format: text })
    .map(({ said, seen, called, result, tool: definition, stop, format }) => {
      const call = `{"id":"c1","type":"function","function":{"name":"f","arguments":${JSON.stringify(`{"a":${called}}`)}}}`;
      return [
        `"messages":[{"role":"system","content":${seen}},{"role":"user","content":[{"type":"text","text":${said}}],"Name":${said}},` +
          `{"role":"assistant","content":null,"tool_calls":[${call}]},{"role":"tool","tool_call_id":"c1","content":${result}}]`,
        `"tools":[${definition}],"stop":[${stop}],"variables":{"x":1}`,
        `"response_format":{"type":"json_schema","json_schema":{"name":"f","schema":{"type":"object","description":${format}}}}`,
        `"Odd":{"odd":${said}}`,
      ].join(",");
    });

  test.each(["anthropic", "google", "mistral", "azure-openai", "bedrock", "openai-compatible"])(
    "of %s",
    async (kind) => {
      const at = await harness.alias({ provider: await harness.provider(kind, harness.upstreamUrl) });
      let sent = 0;
      await fc.assert(
        fc.asyncProperty(body, async (fields) => {
          const { bodies: received } = await send("wrapper.chat", fields, at);
          sent += received.length;
          for (const outgoing of received) expectJudged(outgoing);
        }),
        { numRuns: 30, seed: 11 },
      );
      expect(sent).toBeGreaterThan(0);
    },
  );
});

test("the caller's system and developer messages are judged as such, and the endpoint's prompt is not judged", async () => {
  const list =
    '[{"role":"system","content":"mine"},{"role":"developer","content":"ours"},{"role":"user","content":"hi"}]';
  await send("wrapper.chat", `"messages":${list},"variables":{"x":4111111111111111}`);
  expect(shown).toEqual([
    { role: "user", text: "4111111111111111" },
    { role: "system", text: "mine" },
    { role: "developer", text: "ours" },
    { role: "user", text: "hi" },
  ]);
});

test("a request of many tiny texts is judged in a bounded number of texts, and forwarded whole", async () => {
  const parts = Array.from({ length: 35_000 }, (_, index) => `{"type":"text","text":"p${index}"}`);
  const { bodies: sent } = await send(
    "wrapper.chat",
    `"messages":[{"role":"user","content":[${parts.join(",")}]}],"variables":{"x":1}`,
  );
  expect(shown.length).toBeLessThan(1_000);
  expect(sent[0]).toContain('"p34999"');
  expectJudged(sent[0] ?? "");
});

const calling = `{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"send","arguments":"{}"}}]}`;
const toolMessages = `"messages":[{"role":"user","content":"x"},${calling},{"role":"tool","tool_call_id":"c","content":"sent"}]`;

test.each([
  ["whole", ""],
  ["as a stream", ',"stream":true'],
])("arguments and results of tools are judged with the tool's name, with an answer %s", async (_how, more) => {
  await send("wrapper.chat", `${toolMessages},"variables":{"x":1}${more}`);
  expect(ofTools).toEqual([
    ["send", "{}"],
    ["send", "sent"],
  ]);
});

test("many tiny texts of tools are judged apart from other texts and from one another", async () => {
  const calls = Array.from({ length: 600 }, (_, index) => {
    return `{"id":"c${index}","type":"function","function":{"name":"t${index % 2}","arguments":"{}"}}`;
  });
  const messages = `"messages":[{"role":"user","content":"x"},{"role":"assistant","content":null,"tool_calls":[${calls.join(",")}]}]`;
  await send("wrapper.chat", `${messages},"variables":{"x":1}`);
  expect(ofTools).toEqual(calls.map((_, index) => [`t${index % 2}`, "{}"]));
});
