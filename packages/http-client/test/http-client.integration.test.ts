import { once } from "node:events";
import { type AddressInfo, connect as connectSocket, createServer, type Server, type Socket } from "node:net";
import { Readable } from "node:stream";
import { setTimeout as sleep, setImmediate as nextTurn } from "node:timers/promises";
import { buildConnector, type Dispatcher } from "undici";
import { afterEach, expect, test, vi } from "vitest";
import {
  ClientClosed,
  ConnectionLost,
  HttpClient,
  type HttpClientOptions,
  MalformedReply,
  ReplyLate,
  sharedReads,
  TooManyOrigins,
} from "../src/index.ts";
import { PlayedConnection } from "./played-connection.ts";

/** Decides what a connection answers to the bytes that it has received so far. */
type Script = (socket: Socket, received: string, connection: number) => void;

const servers: Server[] = [];
const clients: HttpClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.destroy();
  for (const server of servers.splice(0)) server.close();
});

/** A server that counts its connections. */
async function startServer(script: Script) {
  const sockets: Socket[] = [];
  const received: string[] = [];
  const server = createServer((socket) => {
    const connection = sockets.push(socket) - 1;
    received.push("");
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      received[connection] += bytes.toString("latin1");
      script(socket, received[connection] ?? "", connection);
    });
  });
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets, received };
}

function createClient(changes: Partial<HttpClientOptions> = {}): HttpClient {
  const client = new HttpClient({
    connect: buildConnector({ timeout: 5_000, ...sharedReads }),
    originsMax: 10,
    connectionsMax: 10,
    keepAliveMs: 10_000,
    keepAliveMsMax: 20_000,
    headBytesMax: 4_096,
    ...changes,
  });
  clients.push(client);
  return client;
}

type Options = Partial<Dispatcher.DispatchOptions>;

interface Call {
  readonly controller: Dispatcher.DispatchController;
  readonly events: string[];
  readonly body: () => string;
  readonly done: Promise<string>;
}

/** Begins a call, and resolves with its outcome: the status and the body, or the name of its error. */
function begin(client: HttpClient, options: Options, handler: Partial<Dispatcher.DispatchHandler> = {}): Call {
  const { promise, resolve } = Promise.withResolvers<string>();
  const events: string[] = [];
  let held: Dispatcher.DispatchController | undefined;
  let status = 0;
  let body = "";
  client.dispatch(
    { path: "/", method: "POST", body: "{}", ...options },
    {
      onRequestQueued: (controller: Dispatcher.DispatchController) => void (held = controller),
      onRequestStart(controller: Dispatcher.DispatchController) {
        held = controller;
        events.push("start");
      },
      onRequestSent: () => void events.push("sent"),
      onResponseStart: (_controller: unknown, given: number) => void (status = given),
      onResponseData: (_controller: unknown, bytes: Buffer) => void (body += bytes.toString("latin1")),
      onResponseEnd: () => resolve(`${status} ${body}`),
      onResponseError: (_controller: unknown, err: Error) => resolve(err.name === "Error" ? err.message : err.name),
      ...handler,
    },
  );
  return {
    get controller() {
      if (held === undefined) throw new Error("The call has no controller.");
      return held;
    },
    events,
    body: () => body,
    done: promise,
  };
}

const reply = (text: string, fields = "") =>
  `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n${fields}\r\n${text}`;
/** Answers each request whose body has arrived. */
const answering: Script = (socket, received) => {
  if (received.endsWith("{}")) socket.write(reply("ok"));
};

async function settle(turns = 5): Promise<void> {
  for (let at = 0; at < turns; at += 1) await nextTurn();
}

test("requests in turn use one connection, and are written as HTTP/1.1", async () => {
  const server = await startServer(answering);
  const client = createClient();
  const headers = { "content-type": "application/json", "x-list": ["a", "b"], "x-absent": undefined };
  for (let at = 0; at < 3; at += 1) {
    expect(await begin(client, { origin: server.origin, path: `/${at}?a=b`, headers }).done).toBe("200 ok");
    await settle();
  }
  expect(server.sockets).toHaveLength(1);
  const host = new URL(server.origin).host;
  expect(server.received[0]?.split("POST ")[1]).toBe(
    `/0?a=b HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\ncontent-type: application/json\r\n` +
      `x-list: a\r\nx-list: b\r\ncontent-length: 2\r\n\r\n{}`,
  );
});

test.each<[string, Partial<Dispatcher.DispatchOptions>, string]>([
  [
    "a text beyond ASCII",
    { body: "ä€🙂" },
    "content-length: 9\r\n\r\n\u00c3\u00a4\u00e2\u0082\u00ac\u00f0\u009f\u0099\u0082",
  ],
  [
    "a header beyond ASCII",
    { body: "é", headers: { "x-a": "\u00e9" } },
    "x-a: \u00e9\r\ncontent-length: 2\r\n\r\n\u00c3\u00a9",
  ],
  ["bytes", { body: Buffer.from([0, 255]) }, "content-length: 2\r\n\r\n\u0000\u00ff"],
  ["an empty POST", { body: null }, "connection: keep-alive\r\ncontent-length: 0\r\n\r\n"],
  ["a GET", { body: null, method: "GET" }, "connection: keep-alive\r\n\r\n"],
  [
    "another host",
    { body: null, method: "GET", headers: { Host: "other.test" } },
    "Host: other.test\r\nconnection: keep-alive\r\n\r\n",
  ],
  ["a last request", { body: null, method: "GET", reset: true }, "connection: close\r\n\r\n"],
])("%s arrives as it is", async (_name, options, sent) => {
  const server = await startServer((socket) => void setImmediate(() => socket.write(reply("ok"))));
  expect(await begin(createClient(), { origin: server.origin, ...options }).done).toBe("200 ok");
  expect(server.received[0]?.endsWith(sent)).toBe(true);
});

test.each([0, 1, 255, 16_384, 16_385, 100_000])("a body of %i bytes arrives byte by byte", async (length) => {
  const bytes = Buffer.from(Array.from({ length: length + 3 }, (_, at) => (at * 7) % 256)).subarray(3);
  const server = await startServer((socket, received) => {
    if (received.slice(received.indexOf("\r\n\r\n") + 4).length === length) socket.write(reply("ok"));
  });
  for (const body of [bytes, new Uint8Array(bytes)]) {
    const headers = { "x-a": "\u00e9" };
    expect(await begin(createClient(), { origin: server.origin, headers, body }).done).toBe("200 ok");
    const sent = server.received.at(-1) ?? "";
    expect(sent.slice(sent.indexOf("\r\n\r\n") + 4)).toBe(bytes.toString("latin1"));
    expect(sent).toContain(`x-a: \u00e9\r\ncontent-length: ${length}\r\n`);
  }
});

test.each<[string, Partial<Dispatcher.DispatchOptions>]>([
  ["a line end in a value", { headers: { "x-a": "a\r\nb: c" } }],
  ["a character beyond Latin-1 in a value", { headers: { "x-a": "\u0100" } }],
  ["a space in a name", { headers: { "x a": "1" } }],
  ["a line end in the path", { path: "/a\r\nb" }],
  ["a space in the path", { path: "/a b" }],
  ["a path without a slash", { path: "a" }],
  ["an invalid method", { method: "PO ST" }],
  ["a method that is no text", { method: undefined as unknown as string }],
  ["a type of service", { typeOfService: 16 }],
  ["a transfer coding", { headers: { "transfer-encoding": "chunked" } }],
  ["a connection header", { headers: { Connection: "close" } }],
  ["another length than its body's", { headers: { "content-length": "1" }, body: "ab" }],
  ["an upgrade", { upgrade: "websocket" }],
  ["CONNECT", { method: "CONNECT" }],
  ["headers as a list", { headers: ["authorization", "a"] }],
  ["headers as pairs", { headers: new Map([["authorization", "a"]]) }],
  ["two hosts", { headers: { host: ["a", "b"] } }],
  ["a value of another type", { headers: { "x-a": Buffer.from("a") } as unknown as Record<string, string> }],
  ["a negative time-out", { headersTimeout: -1 }],
  ["a time-out that no timer has", { bodyTimeout: 2 ** 31 }],
  ["a separate query", { query: { a: 1 } }],
  ["a wait for 100 Continue", { expectContinue: true }],
  ["an origin of another protocol", { origin: "ftp://127.0.0.1" }],
])("a request with %s is refused before anything is sent", async (_name, options) => {
  const server = await startServer(answering);
  const client = createClient();
  expect(() => begin(client, { origin: server.origin, ...options })).toThrow(TypeError);
  await settle();
  expect(server.sockets).toHaveLength(0);
});

test.each([
  ["that ends with its reply", reply("ok", "Connection: close\r\n")],
  ["that the server keeps for less than the margin", reply("ok", "Keep-Alive: timeout=2\r\n")],
  ["of HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok"],
])("a connection %s is not used again", async (_name, text) => {
  const server = await startServer((socket) => void socket.write(text));
  const client = createClient();
  for (let at = 0; at < 2; at += 1) {
    expect(await begin(client, { origin: server.origin }).done).toBe("200 ok");
    await settle();
  }
  expect(server.sockets).toHaveLength(2);
});

test("a connection that the server closes with its reply, without saying so, loses no further request", async () => {
  const server = await startServer((socket) => void socket.end(reply("ok")));
  const client = createClient();
  for (let at = 0; at < 20; at += 1) expect(await begin(client, { origin: server.origin }).done).toBe("200 ok");
  expect(server.sockets).toHaveLength(20);
});

test("a connection on which bytes arrive without a request is closed, and they answer nothing", async () => {
  const server = await startServer((socket, received, connection) => {
    if (connection > 0 || received.split("{}").length > 2) return void socket.write(reply("right"));
    socket.write(reply("ok"));
    setTimeout(() => socket.write(reply("wrong")), 20);
    return undefined;
  });
  const client = createClient();
  expect(await begin(client, { origin: server.origin }).done).toBe("200 ok");
  await vi.waitFor(() => expect(server.sockets[0]?.destroyed).toBe(true));
  expect(await begin(client, { origin: server.origin }).done).toBe("200 right");
});

test("an idle connection is closed when its time is over", async () => {
  const server = await startServer(answering);
  const client = createClient({ keepAliveMs: 50 });
  expect(await begin(client, { origin: server.origin }).done).toBe("200 ok");
  await vi.waitFor(() => expect(server.sockets[0]?.destroyed).toBe(true), { interval: 10 });
});

test("the server's time for an idle connection is followed, less a margin, and bounded", async () => {
  const server = await startServer((socket) => void socket.write(reply("ok", "Keep-Alive: timeout=1000\r\n")));
  const client = createClient({ keepAliveMs: 60_000, keepAliveMsMax: 50 });
  expect(await begin(client, { origin: server.origin }).done).toBe("200 ok");
  await vi.waitFor(() => expect(server.sockets[0]?.destroyed).toBe(true), { interval: 10 });
});

test("calls beyond the bound of connections wait, and are sent in order as connections become free", async () => {
  const held: Socket[] = [];
  const server = await startServer((socket) => void held.push(socket));
  const client = createClient({ connectionsMax: 2 });
  const calls = ["/a", "/b", "/c", "/d"].map((path) => begin(client, { origin: server.origin, path }));
  await vi.waitFor(() => expect(held).toHaveLength(2));
  expect(calls.map(({ events }) => events.length)).toEqual([2, 2, 0, 0]);
  for (let at = 0; at < 4; at += 1) {
    await vi.waitFor(() => expect(held.length).toBeGreaterThan(at));
    held[at]?.write(reply("ok"));
  }
  expect(await Promise.all(calls.map(async ({ done }) => await done))).toEqual(Array(4).fill("200 ok"));
  expect(server.sockets).toHaveLength(2);
  expect(
    server.received
      .join("")
      .match(/POST (\/\w)/g)
      ?.toSorted(),
  ).toEqual(["POST /a", "POST /b", "POST /c", "POST /d"]);
});

test("a call that is given up while it waits is forgotten at once, and never sent", async () => {
  const server = await startServer(() => {});
  const client = createClient({ connectionsMax: 1 });
  const first = begin(client, { origin: server.origin, path: "/first" });
  await vi.waitFor(() => expect(server.received[0]).toContain("/first"));
  const second = begin(client, { origin: server.origin, path: "/second" });
  second.controller.abort(new Error("given up"));
  expect(await second.done).toBe("given up");
  server.sockets[0]?.write(reply("ok"));
  expect(await first.done).toBe("200 ok");
  await settle(20);
  expect(server.received.join("")).not.toContain("/second");
});

test("a call that is given up when it gets its connection leaves it to the next one", async () => {
  const server = await startServer(answering);
  const client = createClient({ connectionsMax: 1 });
  const refused = begin(
    client,
    { origin: server.origin, path: "/refused" },
    {
      onRequestStart: (controller) => controller.abort(new Error("too late")),
    },
  );
  const next = begin(client, { origin: server.origin, path: "/next" });
  expect(await refused.done).toBe("too late");
  expect(await next.done).toBe("200 ok");
  expect([server.sockets.length, server.received[0]?.includes("/refused")]).toEqual([1, false]);
});

test("each failed attempt to connect fails one call, and the next call tries again", async () => {
  let attempts = 0;
  const server = await startServer(answering);
  const client = createClient({
    connect: (target, callback) => {
      attempts += 1;
      if (attempts > 3) buildConnector({})(target, callback);
      else setImmediate(() => callback(new Error(`attempt ${attempts} failed`), null));
    },
  });
  const calls = Array.from({ length: 3 }, () => begin(client, { origin: server.origin }));
  expect(await Promise.all(calls.map(async ({ done }) => await done))).toEqual(Array(3).fill("attempt 3 failed"));
  expect(await begin(client, { origin: server.origin }).done).toBe("200 ok");
  expect(attempts).toBe(4);
});

test.each<[string, HttpClientOptions["connect"]]>([
  ["refuses at once", (_target, callback) => callback(new Error("never allowed"), null)],
  [
    "throws",
    () => {
      throw new Error("never allowed");
    },
  ],
])("a connector that %s fails its calls", async (_name, connect) => {
  const client = createClient({ connect });
  const calls = [0, 1].map(() => begin(client, { origin: "http://127.0.0.1:9" }));
  expect(await Promise.all(calls.map(async ({ done }) => await done))).toEqual(["never allowed", "never allowed"]);
});

test("an aborted call closes its connection, and the others go on", async () => {
  const server = await startServer((socket, received) => {
    if (received.includes("/stream")) socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n");
    else socket.write(reply("ok"));
  });
  const client = createClient();
  const stream = begin(client, { origin: server.origin, path: "/stream" });
  await vi.waitFor(() => expect(stream.body()).toBe("a"));
  const other = begin(client, { origin: server.origin });
  stream.controller.abort(new Error("the client left"));
  expect(await stream.done).toBe("the client left");
  await vi.waitFor(() => expect(server.sockets[0]?.destroyed).toBe(true));
  expect(await other.done).toBe("200 ok");
});

test("the controller of a call that is over has no effect on the next one", async () => {
  const server = await startServer((socket, received) => {
    if (received.includes("/second")) socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no");
    else socket.write(reply("ok"));
  });
  const client = createClient({ connectionsMax: 1 });
  const first = begin(client, { origin: server.origin });
  await first.done;
  const second = begin(client, { origin: server.origin, path: "/second" });
  await vi.waitFor(() => expect(second.body()).toBe("o"));
  second.controller.pause();
  first.controller.resume();
  first.controller.abort(new Error("late"));
  server.sockets[0]?.write("k");
  await settle(20);
  expect(second.body()).toBe("o");
  second.controller.resume();
  expect(await second.done).toBe("200 ok");
});

test("a paused call makes the server wait, and a connection whose call ended paused is read on", async () => {
  const size = 8 * 1024 * 1024;
  let written = 0;
  const server = await startServer((socket, received) => {
    if (received.split("{}").length > 2) return void socket.write(reply("ok"));
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`);
    const piece = Buffer.alloc(64 * 1024, "a");
    const write = () => {
      while (written < size && socket.write(piece)) written += piece.length;
      if (written < size) {
        written += piece.length;
        socket.once("drain", write);
      }
    };
    write();
    return undefined;
  });
  const client = createClient({ connectionsMax: 1 });
  let bytes = 0;
  let isHeld = true;
  const large = begin(
    client,
    { origin: server.origin },
    {
      onResponseData(controller, chunk) {
        bytes += chunk.length;
        if (isHeld) controller.pause();
      },
    },
  );
  await vi.waitFor(() => expect(bytes).toBeGreaterThan(0));
  await settle(50);
  expect(bytes).toBeLessThanOrEqual(128 * 1024);
  isHeld = false;
  large.controller.resume();
  await large.done;
  expect(bytes).toBe(size);

  const paused = begin(client, { origin: server.origin }, { onResponseData: (controller) => controller.pause() });
  expect(await paused.done).toBe("200 ");
  await settle();
  server.sockets[0]?.destroy();
  await settle(20);
  expect(server.sockets).toHaveLength(1);
});

test.each<[string, string, string]>([
  ["no HTTP", "SSH-2.0-OpenSSH\r\n", "MalformedReply"],
  [
    "a length beside chunks",
    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    "MalformedReply",
  ],
  ["a head that is too large", `HTTP/1.1 200 OK\r\nX: ${"a".repeat(5_000)}\r\n\r\n`, "ReplyHeadTooLarge"],
  ["a chunk that is too long", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab", "MalformedReply"],
])("a reply with %s fails its call and closes the connection", async (_name, text, failure) => {
  const server = await startServer((socket) => void socket.write(text));
  expect(await begin(createClient(), { origin: server.origin }).done).toBe(failure);
  await vi.waitFor(() => expect(server.sockets[0]?.destroyed).toBe(true));
});

test.each([
  ["before its reply", ""],
  ["within its head", "HTTP/1.1 200 OK\r\nContent-Le"],
  ["within its body", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab"],
  ["within its chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n"],
])("a connection that the server closes %s fails the call", async (_name, text) => {
  const server = await startServer((socket) => void socket.end(text));
  expect(await begin(createClient(), { origin: server.origin }).done).toBe("ConnectionLost");
});

test("a reply that ends with its connection is complete when it is closed, and failed when it is reset", async () => {
  const server = await startServer((socket, _received, connection) => {
    socket.write("HTTP/1.1 200 OK\r\n\r\nab");
    setTimeout(() => (connection === 0 ? socket.end() : socket.resetAndDestroy()), 20);
  });
  const client = createClient();
  expect(await begin(client, { origin: server.origin }).done).toBe("200 ab");
  expect(await begin(client, { origin: server.origin }).done).toBe("read ECONNRESET");
});

test("a handler that throws ends its own call", async () => {
  const server = await startServer(answering);
  const client = createClient();
  const broken = begin(
    client,
    { origin: server.origin },
    {
      onResponseStart() {
        throw new TypeError("unreadable");
      },
    },
  );
  expect(await broken.done).toBe("TypeError");
  expect(await begin(client, { origin: server.origin }).done).toBe("200 ok");
});

test.each<[string, Readable, Record<string, string>, string]>([
  ["with a length", Readable.from(["ab", "cd"]), { "content-length": "4" }, "content-length: 4\r\n\r\nabcd"],
  [
    "of unknown length",
    Readable.from(["ab", "cde"]),
    {},
    "transfer-encoding: chunked\r\n\r\n2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n",
  ],
  ["that is empty", Readable.from([]), {}, "transfer-encoding: chunked\r\n\r\n0\r\n\r\n"],
])("a body that is a stream %s is sent as it comes", async (_name, body, headers, sent) => {
  const server = await startServer((socket, received) => {
    if (received.endsWith("abcd") || received.endsWith("0\r\n\r\n")) socket.write(reply("ok"));
  });
  const client = createClient();
  const call = begin(client, { origin: server.origin, body, headers });
  expect(await call.done).toBe("200 ok");
  expect([server.received[0]?.endsWith(sent), call.events]).toEqual([true, ["start", "sent"]]);
  await settle();
  expect(
    await begin(client, { origin: server.origin, body: Readable.from(["abcd"]), headers: { "content-length": "4" } })
      .done,
  ).toBe("200 ok");
  expect(server.sockets).toHaveLength(1);
});

test.each<[string, () => Readable, string]>([
  ["longer than announced", () => Readable.from(["abcdef"]), "The length of a request is not that of its body."],
  ["shorter than announced", () => Readable.from(["ab"]), "The length of a request is not that of its body."],
  [
    "that fails",
    () =>
      Readable.from(
        (function* () {
          yield "ab";
          throw new Error("the source failed");
        })(),
      ),
    "the source failed",
  ],
])("a body %s fails its call and closes the connection", async (_name, create, failure) => {
  const server = await startServer(() => {});
  const call = begin(createClient(), { origin: server.origin, body: create(), headers: { "content-length": "4" } });
  expect(await call.done).toBe(failure);
  await vi.waitFor(() => expect(server.sockets[0]?.destroyed).toBe(true));
  expect(server.received[0]?.split("\r\n\r\n")[1]?.length).toBeLessThanOrEqual(4);
});

test("a body that fails, or was destroyed, ends a call that waits for a connection", async () => {
  const server = await startServer(() => {});
  const client = createClient({ connectionsMax: 1 });
  void begin(client, { origin: server.origin });
  const failing = new Readable({ read() {} });
  const waiting = begin(client, { origin: server.origin, body: failing });
  const destroyed = new Readable({ read() {} });
  destroyed.destroy();
  const late = begin(client, { origin: server.origin, body: destroyed });
  failing.destroy(new Error("the source failed"));
  expect(await waiting.done).toBe("the source failed");
  expect(await late.done).toBe("The body of the request was closed before its end.");
});

test("the body of a call that fails before its connection is destroyed", async () => {
  const client = createClient({ connect: (_target, callback) => setImmediate(() => callback(new Error("no"), null)) });
  const body = new Readable({ read() {} });
  expect(await begin(client, { origin: "http://127.0.0.1:9", body }).done).toBe("no");
  expect(body.destroyed).toBe(true);
});

test("a reply before the end of a streamed body is read, the body is destroyed, and the connection closed", async () => {
  const server = await startServer((socket) => void socket.write(reply("too large")));
  const body = new Readable({ read() {} });
  body.push("a");
  expect(await begin(createClient(), { origin: server.origin, body }).done).toBe("200 too large");
  expect(body.destroyed).toBe(true);
  await vi.waitFor(() => expect(server.sockets[0]?.destroyed).toBe(true));
});

test("a server that does not read makes the source of a body wait", async () => {
  const server = await startServer((socket) => void socket.pause());
  let produced = 0;
  const body = new Readable({
    read() {
      produced += 65_536;
      this.push(Buffer.alloc(65_536));
    },
  });
  const call = begin(createClient(), { origin: server.origin, body });
  await vi.waitFor(() => expect(produced).toBeGreaterThan(65_536));
  let before = -1;
  await vi.waitFor(() => {
    const isSteady = before === produced;
    before = produced;
    expect(isSteady).toBe(true);
  });
  expect(produced).toBeLessThan(32 * 1024 * 1024);
  call.controller.abort(new Error("enough"));
  expect([await call.done, body.destroyed]).toEqual(["enough", true]);
});

test("a head that is late, and a silence inside the reply, fail the call; a paused one is not late", async () => {
  const server = await startServer((socket, received) => {
    if (received.includes("/silent")) socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no");
  });
  const client = createClient();
  const { origin } = server;
  expect(await begin(client, { origin, headersTimeout: 30, bodyTimeout: 5_000 }).done).toBe("ReplyLate");
  expect(await begin(client, { origin, path: "/silent", headersTimeout: 5_000, bodyTimeout: 30 }).done).toBe(
    "ReplyLate",
  );
  const paused = begin(
    client,
    { origin, path: "/silent", bodyTimeout: 30 },
    {
      onResponseData: (controller) => controller.pause(),
    },
  );
  const state = await Promise.race([paused.done, new Promise((resolve) => setTimeout(resolve, 100, "waits"))]);
  expect(state).toBe("waits");
  paused.controller.resume();
  expect(await paused.done).toBe("ReplyLate");
});

test("a closed client ends idle connections, lets calls end, and refuses further ones", async () => {
  const server = await startServer((socket, received) => {
    if (!received.includes("/held")) socket.write(reply("ok"));
  });
  const client = createClient();
  const held = begin(client, { origin: server.origin, path: "/held" });
  await begin(client, { origin: server.origin }).done;
  await vi.waitFor(() => expect(server.sockets).toHaveLength(2));
  let isClosed = false;
  const closing = client.close().then(() => (isClosed = true));
  expect(() => begin(client, { origin: server.origin })).toThrow(ClientClosed);
  await settle(20);
  expect(isClosed).toBe(false);
  for (const socket of server.sockets) if (!socket.destroyed) socket.write(reply("ok"));
  expect(await held.done).toBe("200 ok");
  await closing;
});

test("a destroyed client fails the calls in progress and those that wait", async () => {
  const server = await startServer(() => {});
  const client = createClient({ connectionsMax: 1 });
  const calls = [begin(client, { origin: server.origin }), begin(client, { origin: server.origin })];
  await vi.waitFor(() => expect(server.received[0]).toContain("{}"));
  await client.destroy();
  expect(await Promise.all(calls.map(async ({ done }) => await done))).toEqual(["ClientClosed", "ClientClosed"]);
});

test("a destroyed client closes a connection that opens later", async () => {
  const server = await startServer(() => {});
  let opened: Socket | undefined;
  const client = createClient({
    connect(target, callback) {
      const socket = connectSocket(Number(target.port), "127.0.0.1", () => {
        opened = socket;
        callback(null, socket);
      });
    },
  });
  const call = begin(client, { origin: server.origin });
  await client.destroy();
  expect(await call.done).toBe("ClientClosed");
  await vi.waitFor(() => expect(opened?.destroyed).toBe(true));
});

test("origins are bounded, and one without connections makes room", async () => {
  const server = await startServer((socket) => void socket.write(reply("ok", "Connection: close\r\n")));
  const other = await startServer((socket) => void socket.write(reply("other", "Connection: close\r\n")));
  const client = createClient({ originsMax: 1 });
  const first = begin(client, { origin: server.origin });
  expect(() => begin(client, { origin: other.origin })).toThrow(TooManyOrigins);
  expect(await first.done).toBe("200 ok");
  expect(await begin(client, { origin: other.origin }).done).toBe("200 other");
});

test("connections that open when no call waits any more are closed when their time is over", async () => {
  const server = await startServer(answering);
  const client = createClient({ keepAliveMs: 50 });
  const calls = Array.from({ length: 4 }, () => begin(client, { origin: server.origin }));
  for (const call of calls) call.controller.abort(new Error("given up"));
  await vi.waitFor(() => expect(server.sockets).toHaveLength(4));
  await vi.waitFor(() => expect(server.sockets.every(({ destroyed }) => destroyed)).toBe(true), { interval: 10 });
});

test("a connector that calls back twice counts once, and its second connection is closed", async () => {
  const server = await startServer(answering);
  const extra: Socket[] = [];
  const client = createClient({
    connect(target, callback) {
      const open = buildConnector({});
      open(target, (...first) => {
        callback(...first);
        open(target, (...[err, socket]) => {
          if (socket !== null) extra.push(socket);
          if (err === null) callback(null, socket);
        });
      });
    },
  });
  expect(await begin(client, { origin: server.origin }).done).toBe("200 ok");
  await vi.waitFor(() => expect(extra[0]?.destroyed).toBe(true));
  const failing = createClient({
    connect(_target, callback) {
      callback(new Error("first"), null);
      callback(new Error("second"), null);
    },
  });
  expect(await begin(failing, { origin: server.origin }).done).toBe("first");
});

test("a connection that ended before its connector passed it on fails its call", async () => {
  const client = createClient({
    connect: (_target, callback) => {
      const socket = new PlayedConnection();
      socket.once("close", () => setImmediate(() => callback(null, socket as unknown as Socket)));
      socket.destroy();
    },
  });
  expect(await begin(client, { origin: "http://played.test" }).done).toBe("ConnectionLost");
});

test("an error of a connection ends its call, also without a close after it", async () => {
  const connection = new PlayedConnection();
  const call = begin(createClient({ connect: connection.connector }), { origin: "http://played.test" });
  await vi.waitFor(() => expect(connection.sent).not.toBe(""));
  connection.emit("error", new Error("bad record mac"));
  expect([await call.done, connection.destroyed]).toEqual(["bad record mac", true]);
});

test.each<[string, (client: HttpClient, controller: Dispatcher.DispatchController) => unknown, string]>([
  ["destroys the client", (client) => client.destroy(new Error("ended")), "ended"],
  [
    "closes the client and gives its call up",
    (client, controller) => {
      void client.close();
      controller.abort(new Error("given up"));
    },
    "given up",
  ],
])("a handler that %s as its call begins", async (_name, act, failure) => {
  const server = await startServer(answering);
  for (const isIdle of [false, true]) {
    const client = createClient();
    if (isIdle) {
      await begin(client, { origin: server.origin }).done;
      await settle();
    }
    const call = begin(
      client,
      { origin: server.origin },
      { onRequestStart: (controller) => void act(client, controller) },
    );
    expect(await call.done).toBe(failure);
    await client.close();
  }
  await vi.waitFor(() => expect(server.sockets.every(({ destroyed }) => destroyed)).toBe(true));
});

test("a call that is paused as it begins gets its reply when it is resumed", async () => {
  const server = await startServer(answering);
  const call = begin(createClient(), { origin: server.origin }, { onRequestStart: (controller) => controller.pause() });
  const state = await Promise.race([call.done, new Promise((resolve) => setTimeout(resolve, 50, "waits"))]);
  expect(state).toBe("waits");
  call.controller.resume();
  expect(await call.done).toBe("200 ok");
});

test("refused requests take no place of origins", async () => {
  const server = await startServer(answering);
  const client = createClient({ originsMax: 1 });
  for (const port of [1, 2]) {
    expect(() => begin(client, { origin: `http://127.0.0.1:${port}`, path: "a" })).toThrow(TypeError);
  }
  expect(await begin(client, { origin: server.origin }).done).toBe("200 ok");
});

test("a call that begins while its origin is forgotten belongs to the origin that is known", async () => {
  const server = await startServer(() => {});
  let attempts = 0;
  const client = createClient({
    connectionsMax: 1,
    connect: (target, callback) => {
      attempts += 1;
      if (attempts > 1) buildConnector({})(target, callback);
      else setImmediate(() => callback(new Error("refused"), null));
    },
  });
  let third: Call | undefined;
  const second: { call?: Call } = {};
  begin(
    client,
    { origin: server.origin },
    {
      onResponseError: () => second.call?.controller.abort(new Error("not needed")),
    },
  );
  second.call = begin(
    client,
    { origin: server.origin },
    {
      onResponseError: () => (third = begin(client, { origin: server.origin })),
    },
  );
  await vi.waitFor(() => expect(server.sockets).toHaveLength(1));
  begin(client, { origin: server.origin });
  await settle(20);
  expect(server.sockets).toHaveLength(1);
  await client.destroy();
  expect(await third?.done).toBe("ClientClosed");
});

test("a call that finds only connections whose time is over is ended with its client", async () => {
  const server = await startServer((socket, received) => {
    if (!received.includes("/held")) socket.write(reply("ok"));
  });
  const client = createClient({ connectionsMax: 1, keepAliveMs: 20 });
  await begin(client, { origin: server.origin }).done;
  await settle();
  // The timer of the connection cannot fire meanwhile.
  for (const until = performance.now() + 40; performance.now() < until;);
  const held = begin(client, { origin: server.origin, path: "/held" });
  await vi.waitFor(() => expect(server.received.at(-1)).toContain("/held"));
  await client.destroy();
  expect(await held.done).toBe("ClientClosed");
});

test("a call has one end, also if it is given up while its connection closes", async () => {
  const server = await startServer((socket) => void socket.write(reply("ok", "Connection: close\r\n")));
  let attempts = 0;
  const client = createClient({
    connectionsMax: 1,
    connect: (target, callback) => {
      attempts += 1;
      if (attempts === 1) buildConnector({})(target, callback);
      else callback(new Error("refused"), null);
    },
  });
  const ends: string[] = [];
  const first = begin(
    client,
    { origin: server.origin },
    {
      onResponseEnd: () => void ends.push("end"),
      onResponseError: () => void ends.push("error"),
    },
  );
  begin(
    client,
    { origin: server.origin },
    {
      onResponseError: () => first.controller.abort(new Error("not needed")),
    },
  );
  await vi.waitFor(() => expect(ends).not.toEqual([]));
  await settle();
  expect(ends).toHaveLength(1);
});

test("a server that stops reading a body is late", async () => {
  const server = await startServer((socket) => void socket.pause());
  const body = Readable.from(
    (function* () {
      for (let at = 0; at < 1_000; at += 1) yield Buffer.alloc(65_536);
    })(),
    { objectMode: false },
  );
  expect(await begin(createClient(), { origin: server.origin, body, headersTimeout: 50 }).done).toBe("ReplyLate");
});

test("a silence inside a reply fails the call also where the server reads again, and the body's source is slow", async () => {
  const server = await startServer((socket, received) => {
    // The server answers early, makes the client wait, reads the rest, and is silent.
    if (received.length < 100_000 || socket.bytesWritten > 0) return;
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
    socket.pause();
    setTimeout(() => socket.resume(), 50);
  });
  const body = new Readable({ read() {} });
  body.push(Buffer.alloc(8 * 1024 * 1024));
  const times = { headersTimeout: 5_000, bodyTimeout: 200 };
  const call = begin(createClient(), { origin: server.origin, body, ...times });
  expect(await call.done).toBe("ReplyLate");
  expect(call.body()).toBe("half");
});

/** A server that begins its reply at once, and reads nothing after the first bytes. */
const notReading: Script = (socket) => {
  socket.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
  socket.pause();
};

/** A body of which a first byte is sent, and the rest, more than a connection takes, on demand. */
function bodyInTwoParts(): { readonly body: Readable; readonly sendRest: () => void } {
  const body = new Readable({ read() {} });
  body.push("a");
  return { body, sendRest: () => void body.push(Buffer.alloc(16 * 1024 * 1024)) };
}

test("a server that has begun its reply and stops reading is late by the bound on silences", async () => {
  const server = await startServer(notReading);
  const { body, sendRest } = bodyInTwoParts();
  const call = begin(createClient(), { origin: server.origin, body, headersTimeout: 50, bodyTimeout: 0 });
  await vi.waitFor(() => expect(call.body()).toBe("half"));
  sendRest();
  await sleep(150);
  call.controller.abort(new Error("still waiting"));
  expect(await call.done).toBe("still waiting");
});

test("a paused call is not late while its server does not read", async () => {
  const server = await startServer(notReading);
  const { body, sendRest } = bodyInTwoParts();
  let status = 0;
  const call = begin(
    createClient(),
    { origin: server.origin, body, headersTimeout: 50, bodyTimeout: 50 },
    {
      onResponseStart(controller, given) {
        status = given;
        controller.pause();
      },
    },
  );
  await vi.waitFor(() => expect(status).toBe(200));
  sendRest();
  await sleep(150);
  call.controller.abort(new Error("still waiting"));
  expect(await call.done).toBe("still waiting");
});

test("a call that is resumed before its body was sent does not wait for a head yet", async () => {
  const server = await startServer((socket, received) => {
    if (received.endsWith("0\r\n\r\n")) socket.write(reply("ok"));
  });
  const body = new Readable({ read() {} });
  body.push("a");
  const call = begin(createClient(), { origin: server.origin, body, headersTimeout: 1_000 });
  await vi.waitFor(() => expect(server.received[0]).toContain("1\r\na"));
  call.controller.pause();
  call.controller.resume();
  await sleep(1_200);
  body.push(null);
  expect(await call.done).toBe("200 ok");
});

test("a call whose connection opens as an expired one is closed can be given up", async () => {
  const server = await startServer((socket, received) => {
    if (!received.includes("/held")) socket.write(reply("ok"));
  });
  const { port } = new URL(server.origin);
  const client = createClient({
    connectionsMax: 1,
    keepAliveMs: 20,
    connect: (_target, callback) => callback(null, connectSocket(Number(port), "127.0.0.1")),
  });
  await begin(client, { origin: server.origin }).done;
  await settle();
  for (const until = performance.now() + 40; performance.now() < until;);
  const held = begin(client, { origin: server.origin, path: "/held" });
  await vi.waitFor(() => expect(server.received.at(-1)).toContain("/held"));
  held.controller.abort(new Error("given up"));
  expect(await held.done).toBe("given up");
  await vi.waitFor(() => expect(server.sockets.at(-1)?.destroyed).toBe(true));
});

test("a connection with unsent bytes is not used again", async () => {
  const server = await startServer((socket, _received, connection) => {
    if (connection > 0) return void socket.write(reply("ok"));
    socket.pause();
    socket.write(reply("too large"));
    return undefined;
  });
  const client = createClient();
  expect(await begin(client, { origin: server.origin, body: "x".repeat(16 * 1024 * 1024) }).done).toBe("200 too large");
  await settle();
  expect(await begin(client, { origin: server.origin }).done).toBe("200 ok");
});

test.each([
  ["into one buffer", sharedReads],
  ["as streams", {}],
])("bodies of connections that are read %s do not change once they were passed on", async (_way, reads) => {
  const length = 200_000;
  const server = await startServer((socket, received, connection) => {
    if (!received.endsWith("{}")) return;
    const letter = String.fromCharCode(97 + connection);
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`);
    for (let at = 0; at < 20; at += 1) setTimeout(() => socket.write(letter.repeat(length / 20)), at);
  });
  const client = createClient({ connect: buildConnector({ timeout: 5_000, ...reads }) });
  const bodies = Array.from({ length: 8 }, (): Buffer[] => []);
  const calls = bodies.map((pieces) =>
    begin(client, { origin: server.origin }, { onResponseData: (_controller, bytes) => void pieces.push(bytes) }),
  );
  await Promise.all(calls.map(async ({ done }) => await done));
  const texts = bodies.map((pieces) => Buffer.concat(pieces).toString("latin1"));
  expect(texts.toSorted()).toEqual(texts.map((_, at) => String.fromCharCode(97 + at).repeat(length)));
});

test.each([
  ["into one buffer", sharedReads],
  ["as streams", {}],
])("a call of a connection that is read %s gets nothing while it is paused, and loses nothing", async (_way, reads) => {
  const numbers = Array.from({ length: 40_000 }, (_, at) => `${at} `).join("");
  const server = await startServer((socket, received) => {
    if (!received.endsWith("{}")) return;
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${numbers.length}\r\n\r\n`);
    for (let at = 0; at < 100; at += 1)
      setTimeout(() => socket.write(numbers.slice((at * numbers.length) / 100, ((at + 1) * numbers.length) / 100)), at);
  });
  const client = createClient({ connect: buildConnector({ timeout: 5_000, ...reads }) });
  let body = "";
  let isPaused = false;
  let early = 0;
  const set = (controller: Dispatcher.DispatchController, paused: boolean) => {
    isPaused = paused;
    if (paused) controller.pause();
    else controller.resume();
  };
  const call = begin(
    client,
    { origin: server.origin },
    {
      onResponseData(controller, bytes) {
        if (isPaused) early += 1;
        body += bytes.toString("latin1");
        set(controller, true);
        setTimeout(() => {
          // A pause right after a resumption, and once more.
          for (const paused of [false, true, false, true]) set(controller, paused);
          setTimeout(() => set(controller, false), 1);
        }, 1);
      },
    },
  );
  expect(await call.done).toBe("200 ");
  expect(body).toBe(numbers);
  expect(early).toBe(0);
});

test("a connection of shared reads that nothing reads is closed when bytes arrive", async () => {
  const server = await startServer((socket) => void socket.write(reply("ok")));
  const socket = connectSocket({ port: Number(new URL(server.origin).port), host: "127.0.0.1", ...sharedReads });
  let streamed = 0;
  socket.on("data", () => (streamed += 1));
  const failure = once(socket, "error");
  socket.write("{}");
  expect(String((await failure)[0])).toContain("that nothing reads");
  expect(streamed).toBe(0);
});

test("errors are told apart by their classes", () => {
  for (const create of [ClientClosed, ConnectionLost, MalformedReply, ReplyLate, TooManyOrigins]) {
    expect(new create("text")).toMatchObject({ name: create.name, code: expect.stringMatching(/^[A-Z_]+$/) as string });
  }
});
