import type { ServerResponse } from "node:http";
import { GatewayError } from "@gatehouse/errors";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import {
  type HttpServer,
  sendError,
  sendJson,
  sendJsonParts,
  sendJsonText,
  startHttpServer,
  unsentLength,
} from "../src/index.ts";
import { connectRaw } from "../src/testing.ts";

let server: HttpServer;
let sent: { readonly res: ServerResponse; readonly unsentAtFirst: number } | undefined;
/** Contains surrogate pairs at every place where it may be cut. */
const large = JSON.stringify({ text: "🙂".repeat(300_001) });

beforeAll(async () => {
  server = await startHttpServer(
    (req, res) => {
      const limited = new GatewayError("rate_limited", "Rate limit exceeded.", {
        details: { scope: "minute" },
        retryAfterSeconds: 7,
      });
      if (req.url === "/limited") sendError(res, limited, { "x-request-id": "r1" });
      else if (req.url === "/twice") {
        sendJson(res, { status: 200, body: { first: true } });
        sendJson(res, { status: 200, body: { second: true } });
        sendError(res, limited);
      } else if (req.url === "/left") {
        sendJson(res, { status: 200, body: {} });
        req.socket.destroy();
      } else if (req.url === "/large") {
        sendJsonText(res, { status: 200, text: large });
        sent = { res, unsentAtFirst: unsentLength(res) };
      } else if (req.url === "/parts")
        sendJsonParts(res, { status: 200, parts: ["[", large, ",", Buffer.from(large), "]"] });
      else sendJson(res, { status: 201, body: { text: "Grüße" }, headers: { "x-request-id": "r2" } });
    },
    { host: "127.0.0.1", port: 0 },
  );
});

afterAll(async () => await server.stop(0));

const get = async (path: string) => await fetch(`http://127.0.0.1:${server.port}${path}`);

test("a client that leaves before its reply is written affects no other request", async () => {
  await expect(get("/left")).rejects.toThrow("fetch failed");
  expect((await get("/")).status).toBe(201);
});

test("a JSON reply has its length, its type and the headers given", async () => {
  const reply = await get("/");
  expect(reply.status).toBe(201);
  expect(Object.fromEntries(reply.headers)).toMatchObject({
    "content-type": "application/json; charset=utf-8",
    "content-length": String(Buffer.byteLength('{"text":"Grüße"}')),
    "x-request-id": "r2",
    connection: "keep-alive",
  });
  expect(await reply.json()).toEqual({ text: "Grüße" });
});

test("an error has the status of its code, Retry-After and retry_after alike", async () => {
  const reply = await get("/limited");
  expect(reply.status).toBe(429);
  expect(reply.headers.get("retry-after")).toBe("7");
  expect(reply.headers.get("x-request-id")).toBe("r1");
  expect(await reply.json()).toEqual({ ok: false, error: "Rate limit exceeded.", scope: "minute", retry_after: 7 });
});

test("a second reply to one request is dropped", async () => {
  expect(await (await get("/twice")).json()).toEqual({ first: true });
});

test("a reply before the end of a large request closes the connection, once the rest was dropped", async () => {
  const client = await connectRaw(server.port);
  client.write("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 100000\r\n\r\n");
  expect(await client.until(/\}$/)).toMatch(/connection: close/i);
  client.write("GET /twice HTTP/1.1\r\nhost:a\r\n\r\n".padEnd(100_000));
  const { text, broken } = await client.closed();
  expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
  expect(broken).toBe(false);
});

test("a client that never sends the rest is cut off within a bound", async () => {
  const client = await connectRaw(server.port);
  client.write("POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n");
  const start = performance.now();
  await client.closed();
  expect(performance.now() - start).toBeLessThan(5_000);
});

test("a reply before the end of a small request keeps the connection", async () => {
  const client = await connectRaw(server.port);
  client.write("POST /limited HTTP/1.1\r\nhost: a\r\ncontent-length: 27\r\n\r\n");
  await client.until(/\}$/);
  client.write("GET /twice HTTP/1.1\r\nhost:a");
  client.write("GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
  const { text } = await client.closed();
  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 429", "HTTP/1.1 201"]);
});

test("a request that was read whole keeps its connection after an error", async () => {
  const client = await connectRaw(server.port);
  client.write("GET /limited HTTP/1.1\r\nhost: a\r\n\r\n");
  await client.until(/\}$/);
  client.write("GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
  const { text } = await client.closed();
  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 429", "HTTP/1.1 201"]);
});

test("a large reply is sent in pieces, and arrives as it was", async () => {
  expect(await (await get("/large")).text()).toBe(large);
  expect(await (await get("/parts")).text()).toBe(`[${large},${large}]`);
});

test("a large reply counts as unsent until its client has taken it", async () => {
  await (await get("/large")).text();
  expect(sent?.unsentAtFirst).toBeGreaterThan(large.length * 0.8);
  await vi.waitFor(() => expect(sent && unsentLength(sent.res)).toBe(0));
});

test("a client that leaves in the middle of a large reply affects no other request", async () => {
  const client = await connectRaw(server.port);
  client.write("GET /parts HTTP/1.1\r\nhost: a\r\n\r\n");
  await client.until(/200 OK/);
  client.socket.destroy();
  expect((await get("/")).status).toBe(201);
});
