import { createServer, type Server, type Socket } from "node:net";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callTool, newProject, register, startAggregator, type TestAggregator, toolNames } from "./aggregator.ts";
import {
  bareHandler,
  echoTool,
  type FakeUpstream,
  sendJson,
  startUpstream,
  type UpstreamHandler,
} from "./fake-upstream.ts";

const megabyte = 1024 * 1024;
/** Created once: creating it in a handler would block this process, and so every other exchange of the test. */
const bomb = gzipSync(Buffer.alloc(64 * megabyte, 0x20));

function everySecond(res: { write: (text: string) => void; destroyed: boolean }, text: string): void {
  const timer = setInterval(() => (res.destroyed ? clearInterval(timer) : res.write(text)), 200);
}

const head = { "content-type": "application/json" };
const stream = { "content-type": "text/event-stream" };

/** Twenty kinds of misbehaviour, none of which may affect other upstreams. */
const misbehaviours: Readonly<Record<string, UpstreamHandler>> = {
  "hangs before its head": () => {},
  "hangs inside its body": (_request, res) => void res.writeHead(200, head).write('{"jsonrpc":"2.0"'),
  "hangs inside a stream": (_request, res) => void res.writeHead(200, stream).write(": hello\n\n"),
  "drips one byte after another": (_request, res) => {
    res.writeHead(200, head);
    everySecond(res, " ");
  },
  "drips comments": (_request, res) => {
    res.writeHead(200, stream);
    everySecond(res, ": still here\n\n");
  },
  "answers 500": (_request, res) => void res.writeHead(500).end("oops"),
  "answers 503 in HTML": (_request, res) => void res.writeHead(503, { "content-type": "text/html" }).end("<html>"),
  "answers HTML": (_request, res) => void res.writeHead(200, { "content-type": "text/html" }).end("<html></html>"),
  "answers nothing": (_request, res) => void res.writeHead(200, head).end(),
  "answers half a document": (_request, res) => void res.writeHead(200, head).end('{"jsonrpc":"2.0","id":1,"res'),
  "streams garbage": (_request, res) =>
    void res.writeHead(200, stream).end("data: {not json}\n\n\u0000\u0001\ndata:\n\n"),
  "answers another request": ({ body }, res) =>
    sendJson(res, { jsonrpc: "2.0", id: `${String(body.id)}x`, result: { tools: [] } }),
  "lists something else than tools": ({ body }, res) =>
    sendJson(res, { jsonrpc: "2.0", id: body.id, result: { tools: "none" } }),
  "pages for ever": ({ body }, res) => {
    const cursor = Number(body.params?.["cursor"] ?? 0) + 1;
    sendJson(res, {
      jsonrpc: "2.0",
      id: body.id,
      result: { tools: [echoTool(`t${cursor}`)], nextCursor: String(cursor) },
    });
  },
  "pages in circles": ({ body }, res) => {
    sendJson(res, { jsonrpc: "2.0", id: body.id, result: { tools: [echoTool()], nextCursor: "again" } });
  },
  "sends fifty megabytes": (_request, res) => {
    res.writeHead(200, head);
    const piece = Buffer.alloc(megabyte, 0x20);
    let left = 50;
    const more = () => {
      while (left > 0 && !res.destroyed) {
        left -= 1;
        if (!res.write(piece)) break;
      }
      if (left > 0) res.once("drain", more);
      else res.end();
    };
    more();
  },
  "sends a bomb": (_request, res) => {
    res.writeHead(200, { ...head, "content-encoding": "gzip" }).end(bomb);
  },
  "lies about its encoding": (_request, res) =>
    void res.writeHead(200, { ...head, "content-encoding": "gzip" }).end("{}"),
  "breaks off": (_request, res) => void res.socket?.destroy(),
  "redirects to another origin": (_request, res) =>
    void res.writeHead(307, { location: "http://localhost:1/mcp" }).end(),
  "redirects to itself": (_request, res) => void res.writeHead(308, { location: "/mcp" }).end(),
  "wants a login": (_request, res) => void res.writeHead(401, { "www-authenticate": "Bearer" }).end(),
};

let aggregator: TestAggregator;
let healthy: FakeUpstream;
let bad: FakeUpstream[];
let blackHole: Server;
const sockets = new Set<Socket>();

beforeAll(async () => {
  aggregator = await startAggregator();
  healthy = await startUpstream(bareHandler());
  bad = await Promise.all(Object.values(misbehaviours).map(async (handler) => await startUpstream(handler)));
  // Accepts connections and never answers.
  blackHole = createServer((socket) => void sockets.add(socket.on("error", () => {})));
  await new Promise<void>((resolve) => blackHole.listen(0, "127.0.0.1", resolve));
});

afterAll(async () => {
  await aggregator.stop();
  for (const socket of sockets) socket.destroy();
  blackHole.close();
  await Promise.all([healthy, ...bad].map(async (upstream) => await upstream.stop()));
});

test("one healthy upstream among more than twenty bad ones is listed within eight seconds, and all its calls succeed", async () => {
  const project = newProject();
  const refused = "http://127.0.0.1:1/mcp";
  const urls = [
    ...bad.map(({ url }) => url),
    refused,
    `http://127.0.0.1:${(blackHole.address() as AddressInfo).port}/mcp`,
  ];
  expect(urls.length).toBeGreaterThanOrEqual(20);
  for (const [index, url] of urls.entries()) await register(aggregator, project, { prefix: `bad${index}`, url });
  await register(aggregator, project, { prefix: "good", url: healthy.url });

  const startedAt = performance.now();
  const listing = toolNames(aggregator, project);
  const calls = Array.from({ length: 50 }, async () => {
    const { result, error } = await callTool(aggregator, project, { name: "good__echo", arguments: {} });
    return error?.message ?? result?.isError;
  });
  expect(await Promise.all(calls)).toEqual(Array.from({ length: 50 }, () => false));
  const names = await listing;
  const coldMs = performance.now() - startedAt;
  expect(coldMs).toBeLessThan(8_000);
  expect(names).toContain("good__echo");
  // Upstreams with bad paging have returned some tools before.
  expect(names.filter((name) => !name.startsWith("good__")).length).toBe(101);

  const warmAt = performance.now();
  expect(await toolNames(aggregator, project)).toContain("good__echo");
  expect(performance.now() - warmAt).toBeLessThan(2_000);
});

test.each(Object.keys(misbehaviours).filter((name) => !/hangs|drips/.test(name)))(
  "a call to an upstream that %s is an error of the gateway, without address or token",
  async (name) => {
    const project = newProject();
    const upstream = bad[Object.keys(misbehaviours).indexOf(name)];
    await register(aggregator, project, { prefix: "bad", url: upstream?.url ?? "", bearerToken: "t0ken" });
    const { error, result } = await callTool(aggregator, project, { name: "bad__echo", arguments: {} });
    if (/pages|something else/.test(name)) expect(result?.isError).toBe(false);
    else expect(error).toMatchObject({ code: -32603, message: expect.stringMatching(/^Upstream 'bad' /) as string });
    expect(JSON.stringify(error ?? {})).not.toMatch(/127\.0\.0\.1|t0ken|http/);
  },
);

test("a call to an upstream that hangs ends at its time-out", async () => {
  const project = newProject();
  const settings = { call_timeout_ms: 300 };
  await register(aggregator, project, { prefix: "bad", url: bad[0]?.url ?? "", settings });
  const { error } = await callTool(aggregator, project, { name: "bad__echo", arguments: {} });
  expect(error).toEqual({ code: -32603, message: "Upstream 'bad' did not answer in time." });
});

test("an unreachable upstream is not called after three failures, and calls fail at once", async () => {
  const project = newProject();
  await register(aggregator, project, { prefix: "gone", url: "http://127.0.0.1:1/mcp" });
  const messages: (string | undefined)[] = [];
  for (let call = 0; call < 4; call += 1) {
    messages.push((await callTool(aggregator, project, { name: "gone__x" })).error?.message);
  }
  expect(messages).toEqual([
    ...Array.from({ length: 3 }, () => "Upstream 'gone' is unreachable."),
    "Upstream 'gone' is unreachable; it will be tried again shortly.",
  ]);
});

test("the list is an error when every upstream fails and none is known", async () => {
  const project = newProject();
  await register(aggregator, project, { prefix: "gone", url: "http://127.0.0.1:1/mcp" });
  await expect(toolNames(aggregator, project)).rejects.toThrow(
    "-32603 None of this project's upstream MCP servers can be reached.",
  );
});
