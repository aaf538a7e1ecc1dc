import { hash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { freeListsPerMinute } from "@gatehouse/mcp";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  ask,
  callTool,
  newProject,
  post,
  register,
  startAggregator,
  type TestAggregator,
  toolNames,
} from "./aggregator.ts";
import {
  bareHandler,
  echoTool,
  type FakeUpstream,
  sendJson,
  startUpstream,
  type UpstreamHandler,
} from "./fake-upstream.ts";
import { startSessionUpstream } from "./session-upstream.ts";

let aggregator: TestAggregator;
const started: FakeUpstream[] = [];

beforeAll(async () => {
  aggregator = await startAggregator();
});

afterAll(async () => {
  await aggregator.stop();
  await Promise.all(started.map(async (upstream) => await upstream.stop()));
});

/** A project with an upstream `u`. */
async function withUpstream(handler: UpstreamHandler, settings: object = {}) {
  const upstream = await startUpstream(handler);
  started.push(upstream);
  const project = newProject();
  const registered = await register(aggregator, project, { prefix: "u", url: upstream.url, settings });
  return { upstream, project, id: registered.id };
}

/** Pseudonym of a project for upstreams. */
const hopOf = ({ projectUuid }: { readonly projectUuid: string }) => hash("sha256", projectUuid, "hex").slice(0, 16);

const stream = { "content-type": "text/event-stream" };
const text = (value: string) => ({ content: [{ type: "text", text: value }] });
const reply = (id: unknown, value: string) => JSON.stringify({ jsonrpc: "2.0", id, result: text(value) });

async function expectAnswer(handler: UpstreamHandler, expected = "yes"): Promise<FakeUpstream> {
  const { project, upstream } = await withUpstream(handler);
  const answer = await callTool(aggregator, project, { name: "u__echo", arguments: {} });
  expect(answer).toEqual({ jsonrpc: "2.0", id: 1, result: { ...text(expected), isError: false } });
  return upstream;
}

const notification = JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params: { progress: 1 } });

test.each([301, 302, 303, 307, 308])(
  "a redirect with status %i within the upstream's origin is not followed",
  async (status) => {
    const { project, upstream } = await withUpstream(({ body, url }, res) => {
      if (url === "/mcp") res.writeHead(status, { location: "/mcp/" }).end();
      else res.writeHead(200).end(reply(body.id, "yes"));
    });

    const { error } = await callTool(aggregator, project, { name: "u__echo", arguments: {} });
    expect(error).toEqual({ code: -32603, message: "Upstream 'u' answered with a redirect that is not followed." });
    expect(upstream.requests.map(({ url }) => url)).toEqual(["/mcp"]);
  },
);

test.each([
  ["JSON", ({ body }, res) => res.writeHead(200, { "content-type": "application/json" }).end(reply(body.id, "yes"))],
  [
    "JSON with a charset",
    ({ body }, res) =>
      res.writeHead(200, { "content-type": "application/json; charset=utf-8" }).end(reply(body.id, "yes")),
  ],
  [
    "JSON that says it is text",
    ({ body }, res) => res.writeHead(200, { "content-type": "text/plain" }).end(reply(body.id, "yes")),
  ],
  ["JSON that says it is a stream", ({ body }, res) => res.writeHead(200, stream).end(reply(body.id, "yes"))],
  ["JSON with a byte order mark", ({ body }, res) => res.writeHead(200).end(`\uFEFF${reply(body.id, "yes")}`)],
  ["JSON without a type", ({ body }, res) => res.writeHead(200).end(reply(body.id, "yes"))],
  ["an array of one", ({ body }, res) => res.writeHead(200).end(`[${reply(body.id, "yes")}]`)],
  [
    "a stream that says it is JSON",
    ({ body }, res) =>
      res.writeHead(200, { "content-type": "application/json" }).end(`data: ${reply(body.id, "yes")}\n\n`),
  ],
  ["a stream", ({ body }, res) => res.writeHead(200, stream).end(`event: message\ndata: ${reply(body.id, "yes")}\n\n`)],
  [
    "a stream with CR LF",
    ({ body }, res) => res.writeHead(200, stream).end(`event: message\r\ndata: ${reply(body.id, "yes")}\r\n\r\n`),
  ],
  ["a stream with CR", ({ body }, res) => res.writeHead(200, stream).end(`data: ${reply(body.id, "yes")}\r\r`)],
  [
    "a stream without its last line",
    ({ body }, res) => res.writeHead(200, stream).end(`data: ${reply(body.id, "yes")}`),
  ],
  [
    "a stream with data on many lines",
    ({ body }, res) =>
      res
        .writeHead(200, stream)
        .end(`data: ${JSON.stringify(JSON.parse(reply(body.id, "yes")), null, 1).replaceAll("\n", "\ndata: ")}\n\n`),
  ],
  [
    "a stream with news before",
    ({ body }, res) =>
      res
        .writeHead(200, stream)
        .end(`: hi\n\nid: 1\ndata:\n\ndata: ${notification}\n\ndata: ${reply(body.id, "yes")}\n\n`),
  ],
  [
    "a stream with an array",
    ({ body }, res) => res.writeHead(200, stream).end(`data: [${notification},${reply(body.id, "yes")}]\n\n`),
  ],
  [
    "a stream that stays open",
    ({ body }, res) => res.writeHead(200, stream).write(`data: ${reply(body.id, "yes")}\n\n`),
  ],
  ["gzip", ({ body }, res) => res.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(reply(body.id, "yes")))],
  [
    "a stream in gzip",
    ({ body }, res) =>
      res.writeHead(200, { ...stream, "content-encoding": "gzip" }).end(gzipSync(`data: ${reply(body.id, "yes")}\n\n`)),
  ],
  [
    "a stream in single bytes",
    ({ body }, res) => {
      res.writeHead(200, stream);
      for (const byte of Buffer.from(`data: ${reply(body.id, "yes")}\n\n`)) res.write(Buffer.of(byte));
      res.end();
    },
  ],
] satisfies [string, UpstreamHandler][])("an answer as %s is read", async (_form, handler) => {
  await expectAnswer(handler);
});

test.each([
  ["an answer in JSON", "application/json", (id: unknown) => reply(id, "yes")],
  ["an answer in a stream", "text/event-stream", (id: unknown) => `data: ${reply(id, "yes")}\n\n`],
])("duplicate headers of %s count once", async (_form, type, write) => {
  await expectAnswer(({ body }, res) => {
    const names = { "content-type": type, "mcp-session-id": "s", location: "/a", "x-other": "1" };
    res.writeHead(200, [...Object.entries(names), ...Object.entries(names)].flat()).end(write(body.id));
  });
});

test("a stream that ends before its answer is resumed after the requested time, and the call is not sent again", async () => {
  let id: unknown;
  const upstream = await expectAnswer(({ method, body, headers }, res) => {
    if (method === "POST") {
      id = body.id;
      res.writeHead(200, stream).end("id: 41\nretry: 20\ndata:\n\n");
    } else if (headers["last-event-id"] === "41") res.writeHead(200, stream).end("id: 42\ndata:\n\n");
    else res.writeHead(200, stream).end(`id: 43\ndata: ${reply(id, "yes")}\n\n`);
  });
  expect(upstream.requests.map(({ method, headers }) => [method, headers["last-event-id"]])).toEqual([
    ["POST", undefined],
    ["GET", "41"],
    ["GET", "42"],
  ]);
});

test.each([
  ["before its head", (res: ServerResponse) => void res.destroy()],
  ["after its head", (res: ServerResponse) => void res.writeHead(200, stream).write(":\n\n", () => res.destroy())],
  ["in an orderly way", (res: ServerResponse) => void res.writeHead(200, stream).end()],
])("a resumption that ends %s and without an event is tried again after the same event", async (_when, lose) => {
  let id: unknown;
  let lost = 0;
  const upstream = await expectAnswer(({ method, body }, res) => {
    if (method === "POST") {
      id = body.id;
      res.writeHead(200, stream).end("id: 41\nretry: 20\ndata:\n\n");
    } else if (++lost <= 2) lose(res);
    else res.writeHead(200, stream).end(`id: 42\ndata: ${reply(id, "yes")}\n\n`);
  });
  expect(upstream.requests.map(({ method, headers }) => [method, headers["last-event-id"]])).toEqual([
    ["POST", undefined],
    ["GET", "41"],
    ["GET", "41"],
    ["GET", "41"],
  ]);
});

test("an upstream that ends each stream at once is resumed a few times within a call, at increasing intervals", async () => {
  const { project, upstream } = await withUpstream(
    (_request, res) => void res.writeHead(200, stream).end("id: 1\nretry: 0\ndata:\n\n"),
    { call_timeout_ms: 1_000 },
  );
  const answer = await callTool(aggregator, project, { name: "u__echo", arguments: {} });
  expect(answer).toMatchObject({ error: { code: -32603 } });
  const resumptions = upstream.requests.filter(({ method }) => method === "GET").length;
  expect(resumptions).toBeGreaterThan(3);
  // Waits grow by a quarter from 20 ms on: 20 ms × (1.25¹² - 1) / 0.25 is over a second.
  expect(resumptions).toBeLessThanOrEqual(12);
});

test("an upstream's ping in the stream is answered, and its other requests are refused", async () => {
  const questions = ["ping", "sampling/createMessage"].map((method, id) =>
    JSON.stringify({ jsonrpc: "2.0", id: `q${id}`, method }),
  );
  const upstream = await expectAnswer(({ body }, res) => {
    if (body.method === undefined) res.writeHead(202).end();
    else
      res
        .writeHead(200, stream)
        .end(`${questions.map((question) => `data: ${question}\n\n`).join("")}data: ${reply(body.id, "yes")}\n\n`);
  });
  await expect.poll(() => upstream.requests.length).toBe(3);
  const answers = upstream.requests.slice(1).map(({ body }) => body);
  expect(answers).toContainEqual({ jsonrpc: "2.0", id: "q0", result: {} });
  expect(answers).toContainEqual({
    jsonrpc: "2.0",
    id: "q1",
    error: expect.objectContaining({ code: -32601 }) as unknown,
  });
});

test.each([
  ["breaks off", (_request, res) => void res.socket?.destroy()],
  [
    "breaks off inside its answer",
    (_request, res) => {
      res.writeHead(200, { "content-type": "application/json" }).write('{"jsonrpc"');
      // Sent after the written bytes.
      res.socket?.end();
    },
  ],
  ["answers 500", (_request, res) => void res.writeHead(500).end()],
  ["answers 502", (_request, res) => void res.writeHead(502).end()],
  ["ends its stream", (_request, res) => void res.writeHead(200, stream).end(": bye\n\n")],
  ["answers 401", (_request, res) => void res.writeHead(401).end()],
  [
    "says in an error of its own that a session is missing",
    ({ body }, res) =>
      sendJson(res, {
        jsonrpc: "2.0",
        id: body.id,
        error: { code: -32000, message: "the user's session has expired" },
      }),
  ],
] satisfies [string, UpstreamHandler][])("a call is not sent twice when the upstream %s", async (_what, handler) => {
  let calls = 0;
  const { project } = await withUpstream((request, res, req) => {
    const isCall = request.body.method === "tools/call";
    if (isCall) calls += 1;
    (isCall ? handler : bareHandler())(request, res, req);
  });
  // Makes the upstream known as one that needs no handshake.
  await toolNames(aggregator, project);
  expect((await callTool(aggregator, project, { name: "u__echo" })).error).toBeDefined();
  expect(calls).toBe(1);
});

test.each([-32_000, -32_042, -32_021, -32_022, -32_099, -32_602])(
  "the upstream's error %i is returned unchanged, with its data",
  async (code) => {
    const error = { code, message: "Upstream says no.", data: { why: ["a", 1] } };
    const { project } = await withUpstream(({ body }, res) => sendJson(res, { jsonrpc: "2.0", id: body.id, error }));
    expect((await callTool(aggregator, project, { name: "u__echo" })).error).toEqual(error);
  },
);

test.each([401, 403, 429, 500])("the upstream's error is returned unchanged with HTTP %i", async (status) => {
  const error = { code: -32_001, message: "Not this account.", data: { account: 7 } };
  const { project } = await withUpstream(({ body }, res) =>
    sendJson(res, { jsonrpc: "2.0", id: body.id, error }, status),
  );
  expect((await callTool(aggregator, project, { name: "u__echo" })).error).toEqual(error);
});

test.each(["-32000.5", '"-32000"', "null", "1e400"])("an error with the code %s is malformed", async (code) => {
  const { project } = await withUpstream(({ body }, res) => {
    const id = String(body.id);
    res.writeHead(200).end(`{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":"no"}}`);
  });
  expect((await callTool(aggregator, project, { name: "u__echo" })).error).toEqual({
    code: -32603,
    message: "Upstream 'u' sent a malformed response.",
  });
});

test.each([-32_601, -32_603, -32_700, -31_999, -32_100, 42])(
  "the upstream's error %i is replaced by one of the gateway",
  async (code) => {
    const error = { code, message: "Upstream says no." };
    const { project } = await withUpstream(({ body }, res) => sendJson(res, { jsonrpc: "2.0", id: body.id, error }));
    expect((await callTool(aggregator, project, { name: "u__echo" })).error).toEqual({
      code: -32603,
      message: `Upstream 'u' answered with error ${code}: Upstream says no.`,
    });
  },
);

test("a result is returned unchanged, unknown members included, and isError is filled in", async () => {
  const { project } = await withUpstream(({ body }, res) => {
    const result =
      '{"content":[{"type":"image","data":"","mimeType":"a/b"}],"structuredContent":{"n":12345678901234567890,"e":1e400,"f":1.0},"x":null}';
    res.writeHead(200).end(`{"jsonrpc":"2.0","id":${String(body.id)},"result":${result}}`);
  });
  const body = '{"jsonrpc":"2.0","id":12345678901234567890,"method":"tools/call","params":{"name":"u__echo"}}';
  expect((await post(aggregator, project, { body })).text).toBe(
    '{"jsonrpc":"2.0","id":12345678901234567890,"result":{"content":[{"type":"image","data":"","mimeType":"a/b"}],' +
      '"structuredContent":{"n":12345678901234567890,"e":1e400,"f":1.0},"x":null,"isError":false}}',
  );
});

test("arguments reach the upstream unchanged, including numbers that JavaScript would round", async () => {
  const { project, upstream } = await withUpstream(({ body }, res) => res.writeHead(200).end(reply(body.id, "yes")));
  const params =
    '{"name":"u__echo","arguments":{"n":12345678901234567890,"id":1e400,"f":2.50,"s":"1"},"_meta":{"x":null}}';
  await post(aggregator, project, { body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}` });
  expect(upstream.requests[0]?.text).toContain(`"params":${params.replace("u__", "")}`);
});

test("a caller that leaves ends the upstream's request, and the upstream is notified", async () => {
  const closed = Promise.withResolvers<unknown>();
  const { project, upstream } = await withUpstream(({ body }, res) => {
    if (body.id === undefined) res.writeHead(202).end();
    else res.on("close", () => closed.resolve(body.id));
  });
  const abort = new AbortController();
  const call = ask(aggregator, project, { method: "tools/call", params: { name: "u__echo" }, signal: abort.signal });
  await expect.poll(() => upstream.requests.length).toBe(1);
  abort.abort();
  await expect(call).rejects.toThrow();
  const id = await closed.promise;
  await expect
    .poll(() => upstream.requests.at(-1)?.body)
    .toMatchObject({ method: "notifications/cancelled", params: { requestId: id } });
});

test("notifications/cancelled ends the call with that id, of that token only", async () => {
  const { project, upstream } = await withUpstream(({ body }, res) => {
    if (body.id === undefined) res.writeHead(202).end();
  });
  const call = ask(aggregator, project, { method: "tools/call", params: { name: "u__echo" }, id: "c1" });
  await expect.poll(() => upstream.requests.length).toBe(1);
  const body = JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "c1" } });
  expect((await post(aggregator, { ...project, tokenId: 9 }, { body })).status).toBe(204);
  expect((await post(aggregator, project, { body })).status).toBe(204);
  expect((await call).error?.message).toBe("Upstream 'u' had not answered when the call was cancelled.");
  await expect
    .poll(() => upstream.requests.filter((request) => request.body.method === "notifications/cancelled"))
    .toHaveLength(1);
});

test("a request that has passed the project already is refused", async () => {
  const project = newProject();
  await register(aggregator, project, { prefix: "me", url: `${aggregator.origin}/api/x/mcp` });
  const headers = { "x-gatehouse-mcp-hops": hopOf(project) };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const { text: answer } = await post(aggregator, project, { body, headers });
  expect(JSON.parse(answer)).toMatchObject({
    error: { code: -32603, message: expect.stringContaining("leads back") as unknown },
  });
});

test("the upstream's request names the projects that it has passed", async () => {
  const { project, upstream } = await withUpstream(bareHandler());
  await toolNames(aggregator, project);
  expect(upstream.requests[0]?.headers["x-gatehouse-mcp-hops"]).toBe(hopOf(project));
});

test("calls count against the limits of project and token, and a refusal is a result for the model", async () => {
  const { project } = await withUpstream(bareHandler());
  const before = aggregator.ledger.renewals;
  await callTool(aggregator, project, { name: "u__echo" });
  expect(aggregator.ledger.renewals).toBe(before);
  const limited = { ...project, tokenId: 4_712, perHour: 1 };
  expect((await callTool(aggregator, limited, { name: "u__echo" })).result).not.toHaveProperty("isError", true);
  expect(aggregator.ledger.renewals).toBe(before + 1);
  const { result } = await callTool(aggregator, limited, { name: "u__echo" });
  expect(result).toEqual({ ...text("Rate limit exceeded."), isError: true });
  expect(await toolNames(aggregator, limited)).toEqual(["u__echo"]);
});

test("allowed and denied names apply to lists and calls", async () => {
  const tools = ["read", "read_all", "write", "rm"].map((name) => echoTool(name));
  const settings = { allowed_tools: ["read*", "rm"], denied_tools: ["rm"] };
  const { project, upstream } = await withUpstream(
    bareHandler(() => tools),
    settings,
  );
  expect(await toolNames(aggregator, project)).toEqual(["u__read", "u__read_all"]);
  const before = upstream.requests.length;
  for (const name of ["u__write", "u__rm"]) {
    expect((await callTool(aggregator, project, { name })).error?.message).toBe(`Unknown tool: ${name}`);
  }
  expect(upstream.requests.length).toBe(before);
  expect((await callTool(aggregator, project, { name: "u__read_other" })).result?.isError).toBe(false);
});

test("pages are followed, and a failing page does not affect earlier ones", async () => {
  let isBroken = false;
  const { project, id } = await withUpstream(({ body }, res) => {
    const page = Number(body.params?.["cursor"] ?? 0);
    if (isBroken && page === 2) {
      res.socket?.destroy();
      return;
    }
    const result = { tools: [echoTool(`t${page}`)], ...(page < 3 ? { nextCursor: String(page + 1) } : {}) };
    sendJson(res, { jsonrpc: "2.0", id: body.id, result });
  });
  const all = ["u__t0", "u__t1", "u__t2", "u__t3"];
  expect(await toolNames(aggregator, project)).toEqual(all);
  isBroken = true;
  const refreshed = await aggregator.admin.call("svc_refresh_upstream", { upstream_id: id });
  const last_error = expect.stringContaining("broke") as string;
  expect(refreshed).toMatchObject({ tools: all, state: { last_error } });
});

test("a server that replaced another is probed again for its protocol mode, without an error", async () => {
  const session = await startSessionUpstream();
  const project = newProject();
  await register(aggregator, project, { prefix: "u", url: session.url });
  expect(await toolNames(aggregator, project)).toEqual(["u__whoami"]);
  const { port } = new URL(session.url);
  await session.stop();
  const bare = await startUpstream(bareHandler(), Number(port));
  started.push(bare);
  expect((await callTool(aggregator, project, { name: "u__echo" })).result?.isError).toBe(false);
  const calls = bare.requests.filter(({ body }) => body.method === "tools/call");
  // The first went to a lost session, which a bare server ignores.
  expect(calls.length).toBe(1);
});

test("a server that no longer accepts handshakes is called without one", async () => {
  let wantsSessions = true;
  const { project, upstream } = await withUpstream((request, res, req) => {
    const { body, headers } = request;
    const refuse = { jsonrpc: "2.0", id: null, error: { code: -32000, message: "no session" } };
    if (!wantsSessions && body.method === "initialize")
      sendJson(res, { ...refuse, id: body.id, error: { code: -32601, message: "Method not found" } });
    else if (!wantsSessions && headers["mcp-session-id"] !== undefined) sendJson(res, refuse, 404);
    else if (!wantsSessions) bareHandler()(request, res, req);
    else if (body.method === "initialize") {
      res.setHeader("mcp-session-id", "one");
      sendJson(res, { jsonrpc: "2.0", id: body.id, result: { protocolVersion: "2025-06-18" } });
    } else if (headers["mcp-session-id"] === undefined) sendJson(res, refuse, 400);
    else bareHandler()(request, res, req);
  });
  expect((await callTool(aggregator, project, { name: "u__echo" })).error).toBeUndefined();
  wantsSessions = false;
  expect((await callTool(aggregator, project, { name: "u__echo" })).error).toBeUndefined();
  expect(upstream.requests.at(-1)?.headers).not.toHaveProperty("mcp-session-id");
});

test.each([
  [200, "bare"],
  [400, "bare"],
  [429, "bare"],
  [400, "stateless"],
  [404, "session"],
] as const)(
  "a server's own error with the id null and status %i is passed on, in the mode %s",
  async (status, mode) => {
    const refusal = { code: -32042, message: "over quota", data: { limit: 3 } };
    const { project } = await withUpstream(({ body }, res) => {
      const result = { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: { name: "s", version: "1" } };
      if (mode === "session") res.setHeader("mcp-session-id", "one");
      if (body.method === "initialize" && mode !== "bare") sendJson(res, { jsonrpc: "2.0", id: body.id, result });
      else sendJson(res, { jsonrpc: "2.0", id: null, error: refusal }, status);
    });
    expect((await callTool(aggregator, project, { name: "u__echo" })).error).toEqual(refusal);
  },
);

test("a number of lists per minute is free, and further ones count against the limits", async () => {
  const { project } = await withUpstream(bareHandler());
  const caller = { ...project, tokenId: 4_711, perHour: 0 };
  const answers: unknown[] = [];
  for (let count = 0; count < 2 * freeListsPerMinute + 1; count += 1) {
    answers.push((await ask(aggregator, caller, { method: "tools/list" })).error);
  }
  expect(answers[freeListsPerMinute - 1]).toBeUndefined();
  const data = { scope: "hour", retry_after: expect.any(Number) as unknown };
  expect(answers).toContainEqual({ code: -32602, message: "Rate limit exceeded.", data });
});
