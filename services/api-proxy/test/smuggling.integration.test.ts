import { connectRaw } from "@gatehouse/http/testing";
import { createTestDatabase, type TestDatabase } from "@gatehouse/postgres/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type ProxyKit, startProxyKit } from "./proxy-kit.ts";
import { startUpstream, type Upstream } from "./upstream.ts";

let database: TestDatabase;
let kit: ProxyKit;
let upstream: Upstream;
let path: string;
/** Requests that reached the upstream. */
const seen: { readonly line: string; readonly body: string; readonly headers: object }[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  kit = await startProxyKit({ database });
  upstream = await startUpstream((req, res) => {
    let body = "";
    req.on("data", (chunk: Buffer) => (body += chunk.toString("latin1")));
    req.on("end", () => {
      seen.push({ line: `${req.method} ${req.url}`, body, headers: req.headers });
      res.end("ok");
    });
  });
  const slug = await kit.createEndpoint({ upstream_url: `${upstream.url}/base`, allowed_methods: ["GET", "POST"] });
  path = kit.pathOf(slug);
});

beforeEach(() => void seen.splice(0));

afterAll(async () => {
  await kit.close();
  await upstream.close();
  await database.drop();
});

/** Sends raw bytes, waits for a number of replies, closes the sending side, and returns all received data. */
async function send(bytes: string, replies = 1): Promise<string> {
  const client = await connectRaw(kit.port);
  client.write(Buffer.from(bytes, "latin1"));
  await client.until(new RegExp(`(?:HTTP/1\\.1 \\d{3}[^]*?\r\n\r\n[^]+?){${replies}}`)).catch(() => "");
  client.socket.end();
  return (await client.closed()).text;
}

const inner = () => `GET ${path}/smuggled HTTP/1.1\r\nhost: a\r\n\r\n`;
const post = (lines: readonly string[], body: string) =>
  `${[`POST ${path} HTTP/1.1`, "host: a", ...lines].join("\r\n")}\r\n\r\n${body}`;
const chunked = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

describe("a message whose end two servers could see in different places is refused whole", () => {
  test.each([
    ["a length and chunks", () => post(["content-length: 4", "transfer-encoding: chunked"], chunked(inner()))],
    ["chunks and a length", () => post(["transfer-encoding: chunked", "content-length: 4"], chunked(inner()))],
    ["two lengths", () => post(["content-length: 5", "content-length: 50"], `abcde${inner()}`)],
    ["the same length twice", () => post(["content-length: 5", "content-length: 5"], `abcde${inner()}`)],
    ["a list of lengths", () => post(["content-length: 5, 5"], `abcde${inner()}`)],
    ["a signed length", () => post(["content-length: +5"], `abcde${inner()}`)],
    ["a length in hex", () => post(["content-length: 0x5"], `abcde${inner()}`)],
    ["a negative length", () => post(["content-length: -1"], inner())],
    ["an empty length", () => post(["content-length:"], inner())],
    ["a length beyond all numbers", () => post(["content-length: 99999999999999999999"], inner())],
    ["chunks and then another coding", () => post(["transfer-encoding: chunked, identity"], chunked(inner()))],
    ["a tab before the coding", () => post(["transfer-encoding:\u000bchunked"], chunked(inner()))],
    ["a space before the colon", () => post(["transfer-encoding : chunked"], chunked(inner()))],
    ["a folded header", () => post(["content-length: 5", "x-a: b\r\n transfer-encoding: chunked"], `abcde${inner()}`)],
    ["a folded coding", () => post(["transfer-encoding:\r\n chunked"], chunked(inner()))],
    ["a first header with a space before it", () => `POST ${path} HTTP/1.1\r\n host: a\r\n\r\n${inner()}`],
    ["a chunk's size with a sign", () => post(["transfer-encoding: chunked"], `+5\r\nabcde\r\n0\r\n\r\n${inner()}`)],
    ["a chunk's size in no number", () => post(["transfer-encoding: chunked"], `5g\r\nabcde\r\n0\r\n\r\n${inner()}`)],
    ["a chunk longer than its size", () => post(["transfer-encoding: chunked"], `2\r\nabcde\r\n0\r\n\r\n${inner()}`)],
    ["a size of 2^64", () => post(["transfer-encoding: chunked"], `10000000000000000\r\n${inner()}`)],
    ["a bare line feed after a size", () => post(["transfer-encoding: chunked"], `5\nabcde\n0\n\n${inner()}`)],
    ["a carriage return inside a value", () => post(["x-a: b\rtransfer-encoding: chunked"], inner())],
    ["a NUL inside a value", () => post(["x-a: b\0c"], inner())],
    ["a NUL inside a name", () => post(["x\0a: b"], inner())],
    ["a header without a colon", () => post(["nothing"], inner())],
    ["a header without a name", () => post([": x"], inner())],
    ["a space in the target", () => `GET ${path} /x HTTP/1.1\r\nhost: a\r\n\r\n`],
    ["no host", () => `GET ${path} HTTP/1.1\r\n\r\n`],
  ])("%s", async (_name, message) => {
    const reply = await send(message());
    expect(reply === "" || reply.startsWith("HTTP/1.1 400 "), reply).toBe(true);
    expect(seen.filter(({ line }) => line.includes("smuggled"))).toEqual([]);
    expect(seen.length).toBe(0);
  });
});

test.each([
  ["before the chunks", ["transfer-encoding: gzip, chunked"]],
  ["in a separate header", ["transfer-encoding: gzip", "transfer-encoding: chunked"]],
  ["of an unknown name", ["transfer-encoding: xchunked"]],
  ["in quotes", ['transfer-encoding: "chunked"']],
])("a transfer coding %s is refused, since nothing decodes it", async (_name, headers) => {
  const reply = await send(post(headers, chunked(inner())));
  expect(reply).toMatch(/^HTTP\/1\.1 501 [^]*The only supported Transfer-Encoding is 'chunked'/);
  expect(seen).toEqual([]);
});

describe("a valid message passes once, and with one end", () => {
  test.each([
    ["a length", () => post(["content-length: 5"], "abcde"), "abcde"],
    ["a length with zeros before it", () => post(["content-length: 0005"], "abcde"), "abcde"],
    ["chunks", () => post(["transfer-encoding: chunked"], chunked("abcde")), "abcde"],
    ["chunks in capitals", () => post(["Transfer-Encoding: CHUNKED"], chunked("abcde")), "abcde"],
    ["a chunk extension", () => post(["transfer-encoding: chunked"], "5;a=b\r\nabcde\r\n0\r\n\r\n"), "abcde"],
    ["a body that looks like a request", () => post([`content-length: ${inner().length}`], inner()), undefined],
    ["a chunk that looks like a request", () => post(["transfer-encoding: chunked"], chunked(inner())), undefined],
    [
      "a header named as hop-by-hop",
      () => post(["connection: content-length, x-a", "x-a: 1", "content-length: 5"], "abcde"),
      "abcde",
    ],
  ])("%s", async (_name, message, body) => {
    expect(await send(message())).toMatch(/^HTTP\/1\.1 200 [^]*ok/);
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ line: "POST /base", body: body ?? inner() });
  });

  test("two requests on one connection are two", async () => {
    const first = post(["content-length: 3"], "one");
    const second = post(["transfer-encoding: chunked", "connection: close"], chunked("two"));
    const reply = await send(first + second, 2);
    expect(reply.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
    expect(seen.map(({ body }) => body).toSorted()).toEqual(["one", "two"]);
  });
});

test.each([
  ["a line break in a header's value, encoded", "x-a: a%0d%0ax-evil: 1"],
  ["a line feed alone", "x-a: a\nx-evil: 1"],
])("%s creates no header", async (_name, line) => {
  await send(`GET ${path} HTTP/1.1\r\nhost: a\r\n${line}\r\nconnection: close\r\n\r\n`);
  for (const { headers } of seen) {
    expect(Object.keys(headers)).not.toContain("x-evil");
  }
});

test("a request with two hosts is refused, and the upstream sees none of it", async () => {
  const reply = await send(`GET ${path} HTTP/1.1\r\nhost: a\r\nhost: evil.example\r\nconnection: close\r\n\r\n`);
  expect(reply).toMatch(/^HTTP\/1\.1 400 /);
  expect(seen).toEqual([]);
});

test("the upstream gets its own host, and the client's as the forwarded one", async () => {
  await send(`GET ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`);
  expect(seen[0]?.headers).toMatchObject({ host: new URL(upstream.url).host, "x-forwarded-host": "a" });
});

test.each(["http://evil.example/x", "//evil.example/x", "http://evil.example@127.0.0.1/"])(
  "the target %s is not this endpoint's, and reaches no upstream",
  async (target) => {
    await send(`GET ${target} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`).catch(() => "");
    expect(seen).toEqual([]);
  },
);
