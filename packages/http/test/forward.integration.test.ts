import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { lapse } from "@gatehouse/async/testing";
import { GatewayError } from "@gatehouse/errors";
import type { Dispatcher } from "undici";
import { afterEach, expect, test } from "vitest";
import { endEventStream, endToEndHeaders, type ForwardOptions, recordReplyEnd, sendError } from "../src/index.ts";
import { connectRaw, isWholeChunked, type RawClient } from "../src/testing.ts";
import { type Proxy, type ProxyOptions, startProxy, startRawUpstream, startUpstream } from "./scripted-upstream.ts";

const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

async function proxyTo(origin: string, options: ProxyOptions = {}) {
  const proxy = await startProxy(origin, options);
  stops.push(async () => await proxy.stop());
  return proxy;
}

/** A proxy in front of a scripted upstream. */
async function open(options: ProxyOptions = {}) {
  const upstream = await startUpstream();
  stops.push(async () => await upstream.stop());
  return { upstream, proxy: await proxyTo(upstream.origin, options) };
}

async function ask(proxy: Proxy, head = "GET / HTTP/1.1\r\nhost: a\r\n\r\n"): Promise<RawClient> {
  const client = await connectRaw(proxy.port);
  stops.push(async () => void client.socket.destroy());
  client.write(head);
  return client;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

const postChunked = "POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n";

test("the head of a reply reaches the client before any of its body", async () => {
  const { upstream, proxy } = await open();
  const client = await ask(proxy);
  const { res } = await upstream.next();
  res.writeHead(203, { "x-a": "b", "set-cookie": ["c=1", "d=2"] }).flushHeaders();
  const head = await client.until(/\r\n\r\n/);
  expect(head).toMatch(/^HTTP\/1\.1 203 /);
  expect(head).toMatch(/x-a: b\r\n/);
  expect(head.match(/set-cookie: /g)).toHaveLength(2);
});

test("a reply streams: each part reaches the client before the next is written", async () => {
  const { upstream, proxy } = await open();
  const client = await ask(proxy);
  const { res } = await upstream.next();
  for (const part of ["one", "two", "three"]) {
    res.write(part);
    await client.until(new RegExp(part));
  }
  res.end();
  expect(isWholeChunked(await client.until(/0\r\n\r\n$/))).toBe(true);
  await until(() => proxy.outcomes.length > 0);
  expect(proxy.outcomes).toEqual(["done"]);
});

test("a request streams, and a reply may begin before the request has ended", async () => {
  const { upstream, proxy } = await open();
  const client = await ask(proxy, postChunked);
  client.write("3\r\none\r\n");
  const { req, res } = await upstream.next();
  for (const part of ["one", "two"]) {
    const [chunk] = (await once(req, "data")) as [Buffer];
    expect(chunk.toString()).toBe(part);
    res.write(`got ${part}`);
    await client.until(new RegExp(`got ${part}`));
    if (part === "one") client.write("3\r\ntwo\r\n");
  }
  client.write("0\r\n\r\n");
  await once(req, "end");
  res.end();
  expect(isWholeChunked(await client.until(/0\r\n\r\n$/))).toBe(true);
});

test("a body with a length keeps it, and arrives as it was sent", async () => {
  const { upstream, proxy } = await open();
  const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));
  const client = await ask(proxy, `POST /p?q=1 HTTP/1.1\r\nhost: a\r\ncontent-length: ${bytes.length}\r\n\r\n`);
  client.write(bytes);
  const { req, res } = await upstream.next();
  expect(req.url).toBe("/p?q=1");
  expect(req.headers["content-length"]).toBe(String(bytes.length));
  expect(Buffer.concat(await req.toArray()).equals(bytes)).toBe(true);
  res.end("ok");
  await client.until(/ok$/);
});

test.each(["GET", "HEAD", "DELETE"])("%s without a body is passed on without one", async (method) => {
  const { upstream, proxy } = await open();
  const client = await ask(proxy, `${method} / HTTP/1.1\r\nhost: a\r\n\r\n`);
  const { req, res } = await upstream.next();
  expect(req.method).toBe(method);
  expect(req.headers).not.toHaveProperty("transfer-encoding");
  expect(await req.toArray()).toEqual([]);
  res.writeHead(200, { "content-length": 2 }).end("ok");
  await client.until(/\r\n\r\n/);
});

/** Every byte value, in an order that depends on the length. */
const allBytes = (length: number) => Buffer.from(Array.from({ length }, (_, at) => (at * 7 + length) % 256));

test.each<[string, readonly number[]]>([
  ["one small piece", [100]],
  ["small pieces of one turn", [1, 100, 3_000, 1]],
  ["pieces around the bound of what is held", [16_383, 1, 16_384, 5, 16_385]],
  ["pieces of many sizes", [7, 40_000, 1, 16_384, 200_000, 13]],
])("a reply in %s arrives byte by byte as it was sent, with a length and in chunks", async (_name, lengths) => {
  const { upstream, proxy } = await open();
  const pieces = lengths.map(allBytes);
  const whole = Buffer.concat(pieces);
  for (const headers of [{}, { "content-length": whole.length }]) {
    for (const version of ["1.1", "1.0"]) {
      const client = await ask(proxy, `GET / HTTP/${version}\r\nhost: a\r\nconnection: close\r\n\r\n`);
      const received: Buffer[] = [];
      client.socket.on("data", (bytes) => received.push(bytes));
      const { res } = await upstream.next();
      res.writeHead(200, headers);
      for (const piece of pieces) res.write(piece);
      res.end();
      await once(client.socket, "close");
      expect(bodyOf(Buffer.concat(received)).equals(whole)).toBe(true);
    }
  }
});

/** The body of a whole reply, which is in chunks where its head says so. */
function bodyOf(reply: Buffer): Buffer {
  const start = reply.indexOf("\r\n\r\n") + 4;
  if (!/transfer-encoding: chunked/i.test(reply.toString("latin1", 0, start))) return reply.subarray(start);
  const chunks: Buffer[] = [];
  for (let at = start; ;) {
    const lineEnd = reply.indexOf("\r\n", at);
    const size = Number.parseInt(reply.toString("latin1", at, lineEnd), 16);
    if (size === 0) return Buffer.concat(chunks);
    chunks.push(reply.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}

test("trailers follow the last piece of a small reply", async () => {
  const { upstream, proxy } = await open();
  const client = await ask(proxy);
  const { res } = await upstream.next();
  res.writeHead(200, { trailer: "x-sum" });
  res.write("body");
  res.addTrailers({ "x-sum": "42" });
  res.end();
  expect(await client.until(/42\r\n\r\n$/)).toMatch(/\r\n\r\n4\r\nbody\r\n0\r\nx-sum: 42\r\n\r\n$/);
});

test("trailers that are withheld do not pass", async () => {
  const { upstream, proxy } = await open({ withheldOfReply: new Set(["x-secret"]) });
  const client = await ask(proxy);
  const { res } = await upstream.next();
  res.writeHead(200, { trailer: "x-sum, x-secret", "x-secret": "head" }).write("body");
  res.addTrailers({ "x-sum": "42", "x-secret": "trailer" });
  res.end();
  const text = await client.until(/0\r\nx-sum: 42\r\n\r\n$/);
  expect(text).not.toMatch(/x-secret: /);
});

test("a slow reader of a long reply holds the upstream back", async () => {
  const { upstream, proxy } = await open();
  const client = await ask(proxy);
  client.socket.pause();
  const { res } = await upstream.next();
  const chunk = Buffer.alloc(64 * 1024, "x");
  let written = 0;
  const isStuck = async () =>
    !res.write(chunk) &&
    (await Promise.race([
      once(res, "drain").then(() => false),
      lapse(300, "many times what a drain takes").then(() => true),
    ]));
  while (written < 2_000 && !(await isStuck())) written++;
  expect(written).toBeLessThan(1_000);
  client.socket.resume();
  await once(res, "drain");
  res.end("end");
  await client.until(/0\r\n\r\n$/);
});

test("a slow upstream holds a long request back", async () => {
  const { upstream, proxy } = await open();
  const client = await ask(proxy, "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 200000000\r\n\r\nx");
  const { req, res } = await upstream.next();
  const chunk = Buffer.alloc(64 * 1024, "x");
  let written = 0;
  const isStuck = async () =>
    !client.socket.write(chunk) &&
    (await Promise.race([
      once(client.socket, "drain").then(() => false),
      lapse(300, "many times what a drain takes").then(() => true),
    ]));
  while (written < 2_000 && !(await isStuck())) written++;
  expect(written).toBeLessThan(1_000);
  req.resume();
  await once(client.socket, "drain");
  res.destroy();
});

test("a client that leaves during the reply ends the upstream's request", async () => {
  const { upstream, proxy } = await open();
  const client = await ask(proxy);
  const { res } = await upstream.next();
  res.write("part");
  await client.until(/part/);
  client.socket.destroy();
  await once(res, "close");
  await until(() => proxy.outcomes.length > 0);
  expect(proxy.outcomes).toEqual(["cancelled"]);
});

test("a client that leaves before the reply has begun ends the upstream's request", async () => {
  const { upstream, proxy } = await open();
  const client = await ask(proxy);
  const { res } = await upstream.next();
  client.socket.destroy();
  await once(res, "close");
  await until(() => proxy.outcomes.length > 0);
  expect(proxy.outcomes).toEqual(["cancelled"]);
});

test("a client that leaves during its request ends the upstream's request, which is never complete", async () => {
  const { upstream, proxy } = await open();
  const client = await ask(proxy, `${postChunked}3\r\none\r\n`);
  const { req } = await upstream.next();
  await once(req, "data");
  const closed = new Promise((resolve) => req.on("error", () => {}).once("close", resolve));
  client.socket.destroy();
  await closed;
  expect(req.complete).toBe(false);
  await until(() => proxy.outcomes.length > 0);
  expect(proxy.outcomes).toEqual(["cancelled"]);
});

test("a request whose client leaves while it waits for a connection is not forwarded", async () => {
  const { upstream, proxy } = await open({ connections: 1 });
  const first = await ask(proxy);
  const { res } = await upstream.next();
  const second = await ask(proxy, "GET /second HTTP/1.1\r\nhost: a\r\n\r\n");
  await until(() => proxy.asked.includes("/second"));
  second.socket.destroy();
  await until(() => proxy.closed.includes("/second"));
  res.end("ok");
  await first.until(/ok/);
  await until(() => proxy.outcomes.length === 2);
  expect(proxy.outcomes.toSorted()).toEqual(["cancelled", "done"]);
  const third = await ask(proxy, "GET /third HTTP/1.1\r\nhost: a\r\n\r\n");
  const { req, res: thirdRes } = await upstream.next();
  expect(req.url).toBe("/third");
  thirdRes.end("ok");
  await third.until(/ok/);
});

test.each([
  ["a chunked reply", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\npart\r\n"],
  ["a reply with a length", "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\npart"],
])("an upstream that breaks %s off gives the client a broken reply, never a whole one", async (_name, bytes) => {
  const begun: Socket[] = [];
  const upstream = await startRawUpstream((socket) => {
    begun.push(socket);
    socket.once("data", () => socket.write(bytes));
  });
  stops.push(async () => await upstream.stop());
  const proxy = await proxyTo(upstream.origin);
  const client = await ask(proxy);
  await client.until(/part/);
  begun[0]?.destroy();
  const { text } = await client.closed();
  expect(text.includes("content-length: 100") || !isWholeChunked(text)).toBe(true);
  await until(() => proxy.outcomes.length > 0);
  expect(proxy.outcomes).toEqual(["unavailable"]);
  const reply = await fetch(`http://127.0.0.1:${proxy.port}/`);
  begun[1]?.destroy();
  await expect(reply.text()).rejects.toThrow();
});

test.each([
  ["that sends invalid bytes", "nonsense\r\n\r\n"],
  ["that closes at once", ""],
  ["that sends an incomplete head", "HTTP/1.1 200 OK\r\ncontent-"],
])("an upstream %s is unavailable, and the client gets 503", async (_name, bytes) => {
  const upstream = await startRawUpstream((socket) => socket.once("data", () => socket.end(bytes)));
  stops.push(async () => await upstream.stop());
  const proxy = await proxyTo(upstream.origin);
  const client = await ask(proxy);
  expect(await client.until(/\}$/)).toMatch(/^HTTP\/1\.1 503 .*retry-after: 1/is);
  expect(proxy.outcomes).toEqual(["unavailable"]);
});

/** Plays an upstream whose reply is broken in the turn in which it begins. */
function brokenAtOnce(pieces: readonly string[]): ForwardOptions["dispatcher"] {
  return {
    dispatch(_request, handler) {
      const controller: Dispatcher.DispatchController = {
        aborted: false,
        paused: false,
        reason: null,
        rawHeaders: null,
        rawTrailers: null,
        abort: () => {},
        pause: () => {},
        resume: () => {},
      };
      handler.onRequestStart?.(controller, undefined);
      handler.onResponseStart?.(controller, 200, { "content-type": "text/event-stream" }, "OK");
      for (const piece of pieces) handler.onResponseData?.(controller, Buffer.from(piece));
      handler.onResponseError?.(controller, new Error("A chunk is malformed."));
      return true;
    },
  };
}

test.each<[string, readonly string[]]>([
  ["before its body", []],
  ["in its first bytes", ["a", "b"]],
])("a reply that breaks off %s is an ordinary error, since nothing has been sent", async (_name, pieces) => {
  const proxy = await proxyTo("http://127.0.0.1:1", { dispatcher: brokenAtOnce(pieces) });
  for (let times = 0; times < 2; times += 1) {
    const client = await ask(proxy);
    expect(await client.until(/\}$/)).toMatch(/^HTTP\/1\.1 503 /);
  }
  expect(proxy.outcomes).toEqual(["unavailable", "unavailable"]);
});

test("a large first piece of a broken reply has been sent, so that the reply is cut off", async () => {
  const proxy = await proxyTo("http://127.0.0.1:1", { dispatcher: brokenAtOnce(["x".repeat(20_000)]) });
  const client = await ask(proxy);
  expect(isWholeChunked((await client.closed()).text)).toBe(false);
  expect(proxy.outcomes).toEqual(["unavailable"]);
});

test("a reply that the gateway ends fails with the error that the client got, answered or begun", async () => {
  const open: ServerResponse[] = [];
  const upstream = await startUpstream();
  stops.push(async () => await upstream.stop());
  const proxy = await proxyTo(upstream.origin, { onOpen: (res) => open.push(res) });
  const refusal = new GatewayError("invalid_token", "Invalid or revoked token.");
  const [waiting, streaming] = [await ask(proxy), await ask(proxy)];
  const [, second] = [await upstream.next(), await upstream.next()];
  second.res.write("part");
  await Promise.race([waiting.until(/part/), streaming.until(/part/)]);
  for (const res of open) {
    recordReplyEnd(res, refusal);
    if (res.headersSent) res.destroy();
    else sendError(res, refusal);
  }
  await until(() => proxy.outcomes.length === 2);
  expect(proxy.outcomes).toEqual(["invalid_token", "invalid_token"]);
});

test("an upstream that does not listen is unavailable, for any size of the request", async () => {
  const upstream = await startRawUpstream(() => {});
  await upstream.stop();
  const proxy = await proxyTo(upstream.origin);
  for (const size of [0, 10, 3_000_000]) {
    const body = "x".repeat(size);
    const reply = await fetch(`http://127.0.0.1:${proxy.port}/`, { method: "POST", body });
    expect(reply.status).toBe(503);
    expect(await reply.json()).toEqual({
      ok: false,
      error: "A service of the gateway is not available.",
      retry_after: 1,
    });
  }
});

test("an upstream that does not answer in time is unavailable", async () => {
  const { upstream, proxy } = await open({ headersTimeoutMs: 100 });
  const client = await ask(proxy);
  const { res } = await upstream.next();
  expect(await client.until(/\}$/)).toMatch(/^HTTP\/1\.1 503 /);
  expect(res.writableEnded).toBe(false);
});

test("an upstream that falls silent in mid-reply is cut off", async () => {
  const { upstream, proxy } = await open({ bodyTimeoutMs: 100 });
  const client = await ask(proxy);
  const { res } = await upstream.next();
  res.write("part");
  expect(isWholeChunked((await client.closed()).text)).toBe(false);
  expect(proxy.outcomes).toEqual(["unavailable"]);
});

test("an answer to a request that is still being sent arrives, and the connection can be used again", async () => {
  const { upstream, proxy } = await open();
  const client = await ask(proxy, `${postChunked}3\r\none\r\n`);
  const { res } = await upstream.next();
  res.writeHead(413, { "content-length": 2, connection: "close" }).end("no");
  await client.until(/no$/);
  client.write("3\r\ntwo\r\n0\r\n\r\n");
  client.write("GET /again HTTP/1.1\r\nhost: a\r\n\r\n");
  const second = await upstream.next();
  expect(second.req.url).toBe("/again");
  second.res.end("ok");
  await client.until(/ok/);
});

test("a client that keeps sending after the answer is cut off within a bound", async () => {
  const { upstream, proxy } = await open();
  const client = await ask(proxy, `${postChunked}3\r\none\r\n`);
  const { res } = await upstream.next();
  res.writeHead(200, { "content-length": 2 }).end("ok");
  await client.until(/ok$/);
  const trickle = setInterval(() => client.write("1\r\nx\r\n"), 50);
  await client.closed();
  clearInterval(trickle);
});

test("the answer of an upstream that closes during a large request arrives", async () => {
  const upstream = await startUpstream((req, res) => {
    req.once("data", () => res.writeHead(413, { connection: "close", "content-length": 2 }).write("no"));
    req.once("end", () => res.end());
  });
  stops.push(async () => await upstream.stop());
  const proxy = await proxyTo(upstream.origin);
  for (let round = 0; round < 5; round++) {
    const reply = await fetch(`http://127.0.0.1:${proxy.port}/`, { method: "POST", body: "x".repeat(3_000_000) });
    expect([reply.status, await reply.text()]).toEqual([413, "no"]);
  }
});

test("headers of one hop are dropped both ways", async () => {
  const { upstream, proxy } = await open();
  const client = await ask(
    proxy,
    "GET / HTTP/1.1\r\nhost: a\r\nconnection: keep-alive, X-Private\r\nx-private: 1\r\nkeep-alive: timeout=5\r\nte: trailers\r\nproxy-authorization: x\r\nupgrade: h2c\r\nexpect-ct: kept\r\nx-kept: 1\r\n\r\n",
  );
  const { req, res } = await upstream.next();
  expect(req.headers).toMatchObject({ "x-kept": "1", "expect-ct": "kept" });
  for (const name of ["x-private", "te", "proxy-authorization", "upgrade"])
    expect(req.headers).not.toHaveProperty(name);
  res.setHeader("connection", "close, x-own");
  res.writeHead(200, { "x-own": "1", "proxy-authenticate": "x", "x-kept": "2" }).end("ok");
  const head = (await client.until(/ok/)).toLowerCase();
  expect(head).toContain("x-kept: 2");
  for (const name of ["x-own", "proxy-authenticate", "connection: close"]) expect(head).not.toContain(name);
});

test("headers are copied without those that the caller drops", () => {
  const headers = {
    "x-a": "1",
    cookie: "c",
    "set-cookie": ["a", "b"],
    "keep-alive": "5",
    connection: "X-B, close",
    "x-b": "2",
  };
  expect(endToEndHeaders(headers, new Set(["cookie"]))).toEqual({ "x-a": "1", "set-cookie": ["a", "b"] });
});

test("an informational reply is not forwarded as the reply's status", async () => {
  const statuses: number[] = [];
  const { upstream, proxy } = await open({ onStatus: (status) => statuses.push(status) });
  const client = await ask(proxy);
  const { res } = await upstream.next();
  res.writeEarlyHints({ link: "</a>" });
  res.writeHead(204).end();
  expect(await client.until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 204 /);
  expect(statuses).toEqual([204]);
});

/** Chunks that every upstream writes, 160 KB a reply, while clients do not read. */
const chunksUnread = 8;

test("after 300 clients have left in mid-stream the next one is answered as before", async () => {
  const open = new Set<ServerResponse>();
  const written = new Map<ServerResponse, number>();
  const upstream = await startUpstream((req, res) => {
    if (req.url === "/whole") return void res.end("whole");
    open.add(res);
    const chunk = "x".repeat(20_000);
    const writing = setInterval(() => {
      res.write(chunk);
      written.set(res, (written.get(res) ?? 0) + 1);
    }, 2);
    res.once("close", () => {
      clearInterval(writing);
      open.delete(res);
    });
    return undefined;
  });
  stops.push(async () => await upstream.stop());
  const proxy = await proxyTo(upstream.origin, { connections: 20 });
  for (let round = 0; round < 15; round++) {
    const clients = await Promise.all(Array.from({ length: 20 }, async () => await ask(proxy)));
    await Promise.all(clients.map(async (client) => await client.until(/xxx/)));
    // Half of the clients leave while the proxy pauses the upstream for them.
    for (const client of clients.slice(10)) client.socket.pause();
    const before = new Map(written);
    await until(() => [...open].every((res) => (written.get(res) ?? 0) >= (before.get(res) ?? 0) + chunksUnread));
    for (const client of clients) client.socket.destroy();
  }
  await until(() => proxy.outcomes.length === 300);
  expect(new Set(proxy.outcomes)).toEqual(new Set(["cancelled"]));
  await until(() => open.size === 0);
  const replies = await Promise.all(
    Array.from({ length: 20 }, async () => await (await fetch(`http://127.0.0.1:${proxy.port}/whole`)).text()),
  );
  expect(new Set(replies)).toEqual(new Set(["whole"]));
});

const broken = { brokenStreamEvent: '{"error":"broken"}' };
const eventStream = { "content-type": "text/event-stream" };

test.each(["text/event-stream", "Text/Event-Stream; Charset=UTF-8"])(
  "a stream of events (%s) whose upstream breaks off ends complete, with an event about it",
  async (type) => {
    const { upstream, proxy } = await open(broken);
    const client = await ask(proxy);
    const { res } = await upstream.next();
    res.writeHead(200, { "content-type": type }).write("data: 1\n\n");
    await client.until(/data: 1/);
    res.destroy();
    const text = await client.until(/0\r\n\r\n$/);
    expect(isWholeChunked(text)).toBe(true);
    expect(text).toContain('data: {"error":"broken"}\n\n');
    expect(proxy.outcomes).toEqual(["unavailable"]);
  },
);

test("events that arrive with the end of a broken stream precede the event about it", async () => {
  const upstream = await startRawUpstream((socket) => {
    socket.once("data", () => {
      socket.end(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n9\r\ndata: 1\n\n\r\n",
      );
    });
  });
  stops.push(async () => await upstream.stop());
  const client = await ask(await proxyTo(upstream.origin, broken));
  const text = await client.until(/0\r\n\r\n$/);
  expect(isWholeChunked(text)).toBe(true);
  expect(text).toMatch(/data: 1\n\n[^]*data: \{"error":"broken"\}\n\n/);
});

test("what has arrived of a stream precedes the event with which other code ends it", async () => {
  const dispatched = Promise.withResolvers<Dispatcher.DispatchHandler>();
  const opened = Promise.withResolvers<ServerResponse>();
  const dispatcher: ForwardOptions["dispatcher"] = {
    dispatch(_request, handler) {
      dispatched.resolve(handler);
      return true;
    },
  };
  const client = await ask(await proxyTo("http://a", { dispatcher, onOpen: opened.resolve }));
  const [res, handler] = [await opened.promise, await dispatched.promise];
  const controller = { abort() {}, pause() {}, resume() {} } as unknown as Dispatcher.DispatchController;
  handler.onRequestStart?.(controller, undefined);
  handler.onResponseStart?.(controller, 200, eventStream, "");
  handler.onResponseData?.(controller, Buffer.from("data: 1\n\ndata: "));
  await client.until(/data: 1/);
  handler.onResponseData?.(controller, Buffer.from("2\n\n"));
  expect(endEventStream(res, "ended")).toBe(true);
  const text = await client.until(/0\r\n\r\n$/);
  expect(isWholeChunked(text)).toBe(true);
  expect(text.replaceAll(/\r\n[\da-f]+\r\n/g, "")).toContain("data: 1\n\ndata: 2\n\ndata: ended\n\n");
});

test.each([
  ["a stream that breaks off in the middle of an event", eventStream, "data: 1\n\ndata: {"],
  ["a reply of another type that breaks off", { "content-type": "text/plain" }, "data: 1\n\n"],
  ["an encoded stream that breaks off", { ...eventStream, "content-encoding": "gzip" }, "data: 1\n\n"],
  ["a stream of a known length that breaks off", { ...eventStream, "content-length": "100" }, "data: 1\n\n"],
])("%s is cut off", async (_name, headers, text) => {
  const { upstream, proxy } = await open(broken);
  const client = await ask(proxy);
  const { res } = await upstream.next();
  res.writeHead(200, headers).write(text);
  await client.until(/data: 1/);
  const closed = once(client.socket, "close");
  res.destroy();
  await closed;
  expect(proxy.outcomes).toEqual(["unavailable"]);
});
