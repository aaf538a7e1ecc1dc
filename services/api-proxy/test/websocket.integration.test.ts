import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { json } from "node:stream/consumers";
import { connectRaw } from "@gatehouse/http/testing";
import { createTestDatabase, type TestDatabase } from "@gatehouse/postgres/testing";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { type ProxyKit, startProxyKit } from "./proxy-kit.ts";
import { startUpstream } from "./upstream.ts";

const stops: (() => Promise<unknown> | void)[] = [];
let database: TestDatabase;
let kit: ProxyKit;
let server: WebSocketServer;
let slug: string;

beforeAll(async () => {
  database = await createTestDatabase();
  kit = await startProxyKit({ database });
  server = new WebSocketServer({ host: "127.0.0.1", port: 0, handleProtocols: () => "chat.v2" });
  await once(server, "listening");
  server.on("connection", (socket) => {
    socket.on("message", (data, isBinary) => socket.send(data, { binary: isBinary }));
  });
  const upstreamUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/socket`;
  const auth = { type: "header", name: "X-Key", value: "s3cret" };
  slug = await kit.createEndpoint({ upstream_url: upstreamUrl, auth });
});

afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

afterAll(async () => {
  await kit.close();
  for (const client of server.clients) client.terminate();
  server.close();
  await database.drop();
});

function open(own: ProxyKit = kit, rest = "/room?id=1"): WebSocket {
  const socket = new WebSocket(`ws://127.0.0.1:${own.port}${own.pathOf(slug, rest)}`, ["chat.v2"], {
    headers: { authorization: "Bearer svc_live_x" },
  });
  stops.push(() => socket.terminate());
  return socket;
}

test("a WebSocket is opened at the upstream's path, with the endpoint's auth and without the caller's", async () => {
  const connected = once(server, "connection");
  const socket = open();
  await once(socket, "open");
  const [, request] = await connected;
  expect(request.url).toBe("/socket/room?id=1");
  expect(request.headers["x-key"]).toBe("s3cret");
  expect(request.headers["x-forwarded-for"]).toBe("203.0.113.9");
  expect(request.headers).not.toHaveProperty("authorization");
  expect(socket.protocol).toBe("chat.v2");
});

test("messages pass both ways as they are, small and large, text and bytes", async () => {
  const socket = open();
  await once(socket, "open");
  for (const message of ["hello", "grüße", Buffer.alloc(3_000_000, 7)]) {
    const answered = once(socket, "message");
    socket.send(message);
    const [data, isBinary] = await answered;
    expect(isBinary).toBe(typeof message !== "string");
    expect(Buffer.from(data).equals(Buffer.from(message))).toBe(true);
  }
});

test("is refused with 502 in the endpoint's time if the upstream is silent", async () => {
  const silent = await startUpstream(() => {});
  stops.push(async () => await silent.close());
  const timeoutMs = 150;
  const quick = await kit.createEndpoint({ upstream_url: silent.url, timeout_ms: timeoutMs });
  const socket = new WebSocket(`ws://127.0.0.1:${kit.port}${kit.pathOf(quick)}`);
  const askedMs = performance.now();
  const [, reply] = await once(socket, "unexpected-response");
  expect(reply.statusCode).toBe(502);
  expect(await json(reply)).toMatchObject({ detail: "The host did not answer in time." });
  const tookMs = performance.now() - askedMs;
  expect(tookMs).toBeGreaterThan(timeoutMs - 5);
  expect(tookMs).toBeLessThan(timeoutMs + 500);
});

test("a close of either side reaches the other with its code", async () => {
  const ofClient = open();
  const connected = once(server, "connection");
  await once(ofClient, "open");
  const [upstream] = await connected;
  const seen = once(upstream, "close");
  ofClient.close(4_001, "bye");
  expect((await seen)[0]).toBe(4_001);

  const again = open();
  const reconnected = once(server, "connection");
  await once(again, "open");
  const closed = once(again, "close");
  (await reconnected)[0].close(4_002, "gone");
  expect((await closed)[0]).toBe(4_002);
});

test("a vanished client ends its upstream connection, and the log has the duration", async () => {
  const connected = once(server, "connection");
  const socket = open();
  await once(socket, "open");
  const [upstream] = await connected;
  const seen = once(upstream, "close");
  socket.terminate();
  await seen;
  await expect.poll(() => kit.gatewayLog.entries.at(-1)).toMatchObject({ status: 101, attempts: 1 });
});

test.each(["ends its side", "resets"])(
  "a client that %s before the upstream has answered ends the upstream's request",
  async (how) => {
    const asked = Promise.withResolvers<unknown>();
    const left = Promise.withResolvers<unknown>();
    const silent = await startUpstream((req) => {
      req.once("close", left.resolve);
      asked.resolve(undefined);
    });
    stops.push(async () => await silent.close());
    const slow = await kit.createEndpoint({ upstream_url: silent.url });
    const lines = ["Host: a", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"];
    const socket = connect(kit.port, "127.0.0.1");
    stops.push(() => void socket.destroy());
    socket.write([`GET ${kit.pathOf(slow)} HTTP/1.1`, ...lines, "Sec-WebSocket-Key: YQ==", "", ""].join("\r\n"));
    await asked.promise;
    if (how === "resets") socket.resetAndDestroy();
    else socket.end();
    await left.promise;
    await expect.poll(() => kit.gatewayLog.entries.at(-1)).toMatchObject({ status: 499, errorCode: "cancelled" });
  },
);

test("a silent connection is ended", async () => {
  const hasty = await startProxyKit({
    database,
    project: kit.principal.project,
    proxy: { upgradeIdleTimeoutMs: 80 },
  });
  stops.push(async () => await hasty.close());
  const socket = open(hasty);
  await once(socket, "open");
  await once(socket, "close");
});

test("an upstream's refusal of the upgrade is passed on like any reply", async () => {
  const plain = await kit.createEndpoint({
    upstream_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    allowed_methods: ["GET"],
  });
  const client = await connectRaw(kit.port);
  const key = "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==";
  const lines = [`GET ${kit.pathOf(plain)} HTTP/1.1`, "host: a", "connection: upgrade", "upgrade: websocket", key];
  // Without a version the server refuses the upgrade.
  client.write(`${lines.join("\r\n")}\r\n\r\n`);
  expect((await client.closed()).text).toMatch(/^HTTP\/1\.1 400 /);
});

test.each([
  ["an unknown endpoint", "nothing", "GET", /^HTTP\/1\.1 404 [^]*Endpoint 'nothing' not found or inactive\./],
  ["a POST, which cannot ask for one", undefined, "POST", /^HTTP\/1\.1 405 /],
])("%s is refused as any request is", async (...[, path, method, expected]) => {
  const client = await connectRaw(kit.port);
  stops.push(() => void client.socket.destroy());
  const lines = [
    `${method} ${kit.pathOf(path ?? slug)} HTTP/1.1`,
    "host: a",
    "connection: upgrade",
    "upgrade: websocket",
  ];
  client.write(`${lines.join("\r\n")}\r\n\r\n`);
  expect(await client.until(/\}$/)).toMatch(expected);
});

test("an upgrade to another protocol is handled as an ordinary request", async () => {
  const client = await connectRaw(kit.port);
  stops.push(() => void client.socket.destroy());
  const lines = [`GET ${kit.pathOf("nothing")} HTTP/1.1`, "host: a", "connection: upgrade, http2-settings"];
  client.write(`${[...lines, "upgrade: h2c", "http2-settings: AAMAAABk"].join("\r\n")}\r\n\r\n`);
  expect(await client.until(/\}$/)).toMatch(/^HTTP\/1\.1 404 /);
});

test("stopping the gateway ends its WebSockets", async () => {
  const { project } = kit.principal;
  const own = await startProxyKit({ database, project, proxy: { upgradeIdleTimeoutMs: 600_000 } });
  const socket = open(own);
  await once(socket, "open");
  const closed = once(socket, "close");
  await own.close();
  await closed;
});
