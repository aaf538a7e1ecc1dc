import type { RequestListener, ServerResponse } from "node:http";
import { lapse } from "@gatehouse/async/testing";
import { GatewayError } from "@gatehouse/errors";
import { afterEach, describe, expect, test } from "vitest";
import {
  defaultHttpServerBounds,
  type HttpServer,
  type HttpServerBounds,
  liftRequestTimeout,
  replyEndOf,
  startHttpServer,
} from "../src/index.ts";
import { connectRaw } from "../src/testing.ts";

let server: HttpServer | undefined;

afterEach(async () => await server?.stop(0));

async function serve(
  listener: RequestListener,
  bounds: Partial<HttpServerBounds> = {},
  onSlowReader: () => void = () => {},
): Promise<HttpServer> {
  server = await startHttpServer(listener, {
    host: "127.0.0.1",
    port: 0,
    bounds: { ...defaultHttpServerBounds, ...bounds },
    clientErrorHeaders: () => ({ "x-request-id": "r1" }),
    onSlowReader,
  });
  return server;
}

/** Serves, and resolves with the reply of the first request. */
async function serveByHand(bounds: Partial<HttpServerBounds> = {}) {
  let arrived: (res: ServerResponse) => void;
  const arrival = new Promise<ServerResponse>((resolve) => (arrived = resolve));
  const { port, stop } = await serve((_req, res) => arrived(res), bounds);
  const client = await connectRaw(port);
  client.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
  return { client, port, stop, res: await arrival };
}

const ok: RequestListener = (_req, res) => void res.end("ok");
const isOpen = async (port: number) =>
  await connectRaw(port).then(
    ({ socket }) => !socket.destroy().connecting,
    () => false,
  );
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

test.each([
  ["garbage", "nonsense\r\n\r\n", "400 Bad Request", "The request is malformed."],
  [
    "headers over the limit",
    `GET / HTTP/1.1\r\nx: ${"x".repeat(40_000)}\r\n\r\n`,
    "431 ",
    "headers are larger than 32768 bytes",
  ],
  ["two lengths", "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n", "400 ", "malformed"],
  [
    "a length beside chunked coding",
    "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n",
    "400 ",
    "malformed",
  ],
  ["no host", "GET / HTTP/1.1\r\n\r\n", "400 ", "The request has no Host header; send one."],
  ["an unknown expectation", "GET / HTTP/1.1\r\nhost: a\r\nexpect: magic\r\n\r\n", "417 ", "100-continue"],
  ["several hosts", "GET / HTTP/1.1\r\nhost: a\r\nHost: a\r\n\r\n", "400 ", "more than one Host header"],
  [
    "several hosts beside a URL",
    "GET http://a/ HTTP/1.1\r\nhost: a\r\nHost: a\r\n\r\n",
    "400 ",
    "more than one Host header",
  ],
  [
    "a URL without a Host header",
    "GET http://a/ HTTP/1.1\r\n\r\n",
    "400 ",
    "The request has no Host header; send one.",
  ],
  ["a URL of another scheme", "GET ftp://a/ HTTP/1.1\r\nhost: a\r\n\r\n", "400 ", "target is malformed"],
  ["a URL with a user", "GET http://u:p@a/ HTTP/1.1\r\nhost: a\r\n\r\n", "400 ", "malformed"],
  ["a URL with an impossible port", "GET http://a:99999/ HTTP/1.1\r\nhost: a\r\n\r\n", "400 ", "malformed"],
  ["a URL without a host", "GET http:///x HTTP/1.1\r\nhost: a\r\n\r\n", "400 ", "malformed"],
  [
    "a URL with two lengths",
    "POST http://a/ HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
    "400 ",
    "malformed",
  ],
  ["a host and a port for a tunnel", "CONNECT a:443 HTTP/1.1\r\nhost: a:443\r\n\r\n", "405 ", "not a forward proxy"],
])("%s is refused and the connection closed", async (...[, bytes, status, message]) => {
  const { port } = await serve(ok);
  const client = await connectRaw(port);
  client.write(bytes);
  const { text } = await client.closed();
  expect(text).toContain(`HTTP/1.1 ${status}`);
  expect(text).toContain(message);
  expect(text).toMatch(/connection: close/i);
});

test("an absolute URL as target is served as its path at its host, also in pipelined requests", async () => {
  const { port } = await serve(({ url, headers }, res) => void res.end(`<${url} at ${headers.host}>`));
  const client = await connectRaw(port);
  client.write("GET http://a.example/x?y=z HTTP/1.1\r\nhost: b.example\r\n\r\n");
  client.write("GET HTTPS://c.example:8443 HTTP/1.1\r\nhost: \r\n\r\n");
  client.write("OPTIONS * HTTP/1.1\r\nhost: d.example\r\n\r\n");
  client.write("GET http://e.example/ HTTP/1.0\r\n\r\n");
  const { text } = await client.closed();
  expect(text.match(/<[^>]*>/g)).toEqual([
    "</x?y=z at a.example>",
    "</ at c.example:8443>",
    "<* at d.example>",
    "</ at e.example>",
  ]);
});

test("bytes that are not a request are refused with the usual JSON, with the given headers", async () => {
  const { port } = await serve(ok);
  const client = await connectRaw(port);
  client.write("nonsense\r\n\r\n");
  const { text } = await client.closed();
  const [head = "", body = ""] = text.split("\r\n\r\n");
  expect(JSON.parse(body)).toEqual({ ok: false, error: "The request is malformed." });
  expect(head).toContain("x-request-id: r1");
  expect(head).toContain(`content-length: ${body.length}`);
});

describe("a body that does not arrive in time", () => {
  const head = "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\n";
  const echoed: RequestListener = (req, res) =>
    void req.on("data", (chunk) => res.write(chunk)).on("end", () => res.end());

  test("is answered with 408 while nothing has been answered", async () => {
    const ended = Promise.withResolvers<GatewayError>();
    const listener: RequestListener = (_req, res) => void res.once("close", () => ended.resolve(replyEndOf(res)));
    const { port } = await serve(listener, { requestTimeoutMs: 60 });
    const client = await connectRaw(port);
    client.write(`${head}ab`);
    expect((await client.closed()).text).toMatch(/^HTTP\/1\.1 408 .*The request did not arrive in time\./s);
    // For the log of the handler.
    await expect(ended.promise).resolves.toMatchObject({ code: "request_timeout" });
  });

  test("may take its time where a route has lifted the bound", async () => {
    const { port } = await serve(
      (req, res) => {
        liftRequestTimeout(req);
        echoed(req, res);
      },
      { requestTimeoutMs: 60 },
    );
    const client = await connectRaw(port);
    client.write(`${head}ab`);
    await lapse(200, "over three times the bound that was lifted");
    client.write("cde");
    await client.until(/0\r\n\r\n$/);
  });

  test("ends the connection of a client that was answered already and never sends the rest", async () => {
    const { port } = await serve(ok, { requestTimeoutMs: 60 });
    const client = await connectRaw(port);
    client.write(`${head}ab`);
    expect((await client.closed()).text).toMatch(/^HTTP\/1\.1 200 /);
  });

  test("does not bound the answer to a body that arrived in time", async () => {
    const { port } = await serve(
      (req, res) =>
        void req.resume().on("end", () => void lapse(150, "over twice the bound").then(() => res.end("ok"))),
      {
        requestTimeoutMs: 60,
      },
    );
    const client = await connectRaw(port);
    client.write(`${head}abcde`);
    expect(await client.until(/ok$/)).toMatch(/^HTTP\/1\.1 200 /);
  });
});

test("CONNECT is refused with an answer", async () => {
  const { port } = await serve(ok);
  const client = await connectRaw(port);
  client.write("CONNECT example.com:443 HTTP/1.1\r\nhost: example.com:443\r\n\r\n");
  expect((await client.closed()).text).toMatch(/^HTTP\/1\.1 405 /);
});

test("a head that does not arrive in time is answered with 408", async () => {
  const { port } = await serve(ok, { headersTimeoutMs: 200, requestTimeoutMs: 200 });
  const client = await connectRaw(port);
  client.write("GET / HTTP/1.1\r\nhost: a\r\n");
  expect((await client.closed()).text).toMatch(/^HTTP\/1\.1 408 .*The request did not arrive in time\./s);
});

test("a refused connection is closed by the server, even if the client never closes its side", async () => {
  const { port, stop } = await serve(ok);
  const client = await connectRaw(port);
  client.socket.allowHalfOpen = true;
  client.write("nonsense\r\n\r\n");
  await client.until(/malformed/);
  const start = performance.now();
  await stop(20_000);
  expect(performance.now() - start).toBeLessThan(5_000);
});

test("garbage after a request whose reply is under way cuts the reply, and writes nothing into it", async () => {
  const { client, res } = await serveByHand();
  res.write("part");
  await client.until(/part/);
  client.write("nonsense\r\n\r\n");
  expect((await client.closed()).text).not.toContain("400");
});

test("an idle connection is kept for its time, and not longer", async () => {
  const { port } = await serve(ok, { keepAliveTimeoutMs: 100 });
  const client = await connectRaw(port);
  client.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
  await client.until(/ok$|ok\r\n/);
  await client.closed();
});

test("an address in use is an error of the start", async () => {
  const { port } = await serve(ok);
  await expect(startHttpServer(ok, { host: "127.0.0.1", port })).rejects.toMatchObject({ code: "EADDRINUSE" });
});

test("stopping lets a reply in flight finish, and does not wait for its kept connection", async () => {
  const { client, port, stop, res } = await serveByHand();
  res.write("first ");
  await client.until(/first/);
  const stopping = stop(10_000);
  await expect.poll(async () => await isOpen(port)).toBe(false);
  await lapse(100, "a stop that did not wait would have cut the reply");
  res.end("last");
  const start = performance.now();
  await client.until(/last/);
  await stopping;
  expect(performance.now() - start).toBeLessThan(2_000);
});

test("stopping cuts what has not finished within the bound", async () => {
  const { client, stop, res } = await serveByHand();
  res.write("first");
  await client.until(/first/);
  const start = performance.now();
  await stop(100);
  expect(performance.now() - start).toBeGreaterThan(90);
  expect((await client.closed()).text).toMatch(/first\r\n$/);
});

test("stopping answers what comes on an idle connection within its bound, and refuses new ones", async () => {
  const { port, stop } = await serve(ok);
  const client = await connectRaw(port);
  const stopping = stop(20_000, 10_000);
  await expect.poll(async () => await isOpen(port)).toBe(false);
  client.write("GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
  const { text, broken } = await client.closed();
  expect(text).toContain("200 OK");
  expect(broken).toBe(false);
  await stopping;
});

test("a stop of an idle server does not wait", async () => {
  const { port, stop } = await serve(ok);
  const client = await connectRaw(port);
  client.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
  await client.until(/ok/);
  const start = performance.now();
  await stop(10_000);
  expect(performance.now() - start).toBeLessThan(1_000);
});

describe("a client that does not read its reply", () => {
  const large = "x".repeat(32 * 1024 * 1024);
  const request = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";

  test("loses its connection even if it keeps sending, and its held bytes are released", async () => {
    let slow = 0;
    const { port } = await serve(
      (_req, res) => void res.end(large),
      { writeIdleTimeoutMs: 150 },
      () => (slow += 1),
    );
    const client = await connectRaw(port);
    client.socket.pause();
    client.write(request);
    const closed = new Promise((resolve) => client.socket.once("error", resolve));
    // Further requests keep an ordinary idle time-out from ever firing.
    const chatter = setInterval(() => client.write("GET /more HTTP/1.1\r\nhost: a\r\n\r\n"), 20);
    await closed;
    clearInterval(chatter);
    expect(slow).toBe(1);
  });

  test("keeps it while it reads, also very slowly", async () => {
    const { port } = await serve((_req, res) => void res.end(large), { writeIdleTimeoutMs: 400 });
    const client = await connectRaw(port);
    client.write(request);
    // One write of the whole reply is under way throughout: only the system's counter moves, in steps of its buffers.
    const startedAt = performance.now();
    let wanted = 0;
    while (performance.now() - startedAt < 1_600) {
      wanted += 512 * 1024;
      client.socket.resume();
      while (client.receivedBytes() < wanted && !client.socket.closed) await pause(1);
      client.socket.pause();
      await lapse(50, "the client reads slowly");
    }
    expect(client.receivedBytes()).toBeLessThan(large.length);
    client.socket.resume();
    while (client.receivedBytes() < large.length && !client.socket.closed) await pause(5);
    expect(client.receivedBytes()).toBeGreaterThan(large.length);
  });

  test("is not cut off while nothing is to be sent", async () => {
    const { port } = await serve((_req, res) => void lapse(300, "six times the bound").then(() => res.end("ok")), {
      writeIdleTimeoutMs: 50,
    });
    const client = await connectRaw(port);
    client.write(request);
    expect(await client.until(/ok$/)).toMatch(/^HTTP\/1\.1 200 /);
  });
});

test("a connection that is not admitted gets the reason, and no listener sees its requests", async () => {
  let seen = 0;
  server = await startHttpServer(() => (seen += 1), {
    host: "127.0.0.1",
    port: 0,
    upgrades: true,
    admitConnection: () => new GatewayError("unavailable", "Too many.", { retryAfterSeconds: 3 }),
  });
  for (const upgrade of ["", "connection: upgrade\r\nupgrade: websocket\r\n"]) {
    const client = await connectRaw(server.port);
    client.write(`GET / HTTP/1.1\r\nhost: a\r\n${upgrade}\r\n`);
    const { text } = await client.closed();
    expect(text).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\nretry-after: 3\r\n/);
    expect(text).toContain('{"ok":false,"error":"Too many.","retry_after":3}');
  }
  expect(seen).toBe(0);
});
