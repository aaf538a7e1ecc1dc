import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callTool, newProject, register, startAggregator, type TestAggregator, toolNames } from "./aggregator.ts";
import { sendJson, startUpstream } from "./fake-upstream.ts";
import { ownFile, type ServerProcess, startServer } from "./server-process.ts";
import { type SessionUpstream, startSessionUpstream } from "./session-upstream.ts";
import { sseUpstream } from "./sse-upstream.ts";

let aggregator: TestAggregator;
const started: { stop(): Promise<void> }[] = [];

beforeAll(async () => {
  aggregator = await startAggregator();
});

afterAll(async () => {
  await aggregator.stop();
  await Promise.all(started.map(async (upstream) => await upstream.stop()));
});

async function startOne(options: Parameters<typeof startSessionUpstream>[0] = {}): Promise<SessionUpstream> {
  const upstream = await startSessionUpstream(options);
  started.push(upstream);
  return upstream;
}

interface WhoAmI {
  readonly session: string;
  readonly arguments: unknown;
}

async function whoAmI(
  project: ReturnType<typeof newProject>,
  args: object = {},
  asked: TestAggregator = aggregator,
): Promise<WhoAmI> {
  const { result, error } = await callTool(asked, project, { name: "s__whoami", arguments: args });
  if (error !== undefined) throw new Error(`${error.code} ${error.message}`);
  return JSON.parse(result?.content?.[0]?.text ?? "") as WhoAmI;
}

test("one handshake opens a token's session, which only its own calls share", async () => {
  const upstream = await startOne();
  const project = newProject();
  await register(aggregator, project, { prefix: "s", url: upstream.url });
  const first = await whoAmI(project);
  expect(await whoAmI(project)).toMatchObject({ session: first.session });
  expect(upstream.handshakes()).toBe(1);
  // In a session the gateway assigns ids, since callers choose theirs independently of each other.
  const ids = upstream.requests.flatMap(({ body }) => (body.method === "tools/call" ? [body.id] : []));
  expect(new Set(ids.slice(1)).size).toBe(2);
  const methods = upstream.requests.map(({ body }) => body.method);
  expect(methods).toEqual(["tools/call", "initialize", "notifications/initialized", "tools/call", "tools/call"]);
  expect(upstream.requests.at(-1)?.headers).toMatchObject({ "mcp-protocol-version": "2025-06-18" });
  const other = await whoAmI({ ...project, tokenId: 2 });
  expect(other.session).not.toBe(first.session);
  expect(upstream.handshakes()).toBe(2);
});

test.each(["404", "400", "422 as text"] as const)(
  "a session that the upstream has lost (%s) is opened again once, also for concurrent calls, each executed once",
  async (refusal) => {
    const upstream = await startOne({ refusal });
    const project = newProject();
    await register(aggregator, project, { prefix: "s", url: upstream.url });
    await whoAmI(project);
    upstream.sessions.clear();
    upstream.requests.length = 0;
    const answers = await Promise.all(Array.from({ length: 20 }, async (_, call) => await whoAmI(project, { call })));
    expect(new Set(answers.map(({ session }) => session)).size).toBe(1);
    expect(answers.map((answer) => answer.arguments)).toEqual(Array.from({ length: 20 }, (_, call) => ({ call })));
    expect(upstream.handshakes()).toBe(2);
  },
);

test("sessions are ended when the upstream is removed, and when the service stops", async () => {
  const upstream = await startOne();
  const own = await startAggregator();
  const project = newProject();
  const { id } = await register(own, project, { prefix: "s", url: upstream.url });
  await callTool(own, project, { name: "s__whoami" });
  expect(upstream.sessions.size).toBe(1);
  await own.admin.call("svc_delete_upstream", { upstream_id: id });
  await expect.poll(() => upstream.sessions.size).toBe(0);
  await register(own, project, { prefix: "s", url: upstream.url });
  await callTool(own, project, { name: "s__whoami" });
  expect(upstream.sessions.size).toBe(1);
  await own.stop();
  expect(upstream.sessions.size).toBe(0);
});

test.each(["shared", "per_call"])(
  "sessions of the mode before %s are ended, one in use after its call",
  async (mode) => {
    const answering = Promise.withResolvers<void>();
    const called = Promise.withResolvers<void>();
    const upstream = await startOne({
      call: ({ body }, res) => {
        called.resolve();
        void answering.promise.then(() => sendJson(res, { jsonrpc: "2.0", id: body.id, result: { content: [] } }));
      },
    });
    const project = newProject();
    const { id } = await register(aggregator, project, { prefix: "s", url: upstream.url });
    await toolNames(aggregator, project);
    const call = callTool(aggregator, project, { name: "s__whoami" });
    await called.promise;
    expect(upstream.sessions.size).toBe(2);
    await aggregator.admin.call("svc_update_upstream", { upstream_id: id, session_mode: mode });
    await expect.poll(() => upstream.sessions.size).toBe(1);
    answering.resolve();
    expect((await call).error).toBeUndefined();
    await expect.poll(() => upstream.sessions.size).toBe(0);
  },
);

test("beyond the bound the least recently used session is ended", async () => {
  const upstream = await startOne();
  const own = await startAggregator({ bounds: { sessionsMax: 3 } });
  const project = newProject();
  await register(own, project, { prefix: "s", url: upstream.url });
  const sessionOf = async (tokenId: number) => (await whoAmI({ ...project, tokenId }, {}, own)).session;
  const [first, second, third] = [await sessionOf(1), await sessionOf(2), await sessionOf(3)];
  expect(await sessionOf(1)).toBe(first);
  const fourth = await sessionOf(4);
  await expect.poll(() => upstream.sessions).toEqual(new Set([first, third, fourth]));
  expect(await sessionOf(3)).toBe(third);
  const again = await sessionOf(2);
  expect(again).not.toBe(second);
  await expect.poll(() => upstream.sessions).toEqual(new Set([third, fourth, again]));
  await own.stop();
});

test.each([
  ["shared", 1, 1],
  ["per_call", 4, 0],
])("four calls of two tokens with session mode %s make %i handshakes", async (sessionMode, handshakes, open) => {
  const upstream = await startOne();
  const project = newProject();
  await register(aggregator, project, { prefix: "s", url: upstream.url, settings: { session_mode: sessionMode } });
  for (const tokenId of [1, 2, 1, 2]) await whoAmI({ ...project, tokenId });
  expect(upstream.handshakes()).toBe(handshakes);
  await expect.poll(() => upstream.sessions.size).toBe(open);
});

/** Calls by fifty tokens; the long form runs overnight. */
const leakCalls = Number(process.env["MCP_LEAK_CALLS"] ?? 5_000);

test(
  "interleaved calls of fifty tokens never share a session or get each other's answers",
  { timeout: 30_000 + leakCalls * 10 },
  async () => {
    const real: ServerProcess = await startServer(() => [ownFile("servers/json-session.ts")]);
    const fake = await startOne();
    const project = newProject();
    await register(aggregator, project, { prefix: "real", url: `http://127.0.0.1:${real.port}/mcp` });
    await register(aggregator, project, { prefix: "s", url: fake.url });
    expect(await toolNames(aggregator, project)).toEqual(["real__count", "real__sessions", "s__whoami"]);
    const sessionOf = new Map<number, string>();
    const counts = new Map<number, number[]>();
    let left = leakCalls;
    const work = async () => {
      while (left > 0) {
        left -= 1;
        const tokenId = 1 + (left % 50);
        const caller = { ...project, tokenId };
        if (left % 2 === 0) {
          const { session, arguments: args } = await whoAmI(caller, { tokenId, left });
          expect(args).toMatchObject({ tokenId });
          expect(sessionOf.get(tokenId) ?? session).toBe(session);
          sessionOf.set(tokenId, session);
        } else {
          const owner = `token ${tokenId}`;
          const { result } = await callTool(aggregator, caller, { name: "real__count", arguments: { owner } });
          const [, id, count] = /^token (\d+) (\d+)$/.exec(result?.content?.[0]?.text ?? "") ?? [];
          expect(Number(id)).toBe(tokenId);
          counts.set(tokenId, [...(counts.get(tokenId) ?? []), Number(count)]);
        }
      }
    };
    await Promise.all(Array.from({ length: 16 }, work));
    expect(new Set(sessionOf.values()).size).toBe(sessionOf.size);
    // Each session has counted its own token's calls, each once.
    for (const own of counts.values()) expect(own.sort((a, b) => a - b)).toEqual(own.map((_, index) => index + 1));
    await real.kill();
  },
);

test("answers on a session's stream that precede the HTTP replies to their calls all arrive", async () => {
  const calls: { id: unknown; accept: () => void }[] = [];
  const handler = sseUpstream(
    (stream, id, accept) => {
      calls.push({ id, accept });
      if (calls.length < 5) return;
      const answers = calls.map((call) => {
        const result = { content: [{ type: "text", text: String(call.id) }] };
        return `data: ${JSON.stringify({ jsonrpc: "2.0", id: call.id, result })}\n\n`;
      });
      stream.write(answers.join(""));
      for (const call of calls) call.accept();
    },
    { isAcceptedByTest: true },
  );
  const upstream = await startUpstream(handler);
  started.push(upstream);
  const project = newProject();
  await register(aggregator, project, { prefix: "s", url: upstream.url, settings: { call_timeout_ms: 2_000 } });
  const call = async () => await callTool(aggregator, project, { name: "s__echo", arguments: {} });
  const replies = await Promise.all(Array.from({ length: 5 }, call));
  expect(new Set(replies.map(({ result }) => result?.content?.[0]?.text))).toEqual(
    new Set(calls.map(({ id }) => String(id))),
  );
});

/** A server of 2024-11-05 whose first stream is silent after its handshake, though it still takes messages. */
function silentOnce({ answersPing }: { readonly answersPing: boolean }) {
  const streams: ServerResponse[] = [];
  const handler = sseUpstream((stream, id) => {
    if (!streams.includes(stream)) streams.push(stream);
    const isProbe = id === "probe";
    if (streams.length === 1 && !(isProbe && answersPing)) return;
    const result = isProbe ? {} : { content: [{ type: "text", text: "answered" }] };
    stream.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`);
  });
  return { streams, handler };
}

test("a session whose stream no longer brings answers is opened again after an unanswered call", async () => {
  const { handler } = silentOnce({ answersPing: false });
  const upstream = await startUpstream(handler);
  const own = await startAggregator({ bounds: { handshakeTimeoutMs: 300 } });
  const project = newProject();
  await register(own, project, { prefix: "s", url: upstream.url, settings: { call_timeout_ms: 1_000 } });
  const call = async () => await callTool(own, project, { name: "s__echo", arguments: {} });
  expect((await call()).error?.message).toContain("time");
  await expect.poll(async () => (await call()).result?.content?.[0]?.text, { timeout: 5_000 }).toBe("answered");
  await own.stop();
  await upstream.stop();
});

test("a session stays open after an unanswered call where the server answers a ping", async () => {
  const { handler, streams } = silentOnce({ answersPing: true });
  const upstream = await startUpstream(handler);
  const own = await startAggregator({ bounds: { handshakeTimeoutMs: 300 } });
  const project = newProject();
  await register(own, project, { prefix: "s", url: upstream.url, settings: { call_timeout_ms: 1_000 } });
  const call = async () => await callTool(own, project, { name: "s__echo", arguments: {} });
  for (const _ of [1, 2]) expect((await call()).error?.message).toContain("time");
  expect(streams).toHaveLength(1);
  await own.stop();
  await upstream.stop();
});

test("a call under way whose session ends with its upstream's removal names the removal", async () => {
  const called = Promise.withResolvers<ServerResponse>();
  const upstream = await startOne({
    call: (_request, res) => {
      res.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      called.resolve(res);
    },
  });
  const project = newProject();
  const { id } = await register(aggregator, project, { prefix: "s", url: upstream.url });
  const call = callTool(aggregator, project, { name: "s__whoami" });
  const stream = await called.promise;
  await aggregator.admin.call("svc_delete_upstream", { upstream_id: id });
  await expect.poll(() => upstream.sessions.size).toBe(0);
  // As a server does with the streams of a session that is deleted.
  stream.end();
  expect((await call).error).toEqual({
    code: -32603,
    message: "Upstream 's' was removed or reconfigured before it answered.",
  });
});

test("a call under way on a session's stream names its upstream's removal", async () => {
  const called = Promise.withResolvers<void>();
  const upstream = await startUpstream(sseUpstream(() => called.resolve()));
  started.push(upstream);
  const project = newProject();
  const { id } = await register(aggregator, project, { prefix: "s", url: upstream.url });
  const call = callTool(aggregator, project, { name: "s__echo", arguments: {} });
  await called.promise;
  await aggregator.admin.call("svc_delete_upstream", { upstream_id: id });
  expect((await call).error?.message).toBe("Upstream 's' was removed or reconfigured before it answered.");
});

test("a session's stream is closed when its upstream is deleted", async () => {
  const closed = Promise.withResolvers<string>();
  const upstream = await startUpstream(
    sseUpstream((stream, id) => {
      stream.once("close", () => closed.resolve("closed"));
      stream.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result: { content: [] } })}\n\n`);
    }),
  );
  started.push(upstream);
  const project = newProject();
  const { id } = await register(aggregator, project, { prefix: "s", url: upstream.url });
  await callTool(aggregator, project, { name: "s__echo", arguments: {} });
  await aggregator.admin.call("svc_delete_upstream", { upstream_id: id });
  expect(await closed.promise).toBe("closed");
});
