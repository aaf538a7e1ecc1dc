import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { IncomingMessage, ServerResponse } from "node:http";
import { lapse } from "@gatehouse/async/testing";
import { GatewayError } from "@gatehouse/errors";
import { afterEach, describe, expect, test } from "vitest";
import { pipelinedMax, waitingLengthMax } from "../src/in-turn.ts";
import { defaultHttpServerBounds, type HttpServer, sendJson, sendJsonParts, startHttpServer } from "../src/index.ts";
import { connectRaw } from "../src/testing.ts";
import { tinyChunksMax } from "../src/tiny-chunks.ts";

let server: HttpServer | undefined;

afterEach(async () => await server?.stop(0));

const upgrade = "GET /ws HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n";
const requests = (count: number) =>
  Array.from({ length: count }, (_, at) => `GET /${at} HTTP/1.1\r\nhost: a\r\n\r\n`).join("");

test("requests in one piece start one by one, each in a turn of the event loop, and are all answered", async () => {
  let [turns, underWay, most] = [0, 0, 0];
  const begunIn: number[] = [];
  server = await startHttpServer(
    (req, res) => {
      begunIn.push(turns);
      setImmediate(() => (turns += 1));
      most = Math.max(most, (underWay += 1));
      res.once("finish", () => (underWay -= 1));
      res.end(`${req.url};`);
    },
    { host: "127.0.0.1", port: 0 },
  );
  const client = await connectRaw(server.port);
  const count = pipelinedMax + 1;
  client.write(requests(count));
  const text = await client.until(new RegExp(`/${count - 1};$`));
  expect(Array.from(text.matchAll(/\/(\d+);/g), ([, at]) => Number(at))).toEqual(
    Array.from({ length: count }, (_, at) => at),
  );
  expect(most).toBe(1);
  expect(new Set(begunIn).size).toBe(count);
  client.socket.destroy();
});

test("a client that sends very many requests without waiting for a reply is cut off, and none starts after that", async () => {
  let begun = 0;
  server = await startHttpServer(() => void (begun += 1), { host: "127.0.0.1", port: 0 });
  const client = await connectRaw(server.port);
  client.write(requests(pipelinedMax + 2));
  await client.closed();
  expect(begun).toBe(1);
});

test("the rest of the read at which a client is cut off is discarded: none of it becomes a request", async () => {
  const made: string[] = [];
  server = await startHttpServer(() => undefined, { host: "127.0.0.1", port: 0 });
  const count = (message: unknown) => made.push((message as { request: IncomingMessage }).request.url ?? "");
  subscribe("http.server.request.start", count);
  try {
    const client = await connectRaw(server.port);
    // One read: Node reads 64 KiB at a time.
    client.write(requests(1_500));
    await client.closed();
  } finally {
    unsubscribe("http.server.request.start", count);
  }
  expect(made).toHaveLength(pipelinedMax + 2);
});

test.each([["at once"], ["late"]])(
  "a request to switch protocols behind one that is answered %s ends its connection, and nothing else",
  async (when) => {
    const asked: (string | undefined)[] = [];
    const listener = (req: IncomingMessage, res: ServerResponse) => {
      asked.push(req.url);
      if (when === "at once") res.end("ok");
      // Both requests arrive in one read, which Node parses whole before its next turn.
      else setImmediate(() => res.end("ok"));
    };
    server = await startHttpServer(listener, { host: "127.0.0.1", port: 0, upgrades: true });
    const client = await connectRaw(server.port);
    client.write(`GET /first HTTP/1.1\r\nhost: a\r\n\r\n${upgrade}`);
    await client.closed();
    expect(asked).toEqual(["/first"]);
    const other = await connectRaw(server.port);
    other.write("GET /other HTTP/1.1\r\nhost: a\r\n\r\n");
    await other.until(/ok$/);
    other.socket.destroy();
  },
);

test("requests before a malformed one are answered, also by replies that wait for the end of the read", async () => {
  server = await startHttpServer((req, res) => sendJson(res, { status: 200, body: req.url }), {
    host: "127.0.0.1",
    port: 0,
  });
  const client = await connectRaw(server.port);
  client.write(`${requests(2)}nonsense\r\n\r\n`);
  const { text } = await client.closed();
  expect(Array.from(text.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => status)).toEqual(["200", "200", "400"]);
});

test("requests that wait are bounded in the length of their heads and bodies, too", async () => {
  let begun = 0;
  server = await startHttpServer(() => void (begun += 1), { host: "127.0.0.1", port: 0 });
  const client = await connectRaw(server.port);
  const head = `GET / HTTP/1.1\r\nhost: a\r\nx-long: ${"x".repeat(15_000)}\r\n\r\n`;
  client.write(head.repeat(Math.ceil(waitingLengthMax / 15_000) + 2));
  await client.closed();
  expect(begun).toBe(1);
});

test("a queued request never starts after the server ended its connection", async () => {
  const begun: (string | undefined)[] = [];
  const listener = (req: IncomingMessage, res: ServerResponse) => {
    begun.push(req.url);
    res.setHeader("connection", "close");
    res.end("x".repeat(4_000_000));
  };
  server = await startHttpServer(listener, { host: "127.0.0.1", port: 0 });
  const client = await connectRaw(server.port);
  client.write(requests(3));
  await client.closed();
  expect(begun).toEqual(["/0"]);
});

test.each([
  ["that is refused for its missing Host", "GET / HTTP/1.1\r\n\r\n"],
  ["that is refused for its Expect header", "GET / HTTP/1.1\r\nhost: a\r\nexpect: z\r\n\r\n"],
  ["of a connection that was refused", "GET /refused HTTP/1.1\r\nhost: a\r\n\r\n"],
])("a request to switch protocols behind one %s ends its connection, and nothing else", async (_what, first) => {
  const refusal = new GatewayError("too_many_requests", "Too many connections.");
  const admitConnection = first.includes("/refused") ? () => refusal : undefined;
  const options = { host: "127.0.0.1", port: 0, upgrades: true };
  server = await startHttpServer((_req, res) => void res.end("ok"), {
    ...options,
    ...(admitConnection && { admitConnection }),
  });
  const client = await connectRaw(server.port);
  client.write(first + upgrade);
  await client.closed();
});

const statuses = (text: string) => Array.from(text.matchAll(/HTTP\/1\.1 (\d{3}) /g), ([, code]) => code);
const tinyBody = `POST /tiny HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n${"1\r\na\r\n".repeat(tinyChunksMax + 1)}`;

const refusedBehind = [
  ["garbage", "nonsense\r\n\r\n", "400"],
  ["a head that is too large", `GET / HTTP/1.1\r\nx: ${"x".repeat(40_000)}\r\n\r\n`, "431"],
  ["a head that does not end in time", "GET / HTTP/1.1\r\nhost: a\r\n", "408"],
  ["CONNECT", "CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n", "405"],
  ["a body with a bad chunk", "POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n", "400"],
] as const;
const bounds = { ...defaultHttpServerBounds, headersTimeoutMs: 200 };
const large = "x".repeat(16_000_000);
// More than the system buffers for a client that does not read.
const parts = Array.from({ length: 64 }, () => large.slice(0, large.length / 64));

test.each([...refusedBehind, ["a body in tiny chunks", tinyBody, "400"] as const])(
  "%s after requests that wait for their replies is answered after them, and nothing after it",
  async (_what, refused, status) => {
    const begun: (string | undefined)[] = [];
    const first = Promise.withResolvers<ServerResponse>();
    const listener = (req: IncomingMessage, res: ServerResponse) => {
      begun.push(req.url);
      if (req.url === "/0") first.resolve(res);
      else sendJsonParts(res, { status: 200, parts });
    };
    server = await startHttpServer(listener, { host: "127.0.0.1", port: 0, bounds });
    const client = await connectRaw(server.port);
    client.write(requests(2) + refused);
    const res = await first.promise;
    // A head above its bound: its failure is known before the first reply.
    await lapse(1_500, "Node looks at its connections each second");
    expect(client.received()).toBe("");
    res.end("first");
    const { text } = await client.closed();
    expect(statuses(text)).toEqual(["200", "200", status]);
    expect(text.indexOf("first")).toBeLessThan(text.indexOf(large));
    expect(begun).toEqual(["/0", "/1"]);
  },
);

test.each(refusedBehind)(
  "%s is not written into a large reply that its client has not taken yet",
  async (_what, refused, status) => {
    server = await startHttpServer((_req, res) => void res.end(large), { host: "127.0.0.1", port: 0, bounds });
    const client = await connectRaw(server.port);
    client.socket.pause();
    client.write(requests(1) + refused);
    await lapse(300, "a refusal that did not wait would be written by then");
    client.socket.resume();
    const { text } = await client.closed();
    expect(statuses(text)).toEqual(["200", status]);
    expect(text).toContain(large);
  },
);

describe("during the reply to an earlier request", () => {
  const connectHead = "CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n";

  test("a connection that asks for a tunnel does not delay the stop", async () => {
    const begun = Promise.withResolvers<undefined>();
    const listener = (_req: IncomingMessage, res: ServerResponse) => {
      res.write("a stream without an end");
      begun.resolve(undefined);
    };
    server = await startHttpServer(listener, { host: "127.0.0.1", port: 0 });
    const client = await connectRaw(server.port);
    // In one piece, so that CONNECT arrives before the stream has begun.
    client.write(requests(1) + connectHead);
    await begun.promise;
    await server.stop(100);
    expect((await client.closed()).text).not.toContain(" 405 ");
  });

  test.each([
    ["asks for a tunnel", connectHead],
    ["sends a byte that begins no request", "G"],
  ])("a client that %s and leaves ends the work for its request", async (_what, rest) => {
    const left = Promise.withResolvers<undefined>();
    const listener = (_req: IncomingMessage, res: ServerResponse) =>
      void res.once("close", () => left.resolve(undefined));
    server = await startHttpServer(listener, { host: "127.0.0.1", port: 0 });
    const client = await connectRaw(server.port);
    client.socket.end(requests(1) + rest);
    await left.promise;
    expect((await client.closed()).text).toBe("");
  });
});

test("an invalid rest of a request's body after its complete reply gets no second reply", async () => {
  server = await startHttpServer((_req, res) => void res.end("early"), { host: "127.0.0.1", port: 0 });
  const client = await connectRaw(server.port);
  client.write("POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n");
  await client.until(/early/);
  client.write("zz\r\n");
  expect(statuses((await client.closed()).text)).toEqual(["200"]);
});

describe.each([
  ["for its missing Host", "GET /refused HTTP/1.1\r\n\r\n", "400"],
  ["for several Hosts", "GET /refused HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n", "400"],
  ["for what it expects", "GET /refused HTTP/1.1\r\nhost: a\r\nexpect: magic\r\n\r\n", "417"],
])("a request that is refused %s", (_why, refused, status) => {
  test("is answered after the slow request before it", async () => {
    const arrived = Promise.withResolvers<ServerResponse>();
    server = await startHttpServer((_req, res) => arrived.resolve(res), { host: "127.0.0.1", port: 0 });
    const client = await connectRaw(server.port);
    client.write(requests(1) + refused);
    const res = await arrived.promise;
    // Both arrived in one read, so the refused one has been parsed by now.
    res.end("first");
    const { text } = await client.closed();
    expect(statuses(text)).toEqual(["200", status]);
    expect(text.indexOf("first")).toBeLessThan(text.indexOf(` ${status} `));
  });

  test("prevents every request after it", async () => {
    const begun: (string | undefined)[] = [];
    const listener = (req: IncomingMessage, res: ServerResponse) => {
      begun.push(req.url);
      res.end("ok");
    };
    server = await startHttpServer(listener, { host: "127.0.0.1", port: 0 });
    const client = await connectRaw(server.port);
    client.write(refused + requests(2));
    expect(statuses((await client.closed()).text)).toEqual([status]);
    const behind = await connectRaw(server.port);
    behind.write(requests(1) + refused + requests(2));
    expect(statuses((await behind.closed()).text)).toEqual(["200", status]);
    expect(begun).toEqual(["/0"]);
  });
});
