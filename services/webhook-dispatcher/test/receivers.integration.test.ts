import { createServer as createTcpServer, type Server, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { allowNothing } from "@gatehouse/egress";
import type { TestDatabase } from "@gatehouse/postgres/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { WebhookDispatcherConfig } from "../src/program.ts";
import {
  createWebhook,
  endedDeliveries,
  newEvent,
  openTestDatabase,
  publish,
  type Replica,
  type ShownDelivery,
  startReceiver,
  startReplica,
  testConfig,
} from "./fixture.ts";

const timeoutMs = 700;
/** Milliseconds that a busy machine may add. */
const slackMs = 2_000;

let database: TestDatabase;
let config: WebhookDispatcherConfig;
let replica: Replica;

beforeAll(async () => {
  database = await openTestDatabase();
  config = testConfig(database.url, { timeoutMs });
  replica = await startReplica(config);
});

afterAll(async () => {
  await replica.service.stop();
  await database.drop();
});

/** A receiver whose sockets the test controls. */
async function startRaw(onSocket: (socket: Socket) => void): Promise<{ url: string; server: Server }> {
  const server = createTcpServer((socket) => {
    socket.on("error", () => {});
    onSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return { url: `http://127.0.0.1:${port}/hook`, server };
}

function repeat(socket: Socket, text: string | Buffer): void {
  const timer = setInterval(() => socket.write(text), 20);
  socket.on("close", () => clearInterval(timer));
}

const head = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n";
const endless = Buffer.alloc(256 * 1024, "x");
const timeoutError = `The receiver timed out: no whole answer within ${timeoutMs} ms.`;

const hostile: Readonly<Record<string, { readonly on: (socket: Socket) => void; readonly record: object }>> = {
  "never answers": { on: () => {}, record: { error: timeoutError, http_status: null } },
  "drips its head": {
    on: (socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      repeat(socket, "x-more: y\r\n");
    },
    record: { success: false, http_status: null },
  },
  "drips its body": {
    on: (socket) => {
      socket.write(`${head}transfer-encoding: chunked\r\n\r\n`);
      repeat(socket, "1\r\nx\r\n");
    },
    record: { error: timeoutError, http_status: 200, success: false },
  },
  "floods with 1xx": {
    on: (socket) => repeat(socket, "HTTP/1.1 102 Processing\r\n\r\n"),
    record: { success: false, http_status: null },
  },
  "has an endless body": {
    on: (socket) => {
      socket.write(`${head}transfer-encoding: chunked\r\n\r\n`);
      repeat(socket, Buffer.concat([Buffer.from("40000\r\n"), endless, Buffer.from("\r\n")]));
    },
    record: { success: true, http_status: 200, response_body_truncated: true, response_body: "x".repeat(64 * 1024) },
  },
  "has a head too large": {
    on: (socket) => socket.write(`HTTP/1.1 200 OK\r\n${`x-filler: ${"y".repeat(1_000)}\r\n`.repeat(200)}\r\n`),
    record: { success: false, error: "The receiver's reply headers are too large." },
  },
  "resets the connection": {
    on: (socket) => socket.once("data", () => socket.resetAndDestroy()),
    record: { success: false, error: "The receiver closed the connection before its reply was complete." },
  },
  "stops inside its body": {
    on: (socket) => socket.once("data", () => socket.end(`${head}content-length: 100\r\n\r\nhalf`)),
    record: { success: false, http_status: 200 },
  },
  "talks nonsense": {
    on: (socket) => socket.once("data", () => socket.end("hello\r\n\r\n")),
    record: { success: false, http_status: null, error: "The receiver's reply is not valid HTTP/1.1." },
  },
};

test.each(Object.entries(hostile))("a receiver that %s ends in time, with a record", async (_name, { on, record }) => {
  const { url, server } = await startRaw(on);
  const { id } = await createWebhook(replica, url);
  const begunAt = performance.now();
  const delivery = await replica.admin.call<ShownDelivery>("svc_test_webhook", { webhook_id: id });
  expect(performance.now() - begunAt).toBeLessThan(timeoutMs + slackMs);
  expect(delivery).toMatchObject({ state: "done", ...record });
  server.close();
});

test("a TLS handshake that stalls ends in time", async () => {
  const { url, server } = await startRaw(() => {});
  const { id } = await createWebhook(replica, url.replace("http:", "https:"));
  const begunAt = performance.now();
  const delivery = await replica.admin.call<ShownDelivery>("svc_test_webhook", { webhook_id: id });
  expect(performance.now() - begunAt).toBeLessThan(timeoutMs + slackMs);
  expect(delivery).toMatchObject({ success: false, http_status: null });
  server.close();
});

test("a delivery to a receiver without a listener fails", async () => {
  const { url, server } = await startRaw(() => {});
  server.close();
  const { id } = await createWebhook(replica, url);
  const delivery = await replica.admin.call<ShownDelivery>("svc_test_webhook", { webhook_id: id });
  expect(delivery).toMatchObject({ success: false, error: "Upstream unreachable. The connection was refused." });
});

test("a compressed reply is not decompressed", async () => {
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
  const receiver = await startReceiver(
    (_req, res) => void res.writeHead(200, { "content-encoding": "gzip" }).end(bomb),
  );
  const { id } = await createWebhook(replica, receiver.url);
  const before = process.memoryUsage().rss;
  const delivery = await replica.admin.call<ShownDelivery>("svc_test_webhook", { webhook_id: id });
  expect(delivery).toMatchObject({ success: true, http_status: 200 });
  expect(delivery.response_body?.length).toBeLessThanOrEqual(64 * 1024);
  expect(process.memoryUsage().rss - before).toBeLessThan(50 * 1024 * 1024);
  await receiver.stop();
});

test("a redirect is a failure, and is not followed", async () => {
  const target = await startReceiver();
  const receiver = await startReceiver((_req, res) => void res.writeHead(307, { location: target.url }).end());
  const { id } = await createWebhook(replica, receiver.url);
  const delivery = await replica.admin.call<ShownDelivery>("svc_test_webhook", { webhook_id: id });
  expect(delivery).toMatchObject({
    success: false,
    http_status: 307,
    error: "The receiver answered 307. Redirects are not followed.",
  });
  expect(target.arrivals).toHaveLength(0);
  await Promise.all([receiver.stop(), target.stop()]);
});

test("a failed delivery is recorded with the reply, and not repeated", async () => {
  const receiver = await startReceiver((_req, res) => void res.writeHead(500).end("no\0thing"));
  const { id, project } = await createWebhook(replica, receiver.url);
  await publish(replica, newEvent(project));
  await expect.poll(async () => await endedDeliveries(replica, id), { timeout: 5_000 }).toHaveLength(1);
  expect(await endedDeliveries(replica, id)).toMatchObject([
    { success: false, http_status: 500, response_body: "no\uFFFDthing", error: "The receiver answered 500." },
  ]);
  const marker = newEvent(project);
  await publish(replica, marker);
  await expect.poll(async () => await endedDeliveries(replica, id), { timeout: 5_000 }).toHaveLength(2);
  expect(receiver.arrivals).toHaveLength(2);
  await receiver.stop();
});

test("an address that the guard now blocks is not called, and the record has the reason", async () => {
  const receiver = await startReceiver();
  const { id } = await createWebhook(replica, receiver.url);
  const strict = await startReplica({ ...config, egress: { allow: allowNothing } });
  const delivery = await strict.admin.call<ShownDelivery>("svc_test_webhook", { webhook_id: id });
  expect(delivery).toMatchObject({ success: false, http_status: null, response_body: null });
  expect(delivery?.error).toMatch(/^Upstream URL blocked by SSRF guard\. ./);
  await strict.service.stop();
  expect(receiver.arrivals).toHaveLength(0);
  await receiver.stop();
});

test("a slow receiver delays no other one", async () => {
  const own = await openTestDatabase();
  const patient = await startReplica(testConfig(own.url));
  const sockets: Socket[] = [];
  const slow = await startRaw((socket) => sockets.push(socket));
  const fast = await startReceiver();
  const { id: slowId, project } = await createWebhook(patient, slow.url);
  const { id } = await createWebhook(patient, fast.url, { project });
  await publish(patient, ...Array.from({ length: 40 }, () => newEvent(project)));
  await expect.poll(async () => await endedDeliveries(patient, id), { timeout: 9_000 }).toHaveLength(40);
  // While the deliveries to the slow receiver are still in flight.
  expect(sockets).toHaveLength(8);
  expect(await endedDeliveries(patient, slowId)).toEqual([]);
  slow.server.close();
  for (const socket of sockets) socket.destroy();
  await patient.service.stop();
  await fast.stop();
  await own.drop();
});
