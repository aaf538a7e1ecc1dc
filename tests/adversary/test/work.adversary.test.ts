import { mkdirSync, writeFileSync } from "node:fs";
import {
  answer,
  answerWith,
  type EndpointFixture,
  type Exchange,
  type ProjectFixture,
  uniqueName,
} from "@gatehouse/e2e";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { bodySizeBytesMax, residentGrowthBytesMax } from "../src/bars.ts";
import { mebibytes } from "../src/measure.ts";
import { replyBytes, replyResult } from "../src/misbehaviour.ts";
import { type AdversaryWorld, openAdversaryWorld } from "../src/world.ts";

/** Work of the chat service for one request: counting, decoding, looking up, checking, caching. */
let world: AdversaryWorld;
let ai: ProjectFixture;
let wrapper: ProjectFixture;
let mock: string;
const figures: string[] = [];
const unlimited = { rate_limit_per_minute: null, rate_limit_per_hour: null };

beforeAll(async () => {
  world = await openAdversaryWorld();
  ai = await world.project(unlimited);
  wrapper = await world.project({ ...unlimited, project_type: "ai_wrapper" });
  mock = uniqueName("mock");
  await world.control.call("svc_create_provider", { name: mock, kind: "mock" });
});
afterAll(async () => {
  await world.stop();
  mkdirSync(".results/adversary", { recursive: true });
  writeFileSync(".results/adversary/work.txt", `${figures.join("\n")}\n`);
});
beforeEach(() => world.provider.play(answer("ok")));

/** Sends one body and compares its cost with the bars. */
async function expectHarmless(name: string, path: string, { token, body, status }: Sent): Promise<Exchange> {
  const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  let reply: Exchange | undefined;
  const cost = await world.meter.expectHarmless(async () => {
    reply = await world.ask(path, { token, body: bytes });
  });
  const { stall, cpuMs, residentGrowthBytes: grown } = cost;
  figures.push(
    `${name}: ${bytes.length} bytes, stall ${stall.longestOwnMs.toFixed(0)} ms, CPU ${cpuMs.toFixed(0)} ms, +${mebibytes(grown)}`,
  );
  if (reply === undefined) throw new Error("Nothing was sent.");
  expect(reply.status, reply.text.slice(0, 500)).toBe(status);
  return reply;
}

interface Sent {
  readonly token: string;
  readonly body: unknown;
  readonly status: number;
}

const room = 1_024;
const many = (count: number) => Array.from({ length: count }, (_, index) => index);
const run = "a".repeat(bodySizeBytesMax - room);
const capped = { max_request_tokens: 1_000 };

async function wrapped(settings: object = {}): Promise<EndpointFixture> {
  return await world.endpoint({ ...settings }, wrapper);
}

const completions = () => `/api/${wrapper.project}/v1/chat/completions`;
const embeddings = () => `/api/${wrapper.project}/v1/embeddings`;

describe("counting tokens harms no other caller", () => {
  const shapes: readonly (readonly [string, string])[] = [
    ["a run of letters", run],
    ["a run of spaces", `a${" ".repeat(bodySizeBytesMax - room)}b`],
    ["ideographs", "字".repeat(1_390_000)],
    ["pictures", "🙂".repeat(1_040_000)],
    ["slashes and line ends", "/\\n".repeat(1_390_000)],
    ["words of no language", Buffer.from(many(2_000_000).map((at) => 97 + ((at * at * 7) % 26))).toString()],
  ];

  test.each(shapes)("of %s over a cap", async (name, text) => {
    const { path, token } = await world.endpoint(capped, ai);
    const reply = await expectHarmless(`cap, ${name}`, path, { token, body: `{"message":"${text}"}`, status: 422 });
    expect(reply.body["error"]).toMatch(/^Request exceeds endpoint per-request token limit: ~\d+ tokens estimated/);
  });

  test("of a run of letters, to a provider that reports no usage", async () => {
    const { path, token } = await world.endpoint({}, ai);
    const message = { role: "assistant", content: "ok" };
    world.provider.play(
      answerWith({ id: "i", model: "m", created: 1, choices: [{ index: 0, message, finish_reason: "stop" }] }),
    );
    await expectHarmless("usage, a run of letters", path, { token, body: `{"message":"${run}"}`, status: 200 });
  });

  test("of a run of letters, and of a repeated word, to the mock provider", async () => {
    const { path, token } = await world.endpoint({ targets: [{ provider: mock, model: "m" }] }, ai);
    await expectHarmless("mock, a run of letters", path, { token, body: `{"message":"${run}"}`, status: 200 });
    const body = `{"message":"[[mock length=100000]] ${"a".repeat(1_000_000)}"}`;
    await expectHarmless("mock, a word repeated", path, { token, body, status: 502 });
  });

  test("of tiny messages and tiny parts over a cap", async () => {
    const { slug } = await wrapped(capped);
    const { token } = wrapper;
    const messages = many(10_000).map(() => ({ role: "user", content: "a ".repeat(150) }));
    await expectHarmless("cap, 10,000 messages", completions(), {
      token,
      body: { model: slug, messages },
      status: 422,
    });
    const content = many(39_000).map(() => ({ type: "text", text: "a" }));
    const body = { model: slug, messages: [{ role: "user", content }] };
    await expectHarmless("cap, 39,000 parts", completions(), { token, body, status: 422 });
  });

  test("of the largest number of tools in a body", async () => {
    const { token } = wrapper;
    const messages = [{ role: "user", content: "Hello" }];
    const tools = many(79_000).map(() => ({ type: "a" }));
    for (const [name, settings, statuses] of [
      ["plain", {}, 200],
      ["capped", capped, 422],
    ] as const) {
      const { slug } = await wrapped(settings);
      const body = { model: slug, messages, tools };
      await expectHarmless(`tools, ${name}`, completions(), { token, body, status: statuses });
    }
  });
});

describe("embeddings", () => {
  test("ids beyond the bounds are refused before anything is looked up or decoded", async () => {
    const { token } = wrapper;
    const one = { model: "missing", input: many(800_000).map(() => 187) };
    await expectHarmless("ids, one input", embeddings(), { token, body: one, status: 400 });
    const input = many(100).map(() => many(4_000).map(() => 187));
    await expectHarmless("ids, many inputs", embeddings(), { token, body: { model: "missing", input }, status: 400 });
  });

  test("ids within the bounds harm no other caller, with or without an endpoint", async () => {
    const { slug } = await wrapped(capped);
    const { token } = wrapper;
    const input = many(36).map(() => many(8_192).map(() => 187));
    await expectHarmless("ids, no endpoint", embeddings(), { token, body: { model: "missing", input }, status: 404 });
    await expectHarmless("ids, an endpoint", embeddings(), { token, body: { model: slug, input }, status: 422 });
  });

  test("the mock provider's vectors are bounded", async () => {
    const { slug } = await wrapped({ targets: [{ provider: mock, model: "m" }] });
    const { token } = wrapper;
    const body = { model: slug, input: many(2_048).map(() => "a"), dimensions: 4_096 };
    await expectHarmless("vectors, too many", embeddings(), { token, body, status: 502 });
    const most = { model: slug, input: many(512).map(() => "a") };
    await expectHarmless("vectors, most", embeddings(), { token, body: most, status: 200 });
  });
});

describe("names", () => {
  test("a name of 4 MiB is not found, with a short reply", async () => {
    const { token, project } = ai;
    const body = `{"message":"Hello","endpoint":"${run}"}`;
    const reply = await expectHarmless("name, dispatcher", `/api/${project}/chat/completions`, {
      token,
      body,
      status: 404,
    });
    expect(reply.text.length).toBeLessThan(300);
    const alias = `{"model":"${run}","messages":[{"role":"user","content":"Hello"}]}`;
    await expectHarmless("name, Wrapper", completions(), { token: wrapper.token, body: alias, status: 404 });
  });

  test("many names of 4 MiB leak no memory", async () => {
    const { token, project } = ai;
    const ask = async (index: number) => {
      const body = Buffer.from(`{"message":"Hello","endpoint":"${index}${run}"}`);
      expect((await world.ask(`/api/${project}/chat/completions`, { token, body })).status).toBe(404);
    };
    const cost = await world.meter.measure(async () => {
      for (const index of many(100)) await ask(index);
    });
    figures.push(`name, 100 of them: +${mebibytes(cost.residentGrowthBytes)}`);
    expect(cost.residentGrowthBytes).toBeLessThan(residentGrowthBytesMax);
  });
});

describe("checking schemas harms no other caller", () => {
  const objects = many(200_000).map((index) => ({ a: index }));

  test.each<[string, { readonly items?: object; readonly $defs?: object }, unknown, number]>([
    ["unique objects", { items: { uniqueItems: true } }, objects.slice(0, 79_000), 200],
    ["unique numbers", { items: { uniqueItems: true } }, many(390_000), 200],
    ["unique texts", { items: { uniqueItems: true } }, many(390_000).map((at) => `t${at}`), 200],
    [
      "items that fail",
      { items: { type: "object", properties: { list: { items: { type: "string" } } } } },
      many(390_000),
      422,
    ],
    [
      "deep nesting",
      { $defs: { l: { uniqueItems: true, items: { $ref: "#/$defs/l" } } }, items: { $ref: "#/$defs/l" } },
      [JSON.parse("[".repeat(100) + "]".repeat(100)), ...many(190_000).map(() => [])],
      422,
    ],
    [
      "alternatives",
      { items: { items: { anyOf: [{ required: ["x"] }, { minProperties: 2 }, { type: "object" }] } } },
      objects.slice(0, 79_000),
      200,
    ],
  ])("%s", async (...[name, { items, ...rest }, value, status]) => {
    const schema = { type: "object", properties: { list: items }, ...rest };
    const { path, token } = await world.endpoint({ input_schema: schema }, ai);
    await expectHarmless(`schema, ${name}`, path, { token, body: { message: "Hello", list: value }, status });
  });

  test("with a pattern over 4 MiB", async () => {
    const schema = { type: "object", properties: { message: { type: "string", pattern: "^(a+)+$" } } };
    const { path, token } = await world.endpoint({ input_schema: schema }, ai);
    await expectHarmless("schema, a pattern", path, { token, body: `{"message":"${run}"}`, status: 200 });
  });

  test("with a schema of 900 parts", async () => {
    const schema = { properties: Object.fromEntries(many(900).map((at) => [`p${at}`, { type: "string" }])) };
    const { path, token } = await world.endpoint({ input_schema: schema }, ai);
    await expectHarmless("schema, 900 parts", path, { token, body: { message: "Hello", p7: 1 }, status: 422 });
  });

  // A model's JSON has the same bounds as a request's.
  test.each([
    ["of 3 MB", objects.slice(0, 79_000).map(({ a }) => ({ a: `${a} ${"x".repeat(28)}` })), 200],
    ["of 3 MB with more values than a request may have", objects, 502],
  ])("with an output %s", async (name, output, status) => {
    const { path, token } = await world.endpoint({ output_schema: { type: "array", uniqueItems: true } }, ai);
    world.provider.play(answer(JSON.stringify(output)));
    await expectHarmless(`schema, an output ${name}`, path, { token, body: { message: "Hello" }, status });
  });
});

describe("calls through a package that handles bodies as a whole harm no other caller", () => {
  const usage = '"usage":{"input_tokens":1,"output_tokens":1}';
  const message = (content: string) =>
    `{"id":"m","type":"message","role":"assistant","model":"c","content":[${content}],"stop_reason":"end_turn",${usage}}`;
  const part = (text: string) => `{"type":"text","text":"${text}"}`;

  async function anthropic(): Promise<EndpointFixture> {
    const provider = uniqueName("anthropic");
    const base_url = `${world.upstream.url}/v1`;
    await world.control.call("svc_create_provider", { name: provider, kind: "anthropic", base_url });
    await world.control.call("svc_create_credential", { provider, name: "main", api_key: "test-key" });
    return await wrapped({ targets: [{ provider, model: "m" }] });
  }

  test.each([
    [
      "10,000 messages",
      many(10_000).map((at) => ({ role: at % 2 === 0 ? "user" : "assistant", content: "a ".repeat(150) })),
    ],
    ["39,000 parts", [{ role: "user", content: many(39_000).map(() => ({ type: "text", text: "a" })) }]],
    ["one text", [{ role: "user", content: run }]],
  ])("a call with %s", async (name, messages) => {
    const { slug, token } = await anthropic();
    world.upstream.play(replyBytes(message(part("ok"))));
    await expectHarmless(`package, ${name}`, completions(), { token, body: { model: slug, messages }, status: 200 });
  });

  test.each([
    ["one text", part("a".repeat(8_000_000)), 200],
    ["one text of 16 MB", part("a".repeat(16_000_000)), 502],
    [
      "parts",
      many(15_000)
        .map(() => part("a"))
        .join(),
      200,
    ],
    [
      "too many parts",
      many(300_000)
        .map(() => part("a"))
        .join(),
      502,
    ],
  ])("a reply with %s", async (name, content, status) => {
    const { slug, token } = await anthropic();
    world.upstream.play(replyBytes(message(content)));
    const body = { model: slug, messages: [{ role: "user", content: "Hello" }] };
    await expectHarmless(`package, reply, ${name}`, completions(), { token, body, status });
  });
});

describe("replies of 16 MB harm no other caller", () => {
  const large = 16_000_000;

  test.each([
    ["letters", "a".repeat(large)],
    ["words", "word ".repeat(large / 5)],
    ["escapes", "\u0001".repeat(large / 6)],
  ])("of a provider: %s", async (name, content) => {
    const { path, token } = await world.endpoint({}, ai);
    world.provider.play(answer(content));
    await expectHarmless(`reply, ${name}`, path, { token, body: { message: "Hello" }, status: 200 });
  });

  test("of an MCP upstream, as a result and as an event", async () => {
    const gateway = await world.project({ type: "mcp_gateway", scopes: ["mcp"], ...unlimited });
    await world.control.call("svc_create_upstream", {
      project: gateway.project,
      prefix: "up",
      url: world.upstream.url,
    });
    const result = JSON.stringify({ content: [{ type: "text", text: "a".repeat(large) }] });
    for (const contentType of ["application/json", "text/event-stream"]) {
      world.upstream.play(replyResult(result, { contentType }));
      await expectHarmless(`reply, ${contentType}`, `/api/${gateway.project}/mcp`, {
        token: gateway.token,
        body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "up__echo", arguments: {} } },
        status: 200,
      });
    }
  });
});

test("each turn of a session with large turns harms no other caller", async () => {
  const { path, token } = await world.endpoint({}, ai);
  const body = JSON.stringify({ message: "a ".repeat(1_950_000), session_id: crypto.randomUUID() });
  for (const turn of many(6)) await expectHarmless(`session, turn ${turn}`, path, { token, body, status: 200 });
  const small = JSON.stringify({ message: "a ".repeat(100_000), session_id: crypto.randomUUID() });
  for (const turn of many(12))
    await expectHarmless(`session of 200 KB turns, ${turn}`, path, { token, body: small, status: 200 });
});
