import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { lapse } from "@gatehouse/async/testing";
import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import {
  defaultHttpServerBounds,
  EventStreamWriter,
  type HttpServer,
  readBody,
  sendJson,
  startHttpServer,
} from "../src/index.ts";
import { bodyBytesMax, waitingBytesMax } from "../src/plain/plain-connection.ts";
import { endOfHead, parsePlainHead } from "../src/plain/plain-head.ts";
import { PlainReply } from "../src/plain/plain-reply.ts";
import { connectRaw } from "../src/testing.ts";

let server: HttpServer | undefined;

afterEach(async () => await server?.stop(0));

async function serve(listener: RequestListener, bounds: Partial<typeof defaultHttpServerBounds> = {}) {
  server = await startHttpServer(listener, {
    host: "127.0.0.1",
    port: 0,
    takesPlain: (url) => url.startsWith("/x"),
    bounds: { ...defaultHttpServerBounds, ...bounds },
  });
  return server;
}

/** Longest wait until a server has seen what its clients did, on a busy machine. */
const settledWithinMs = 10_000;
const isPlain = (res: ServerResponse) => res instanceof PlainReply;
const post = (body: string, ...headers: readonly string[]) =>
  ["POST /x HTTP/1.1", "host: a", `content-length: ${body.length}`, ...headers, "", body].join("\r\n");
const get = "GET /x HTTP/1.1\r\nhost: a\r\n\r\n";

/** Answers with the request's body, and whether Node has read it. */
const echo: RequestListener = (req, res) => {
  readBody(req, { sizeBytesMax: 1_000_000, timeoutMs: 5_000 }).then(
    (body) => sendJson(res, { status: 200, body: { plain: isPlain(res), body: body.toString("latin1") } }),
    () => res.destroy(),
  );
};
const answer = (plain: boolean, body: string) => JSON.stringify({ plain, body });
const answersIn = (text: string) => text.match(/\{[^}]*\}/g);

describe("plain requests", () => {
  test("are answered one after another on their connection", async () => {
    const { port } = await serve(echo);
    const client = await connectRaw(port);
    for (const body of ["one", "two"]) {
      client.write(post(body));
      await client.until(new RegExp(`"${body}"\\}$`));
    }
    expect(answersIn(client.received())).toEqual([answer(true, "one"), answer(true, "two")]);
    client.socket.destroy();
  });

  test("are on the channel on which Node announces requests", async () => {
    const begun: (string | undefined)[] = [];
    const note = (message: unknown) => begun.push((message as { readonly request: IncomingMessage }).request.url);
    subscribe("http.server.request.start", note);
    const { port } = await serve(echo);
    const client = await connectRaw(port);
    client.write(post("one"));
    await client.until(/\}$/);
    unsubscribe("http.server.request.start", note);
    expect(begun).toEqual(["/x"]);
    client.socket.destroy();
  });

  test("have replies with the lines that Node writes", async () => {
    const headers = (text: string) =>
      text
        .slice(0, text.indexOf("\r\n\r\n"))
        .replace(/^date: .*$/im, "date")
        .toLowerCase()
        .split("\r\n")
        .toSorted();
    const { port } = await serve((_req, res) => {
      res.setHeader("X-Early", "1").setHeader("x-both", "1");
      sendJson(res, { status: 201, body: "\u00e9", headers: { "x-late": 2, "x-both": "3" } });
    });
    const [plain, nodes] = [await connectRaw(port), await connectRaw(port)];
    plain.write(post("a"));
    nodes.write(get);
    const texts = [await plain.until(/\}|"$/), await nodes.until(/\}|"$/)];
    expect(headers(texts[0] ?? "")).toEqual(headers(texts[1] ?? ""));
    plain.socket.destroy();
    nodes.socket.destroy();
  });

  test("have replies with the date of the server that is behind this one", async () => {
    const date = "Sun, 06 Nov 1994 08:49:37 GMT";
    const { port } = await serve((_req, res) => sendJson(res, { status: 200, body: {}, headers: { date } }));
    const client = await connectRaw(port);
    client.write(post("one"));
    expect((await client.until(/\}$/)).match(/^date: .*$/gim)).toEqual([`date: ${date}`]);
    client.socket.destroy();
  });

  test("may come in two reads, the head and the body", async () => {
    const { port } = await serve(echo);
    const client = await connectRaw(port);
    const text = post("one");
    client.write(text.slice(0, -3));
    await lapse(20, "each piece is a separate read");
    client.write("on");
    await lapse(20, "each piece is a separate read");
    client.write("e");
    expect(answersIn(await client.until(/\}$/))).toEqual([answer(true, "one")]);
    client.socket.destroy();
  });

  test.each([
    ["a head in two reads", [post("one").slice(0, 9), post("one").slice(9)], ["one"]],
    ["another path", [post("one").replace("/x", "/y")], ["one"]],
    ["another method", [get], [""]],
    [
      "a body in chunks",
      ["POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n3\r\none\r\n0\r\n\r\n"],
      ["one"],
    ],
    ["two requests in one read", [post("one") + post("two")], ["one", "two"]],
    ["the beginning of a second request behind a body", [post("one").slice(0, -1), `e${post("two")}`], ["one", "two"]],
  ])("with %s are Node's", async (_, pieces, bodies) => {
    const { port } = await serve(echo);
    const client = await connectRaw(port);
    for (const piece of pieces) {
      client.write(piece);
      await lapse(20, "each piece is a separate read");
    }
    await client.until(new RegExp(`"${bodies.at(-1) ?? ""}"\\}$`));
    client.write(post("last"));
    await client.until(/"last"\}$/);
    expect(answersIn(client.received())).toEqual([...bodies, "last"].map((body) => answer(false, body)));
    client.socket.destroy();
  });

  test("behind one that is being answered are answered after it", async () => {
    const begun: ServerResponse[] = [];
    const { port } = await serve((_req, res) => void begun.push(res));
    const client = await connectRaw(port);
    client.write(post("one"));
    await vi.waitFor(() => expect(begun).toHaveLength(1));
    client.write(post("two") + get);
    await lapse(20, "the second request would begin now");
    for (let at = 0; at < 3; at += 1) {
      await vi.waitFor(() => expect(begun).toHaveLength(at + 1));
      const res = begun[at];
      if (res !== undefined) sendJson(res, { status: 200, body: { at } });
      await client.until(new RegExp(`"at":${at}\\}$`));
    }
    expect(begun.map(isPlain)).toEqual([true, false, false]);
    client.socket.destroy();
  });

  test("are Node's when the rest of the body is late, within its bound of time", async () => {
    const { port } = await serve(echo, { requestTimeoutMs: 1_000 });
    const client = await connectRaw(port);
    client.write(post("one").slice(0, -1));
    const { text } = await client.closed();
    expect(text).toContain("HTTP/1.1 408");
  }, 10_000);

  test("are refused by Node when the client ends inside the body", async () => {
    const { port } = await serve(echo);
    const client = await connectRaw(port);
    client.socket.end(post("one").slice(0, -1));
    expect((await client.closed()).text).toContain("HTTP/1.1 400");
  });

  test("in very many small pieces are Node's", async () => {
    const { port } = await serve(echo);
    const client = await connectRaw(port);
    const body = "0123456789012345678901234";
    client.write(post(body).slice(0, -body.length));
    for (const piece of body) {
      await lapse(3, "each piece is a separate read");
      client.write(piece);
    }
    expect(answersIn(await client.until(/\}$/))).toEqual([answer(false, body)]);
    client.socket.destroy();
  });

  test("are Node's when they take long, although pieces of the body keep coming", async () => {
    const { port } = await serve(echo);
    const client = await connectRaw(port);
    const body = "012345";
    client.write(post(body).slice(0, -body.length));
    for (const piece of body) {
      await lapse(700, "shorter than the time after which a silent client's request is Node's");
      client.write(piece);
    }
    expect(answersIn(await client.until(/\}$/))).toEqual([answer(false, body)]);
    client.socket.destroy();
  }, 10_000);

  test("are Node's beyond the bytes that all connections together may wait for", async () => {
    const { port } = await serve(echo);
    const inTwoReads = async () => {
      const client = await connectRaw(port);
      client.write(post("one").slice(0, -3));
      await lapse(20, "each piece is a separate read");
      client.write("one");
      const answers = answersIn(await client.until(/\}$/));
      client.socket.destroy();
      return answers;
    };
    const largest = post("a".repeat(bodyBytesMax));
    const waiting = await Promise.all(Array.from({ length: waitingBytesMax / bodyBytesMax }, () => connectRaw(port)));
    for (const client of waiting) client.write(largest.slice(0, -bodyBytesMax));
    // Once the server has read all heads, and once it has seen that some left.
    await expect.poll(inTwoReads, { timeout: settledWithinMs }).toEqual([answer(false, "one")]);
    for (const client of waiting.slice(0, 8)) client.socket.destroy();
    await expect.poll(inTwoReads, { timeout: settledWithinMs }).toEqual([answer(true, "one")]);
    for (const client of waiting) client.socket.destroy();
  });

  test("end their connection once the server is about to stop", async () => {
    const { port, announceStop } = await serve(echo);
    const client = await connectRaw(port);
    client.write(post("one"));
    await client.until(/\}$/);
    announceStop();
    client.write(post("two"));
    const { text } = await client.closed();
    expect(text).toMatch(/connection: close/i);
    expect(answersIn(text)).toEqual([answer(true, "one"), answer(true, "two")]);
  });

  test.each(["ends", "resets"])(
    "whose client %s its connection inside the body have begun, and are over",
    async (how) => {
      const seen = Promise.withResolvers<unknown>();
      const { port } = await serve((req, res) => {
        const read = readBody(req, { sizeBytesMax: 1_000, timeoutMs: 5_000 }).catch((err: unknown) => err);
        void read.then((err) => seen.resolve([req.headers["x-mark"], res.destroyed, err]));
      });
      const client = await connectRaw(port);
      client.write(post("0123456789", "x-mark: a").slice(0, -5));
      await lapse(50, "time in which the server reads the beginning");
      if (how === "resets") client.socket.resetAndDestroy();
      else client.socket.destroy();
      expect(await seen.promise).toEqual(["a", true, expect.objectContaining({ code: "cancelled" })]);
    },
  );

  test("in progress are finished by a server that stops; connections at rest are closed", async () => {
    const begun: ServerResponse[] = [];
    const { port, stop } = await serve((_req, res) => void begun.push(res));
    const [busy, resting] = [await connectRaw(port), await connectRaw(port)];
    busy.write(post("one"));
    await vi.waitFor(() => expect(begun).toHaveLength(1));
    resting.write(post("one"));
    await vi.waitFor(() => expect(begun).toHaveLength(2));
    const [first, second] = begun;
    if (second !== undefined) sendJson(second, { status: 200, body: {} });
    await resting.until(/\}$/);
    const stopped = stop(5_000);
    expect(await resting.closed()).toMatchObject({ broken: false });
    if (first !== undefined) sendJson(first, { status: 200, body: { ok: true } });
    expect((await busy.closed()).text).toContain('{"ok":true}');
    await stopped;
  });

  test("see their client leave", async () => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const client = await connectRaw(
      (
        await serve((_req, res) => {
          res.on("close", () => resolve(res.writableFinished));
          client.socket.destroy();
        })
      ).port,
    );
    client.write(post("one"));
    expect(await promise).toBe(false);
  });

  test("may be answered with events, and their connection goes on", async () => {
    const { port } = await serve((req, res) => {
      if (req.headers["x-events"] === undefined) return echo(req, res);
      const writer = new EventStreamWriter(res);
      writer.send("1");
      setTimeout(() => {
        writer.send("2");
        writer.end();
      }, 20);
      return undefined;
    });
    const client = await connectRaw(port);
    client.write(post("one", "x-events: 1"));
    await client.until(/0\r\n\r\n$/);
    client.write(post("two"));
    const text = await client.until(/\}$/);
    expect(text).toContain("data: 1\n\n");
    expect(text).toContain("data: 2\n\n");
    expect(answersIn(text)).toEqual([answer(true, "two")]);
    client.socket.destroy();
  });

  test.each([
    ["pieces", (res: ServerResponse) => [res.writeHead(200, { "content-length": 4 }), res.write("ab"), res.end("cd")]],
    ["bytes", (res: ServerResponse) => res.writeHead(200, { "content-length": 4 }).end(Buffer.from("abcd"))],
    ["no head", (res: ServerResponse) => res.end("abcd")],
    ["headers in a list", (res: ServerResponse) => res.writeHead(200, ["content-length", "4"]).end("abcd", "latin1")],
  ])("may be answered in any form: %s", async (_, send) => {
    const { port } = await serve((_req, res) => void send(res));
    const client = await connectRaw(port);
    client.write(post("one"));
    await client.until(/abcd$/);
    client.write(post("two"));
    await client.until(/abcd[^]*abcd$/);
    client.socket.destroy();
  });

  test("have no reply with a header that would begin another line", async () => {
    const failures: unknown[] = [];
    const { port } = await serve((_req, res) => {
      try {
        sendJson(res, { status: 200, body: {}, headers: { x: "a\r\nb: c" } });
      } catch (cause) {
        failures.push(cause);
        res.destroy();
      }
    });
    const client = await connectRaw(port);
    client.write(post("one"));
    expect((await client.closed()).text).toBe("");
    expect(failures).toEqual([expect.objectContaining({ code: "ERR_INVALID_CHAR" })]);
  });
});

/** The first request that Node reads in these bytes, with its body; undefined where it refuses them. */
async function readByNode(bytes: Buffer) {
  let found: Promise<unknown> | undefined;
  const nodes = createServer({ requireHostHeader: false }, (req: IncomingMessage, res) => {
    found ??= readBody(req, { sizeBytesMax: 1_000_000, timeoutMs: 5_000 }).then((body) => {
      const { method, url, headers, rawHeaders, httpVersion } = req;
      return { method, url, headers: { ...headers }, rawHeaders, httpVersion, body: body.toString("latin1") };
    });
    res.end();
  });
  await new Promise<void>((resolve) => nodes.listen(0, "127.0.0.1", resolve));
  const socket = connect((nodes.address() as AddressInfo).port, "127.0.0.1");
  socket.on("error", () => undefined).resume();
  socket.end(bytes);
  await new Promise((resolve) => socket.once("close", resolve));
  nodes.close();
  return await found?.catch(() => undefined);
}

const mostly = (usual: string, ...others: readonly string[]) =>
  fc.oneof({ weight: 12, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) });
const lineEnd = mostly("\r\n", "\n", "\r", "\r\r\n", "\r\n ", "\r\n\r\n");
const names = [
  "X-A",
  "x-b",
  "Connection",
  "Keep-Alive",
  "TE",
  "Upgrade",
  "Expect",
  "Proxy-Connection",
  "X B",
  "",
  "Host",
];
const values = [
  "a",
  "keep-alive",
  "close",
  "chunked",
  "a\u00a0",
  "a\tb",
  " a ",
  "\ta\t",
  "a\u007f",
  "a\u0000",
  "a:b",
  "",
];
const field = fc
  .tuple(
    fc.constantFrom(...names, "__proto__", "constructor", "Cookie"),
    mostly(": ", ":", " : ", ":\t", ""),
    fc.constantFrom(...values),
    lineEnd,
  )
  .map((parts) => parts.join(""));
const request = fc
  .tuple(
    mostly("POST", "post", "PUT", "GET", "POST "),
    mostly("/x", "/x?y=%20#z", "x", "*", "http://a/x", "/\u00e9", '/"', "/a b", "//a"),
    mostly("HTTP/1.1", "HTTP/1.0", "HTTP/1.2", "http/1.1", "HTTP/1.1 "),
    fc.array(field, { maxLength: 3 }),
    mostly(
      "content-length: 3",
      "content-length: 2",
      "Content-Length:3 ",
      "content-length: 03",
      "content-length: +3",
      "transfer-encoding: chunked",
      "content-length: 3\r\ncontent-length: 3",
    ),
    lineEnd,
    mostly("host: a\r\n", "", "host: a\r\nHost: b\r\n"),
    mostly("abc", "ab", "abcd", ""),
  )
  .map(([method, url, version, fields, framing, end, host, body]) =>
    Buffer.from(`${method} ${url} ${version}\r\n${fields.join("")}${framing}${end}${host}\r\n${body}`, "latin1"),
  );

test("what is read as a plain request, Node reads alike", async () => {
  let plain = 0;
  await fc.assert(
    fc.asyncProperty(request, async (bytes) => {
      const bodyAt = endOfHead(bytes);
      const head = bodyAt === undefined ? undefined : parsePlainHead(bytes.toString("latin1", 0, bodyAt - 2));
      if (bodyAt === undefined || head === undefined || bytes.length < bodyAt + head.bodyBytes) return;
      plain += 1;
      const { url, headers, rawHeaders, bodyBytes } = head;
      const body = bytes.toString("latin1", bodyAt, bodyAt + bodyBytes);
      expect(await readByNode(bytes)).toEqual({ method: "POST", httpVersion: "1.1", url, headers, rawHeaders, body });
    }),
    { numRuns: 2_000 },
  );
  expect(plain).toBeGreaterThan(100);
});
