import { type AuditEvent, auditConsumers } from "@gatehouse/audit";
import { GatewayError } from "@gatehouse/errors";
import { createInProcessTransport, type StreamMessage } from "@gatehouse/events";
import { createRecordingGatewayLog } from "@gatehouse/gateway-log/testing";
import { singlesMax } from "@gatehouse/guardrail-client";
import type { DeepPartial, InspectRequest, InspectResponse } from "@gatehouse/proto/guardrail";
import { OutputCheck, Side, Surface } from "@gatehouse/proto/guardrail";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { ask, newProject, register, startAggregator, type TestAggregator } from "./aggregator.ts";
import { type FakeUpstream, sendJson, startUpstream, type UpstreamHandler } from "./fake-upstream.ts";

const gatewayLog = createRecordingGatewayLog();

let aggregator: TestAggregator;
let upstream: FakeUpstream;
let answer: UpstreamHandler;
let asked: InspectRequest[];
let project: ReturnType<typeof newProject>;

beforeAll(async () => {
  aggregator = await startAggregator({ overrides: { gatewayLog } });
  upstream = await startUpstream((request, res, req) => answer(request, res, req));
});

afterAll(async () => {
  await aggregator.stop();
  await upstream.stop();
});

beforeEach(async () => {
  // A new project, since a project's policy is cached for a moment.
  project = newProject();
  await register(aggregator, project, { prefix: "u", url: upstream.url });
  asked = [];
  upstream.requests.length = 0;
  answer = ({ body }, res) => sendJson(res, { jsonrpc: "2.0", id: body.id, result: { content: [] } });
});

/** A policy that masks `mask` and blocks `block`, by default on both sides. */
function guard(policy: { readonly mask?: string; readonly block?: string; readonly output?: boolean }): void {
  const { mask = "\u0000", block = "\u0000", output = true } = policy;
  aggregator.guardrail.inspect = (request): DeepPartial<InspectResponse> => {
    asked.push(request);
    const texts = request.texts.map(({ text }) => text);
    const outputCheck = output ? OutputCheck.OUTPUT_CHECK_BEFORE_REPLY : OutputCheck.OUTPUT_CHECK_UNSPECIFIED;
    if (texts.some((text) => text.includes(block))) {
      return { blocked: true, reason: "keyword", message: "Request blocked: keyword detected.", outputCheck };
    }
    const maskedSpans = texts.flatMap((text, textIndex) => {
      const starts = text
        .split(mask)
        .slice(0, -1)
        .reduce<number[]>(
          (places, piece) => [...places, (places.at(-1) ?? -mask.length) + mask.length + piece.length],
          [],
        );
      return starts.map((start) => ({ textIndex, start, end: start + mask.length, label: "Masked" }));
    });
    const maskedTexts = maskedSpans.length === 0 ? [] : texts.map((text) => text.replaceAll(mask, "[Masked]"));
    return { maskedTexts, maskedSpans, outputCheck };
  };
}

const call = async (params: string) =>
  await ask(aggregator, project, { method: "tools/call", params: JSON.parse(params) as object });
const sent = () => upstream.requests.at(-1)?.body.params;
const textsOf = (side: Side) => asked.filter((request) => request.side === side).flatMap(({ texts }) => texts);

test("calls without a policy pass unchanged, and their results are not judged", async () => {
  aggregator.guardrail.inspect = (request) => {
    asked.push(request);
    return { policyAbsent: true };
  };
  const { result } = await call('{"name":"u__x","arguments":{"a":"secret"}}');
  expect(result?.isError).toBe(false);
  expect(
    asked.map(({ side, surface, projectUuid, endpointUuid }) => [side, surface, projectUuid, endpointUuid]),
  ).toEqual([[Side.SIDE_INPUT, Surface.SURFACE_MCP, project.projectUuid, ""]]);
});

test("a blocked call is a result with the reason, and reaches no upstream", async () => {
  guard({ block: "falcon" });
  for (const given of ['{"a":"the falcon"}', '{"falcon":1}', '{"a":[{"b":"\\u0066alcon"}]}']) {
    const { result } = await call(`{"name":"u__x","arguments":${given}}`);
    expect(result).toEqual({ content: [{ type: "text", text: "Request blocked: keyword detected." }], isError: true });
  }
  expect(upstream.requests).toEqual([]);
});

test.each([
  ["call", '{"name":"u__x","arguments":{"a":"the falcon"}}'],
  ["result", '{"name":"u__x"}'],
])("a blocked %s is an error in the gateway log", async (_part, params) => {
  guard({ block: "falcon" });
  answer = ({ body }, res) => sendJson(res, { jsonrpc: "2.0", id: body.id, result: { content: [{ text: "falcon" }] } });
  expect((await call(params)).result?.isError).toBe(true);
  const entries = gatewayLog.entries.filter(({ projectUuid }) => projectUuid === project.projectUuid);
  expect(entries).toMatchObject([
    {
      status: 200,
      error: "Request blocked: keyword detected.",
      errorCode: "guardrail_blocked",
      details: { method: "tools/call", tool: "u__x", code: "guardrail_blocked" },
    },
  ]);
});

test("numbers are judged as written, and masked parts are sent masked, with the rest unchanged", async () => {
  guard({ mask: "4111111111111111" });
  await call(
    '{"name":"u__x","arguments":{"card":4111111111111111,"text":"card 4111111111111111!","n":1.5},"_meta":{"k":"v"}}',
  );
  expect(sent()).toEqual({
    name: "x",
    arguments: { card: "[Masked]", text: "card [Masked]!", n: 1.5 },
    _meta: { k: "v" },
  });
});

test("results and errors are judged if the policy says so", async () => {
  guard({ mask: "a@b.example", block: "falcon" });
  const result = (text: string) => ({ result: { content: [{ type: "text", text }] } });
  const answerWith = (envelope: object) => {
    answer = ({ body }, res) => sendJson(res, { jsonrpc: "2.0", id: body.id, ...envelope });
  };
  answerWith(result("write to a@b.example"));
  expect((await call('{"name":"u__x"}')).result).toEqual({
    content: [{ type: "text", text: "write to [Masked]" }],
    isError: false,
  });
  answerWith(result("the falcon"));
  expect((await call('{"name":"u__x"}')).result?.isError).toBe(true);
  answerWith({ error: { code: -32_001, message: "no a@b.example", data: { to: "a@b.example", n: 1 } } });
  expect((await call('{"name":"u__x"}')).error).toEqual({
    code: -32_001,
    message: "no [Masked]",
    data: { to: "[Masked]", n: 1 },
  });
  guard({ mask: "a@b.example", output: false });
  answerWith(result("write to a@b.example"));
  expect((await call('{"name":"u__x"}')).result?.content?.[0]?.text).toBe("write to a@b.example");
});

test.each(['{"a":"falcon","a":"dove"}', '{"a":"dove","A":"falcon"}', '{"b":[{"c":1,"c":2}]}'])(
  "arguments that parsers read differently are refused under a policy, and pass without one: %s",
  async (given) => {
    const send = async () => {
      const reply = await fetch(`${aggregator.origin}/`, {
        method: "POST",
        body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"u__x","arguments":${given}}}`,
        headers: { "x-test-caller": JSON.stringify(project), "content-type": "application/json" },
      });
      return await reply.text();
    };
    guard({ block: "nothing" });
    expect(await send()).toMatch(/Request blocked: under this project's guardrails the arguments must not have .*key/);
    expect(upstream.requests).toEqual([]);
    aggregator.guardrail.inspect = () => ({ policyAbsent: true });
    expect(await send()).toContain('"isError":false');
  },
);

test.each(["4.111111111111111e15", "41111111111111110e-1", "4111111111111111.0", "4111111111111111.25"])(
  "a number is judged by its value, in any spelling: %s",
  async (written) => {
    guard({ block: "4111111111111111" });
    upstream.requests.length = 0;
    const reply = await fetch(`${aggregator.origin}/`, {
      method: "POST",
      body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"u__x","arguments":{"n":${written}}}}`,
      headers: { "x-test-caller": JSON.stringify(project), "content-type": "application/json" },
    });
    expect(await reply.text()).toContain("Request blocked");
    expect(upstream.requests).toEqual([]);
  },
);

test("texts of a result are judged as a tool's, and those of a call as parameters", async () => {
  guard({});
  answer = ({ body }, res) =>
    sendJson(res, { jsonrpc: "2.0", id: body.id, result: { content: [{ type: "text", text: "sunny" }] } });
  await call('{"name":"u__x","arguments":{"city":"Rome"}}');
  const rolesOf = (side: Side) => new Set(textsOf(side).map(({ role }) => role));
  expect(rolesOf(Side.SIDE_INPUT)).toEqual(new Set(["parameter"]));
  expect(rolesOf(Side.SIDE_OUTPUT)).toEqual(new Set(["tool"]));
});

test("small texts are joined into few questions", async () => {
  guard({});
  answer = ({ body }, res) =>
    sendJson(res, { jsonrpc: "2.0", id: body.id, result: { content: [], structuredContent: { many } } });
  const many = Array.from({ length: 5_000 }, (_, index) => index);
  await call(JSON.stringify({ name: "u__x", arguments: { many } }));
  expect(textsOf(Side.SIDE_INPUT).length).toBeLessThan(100);
  expect(textsOf(Side.SIDE_OUTPUT).length).toBeLessThan(100);
  expect(sent()?.["arguments"]).toEqual({ many });
});

test("more texts than can be judged are refused under a policy, and pass without one", async () => {
  const many = JSON.stringify({ name: "u__x", arguments: { many: Array.from({ length: 60_000 }, () => 1) } });
  guard({});
  expect((await call(many)).result?.content?.[0]?.text).toBe(
    "Request blocked: under this project's guardrails the arguments must not hold more than 50000 texts.",
  );
  aggregator.guardrail.inspect = () => ({ policyAbsent: true });
  expect((await call(many)).result?.isError).toBe(false);
});

test("calls of a project with a policy fail without the guardrails, and reach no upstream", async () => {
  guard({});
  await call('{"name":"u__x"}');
  upstream.requests.length = 0;
  aggregator.guardrail.inspect = () => {
    throw new GatewayError("unavailable", "away");
  };
  const { error } = await call('{"name":"u__x"}');
  const message = "The guardrails of this project cannot be reached. Try again shortly.";
  expect(error).toEqual({ code: -32_603, message, data: { retry_after: 1 } });
  expect(upstream.requests).toEqual([]);
});

test("many blocked calls of one kind make ten audit events at once, and no more", async () => {
  const seen: AuditEvent[] = [];
  const transport = createInProcessTransport();
  for (const name of auditConsumers) {
    const store = async (messages: readonly StreamMessage[]) => {
      if (name === "logbook") seen.push(...messages.map(({ body }) => JSON.parse(body) as AuditEvent));
      await Promise.resolve();
    };
    transport.consume({ stream: "audit", name, batchSizeMax: 100, store });
  }
  await transport.start();
  const own = await startAggregator({ overrides: { events: transport } });
  own.guardrail.inspect = () => ({
    blocked: true,
    reason: "pii",
    message: "Request blocked: E-Mail detected in input.",
  });
  const caller = newProject(17);
  await register(own, caller, { prefix: "u", url: upstream.url });
  for (let count = 0; count < 2 * singlesMax; count += 1) {
    await ask(own, caller, { method: "tools/call", params: { name: "u__x", arguments: {} } });
  }
  const blocked = () => seen.filter(({ event }) => event === "guardrail.blocked").map(({ metadata }) => metadata);
  await expect.poll(blocked).toHaveLength(singlesMax);
  expect(blocked()[0]).toMatchObject({ tool: "u__x", detector: "pii", side: "input", count: 1 });
  await own.stop();
});

test("arguments and results are also judged as whole values if a pattern has a path", async () => {
  const documentsOf = (side: Side) =>
    asked.filter((request) => request.side === side && request.areDocuments).flatMap(({ texts }) => texts);
  const result = {
    content: [{ type: "text", text: '{"d":4}' }],
    structuredContent: { c: { ssn: "3" } },
  };
  answer = ({ body }, res) => sendJson(res, { jsonrpc: "2.0", id: body.id, result });
  guard({});
  await call('{"name":"u__x","arguments":{"a":{"b":"1"}}}');
  expect(asked.map(({ areDocuments }) => areDocuments)).toEqual([false, false]);
  const { inspect } = aggregator.guardrail;
  let blocked: string | undefined;
  aggregator.guardrail.inspect = (request) => {
    const { blocked: _no, ...given } = inspect(request);
    const isBlocked = request.areDocuments && request.texts.some(({ text }) => text === blocked);
    return { ...given, asksDocuments: true, blocked: isBlocked, message: "Request blocked: path.", reason: "pattern" };
  };
  await call('{"name":"u__x","arguments":{"a":{"b":"1"},"s":"[2]"}}');
  expect(documentsOf(Side.SIDE_INPUT)).toMatchObject([
    { role: "parameter", text: '{"a":{"b":"1"},"s":"[2]"}', tool: "u__x" },
    { role: "parameter", text: "[2]", tool: "u__x" },
  ]);
  expect(documentsOf(Side.SIDE_OUTPUT)).toMatchObject([{ role: "tool", text: '{"c":{"ssn":"3"}}', tool: "u__x" }]);
  // A text that is JSON is judged alone, where patterns with a path are about it.
  const texts = asked.filter(({ areDocuments }) => !areDocuments).flatMap((request) => request.texts);
  expect(texts).toContainEqual(expect.objectContaining({ role: "tool", text: '{"d":4}', tool: "u__x" }));
  const refused = { content: [{ type: "text", text: "Request blocked: path." }], isError: true };
  for (const text of ['{"c":{"ssn":"3"}}', '{"a":9}']) {
    blocked = text;
    expect((await call('{"name":"u__x","arguments":{"a":9}}')).result).toEqual(refused);
  }
  blocked = '{"left":0}';
  answer = ({ body }, res) =>
    sendJson(res, { jsonrpc: "2.0", id: body.id, error: { code: -32_001, message: "m", data: { left: 0 } } });
  expect((await call('{"name":"u__x"}')).result).toEqual(refused);
});

test("values of placeholders are restored in a call's result after it is judged", async () => {
  guard({ mask: "b@b.example" });
  const { inspect } = aggregator.guardrail;
  aggregator.guardrail.inspect = (request) => {
    const given = inspect(request);
    const { maskedTexts = [], maskedSpans = [] } = given;
    if (request.side === Side.SIDE_OUTPUT || maskedTexts.length === 0) return given;
    const label = "Masked 1";
    return {
      ...given,
      maskedTexts: maskedTexts.map((text) => text.replaceAll("[Masked]", `[${label}]`)),
      maskedSpans: maskedSpans.map((span) => ({ ...span, label })),
      placeholders: [{ label, value: 'a"b@b.example' }],
    };
  };
  answer = ({ body }, res) => {
    const content = [
      { type: "text", text: "sent to [masked 1] and b@b.example" },
      { type: "text", text: '{"to":"[Masked 1]"}' },
    ];
    sendJson(res, { jsonrpc: "2.0", id: body.id, result: { content, structuredContent: { "[Masked 1]": [1] } } });
  };
  const { result } = await call('{"name":"u__x","arguments":{"to":"b@b.example"}}');
  expect(sent()?.["arguments"]).toEqual({ to: "[Masked 1]" });
  expect(result).toMatchObject({
    content: [{ text: 'sent to a"b@b.example and [Masked]' }, { text: String.raw`{"to":"a\"b@b.example"}` }],
    structuredContent: { 'a"b@b.example': [1] },
    isError: false,
  });
  answer = ({ body }, res) =>
    sendJson(res, { jsonrpc: "2.0", id: body.id, error: { code: -32_001, message: "no [Masked 1]" } });
  expect((await call('{"name":"u__x","arguments":{"to":"b@b.example"}}')).error?.message).toBe('no a"b@b.example');
  expect((await call('{"name":"u__x","arguments":{}}')).error?.message).toBe("no [Masked 1]");
});
