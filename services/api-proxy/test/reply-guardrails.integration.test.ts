import type { IncomingMessage, ServerResponse } from "node:http";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { GatewayError } from "@gatehouse/errors";
import { createTestDatabase, type TestDatabase } from "@gatehouse/postgres/testing";
import {
  type DeepPartial,
  type InspectRequest,
  type InspectResponse,
  OutputCheck,
  Side,
} from "@gatehouse/proto/guardrail";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { maskingAndBlocking, type ProxyKit, startProxyKit } from "./proxy-kit.ts";
import { startUpstream, type Upstream } from "./upstream.ts";

let database: TestDatabase;
let kit: ProxyKit;
let upstream: Upstream;
let url: string;
let asked: InspectRequest[] = [];
let policy: DeepPartial<InspectResponse>;
let ofBody: (request: InspectRequest) => DeepPartial<InspectResponse>;
let ofReply: (request: InspectRequest) => DeepPartial<InspectResponse>;

const mebibyte = 1024 * 1024;
const json = "application/json";

beforeAll(async () => {
  database = await createTestDatabase();
  const inspect = (request: InspectRequest) => {
    asked.push(request);
    return request.side === Side.SIDE_OUTPUT ? ofReply(request) : { ...policy, ...ofBody(request) };
  };
  kit = await startProxyKit({ database, inspect });
  upstream = await startUpstream();
});

beforeEach(async () => {
  const slug = await kit.createEndpoint({ upstream_url: upstream.url, allowed_methods: ["GET", "HEAD", "POST"] });
  url = `${kit.origin}${kit.pathOf(slug)}`;
  asked = [];
  policy = { outputCheck: OutputCheck.OUTPUT_CHECK_BEFORE_REPLY };
  ofBody = () => ({});
  ofReply = maskAndBlock;
});

afterAll(async () => {
  await kit.close();
  await upstream.close();
  await database.drop();
});

const maskAndBlock = maskingAndBlocking("Request blocked: keyword detected in output.");

interface Reply {
  readonly status?: number;
  readonly type?: string;
  readonly headers?: Record<string, string>;
  readonly body: string | Buffer;
}

function answer({ status = 200, type, headers = {}, body }: Reply): void {
  upstream.answer((req: IncomingMessage, res: ServerResponse) => {
    res.writeHead(status, { ...headers, ...(type === undefined ? {} : { "content-type": type }) });
    req.resume().on("end", () => res.end(body));
  });
}

async function get(reply: Reply, init: RequestInit = {}) {
  answer(reply);
  const { status, headers, ...got } = await fetch(url, init).then(async (response) => ({
    status: response.status,
    headers: response.headers,
    body: Buffer.from(await response.arrayBuffer()),
  }));
  return { status, headers, body: got.body, text: got.body.toString() };
}

const outputs = () => asked.filter(({ side }) => side === Side.SIDE_OUTPUT);

describe("a reply under a policy that judges answers", () => {
  test.each([
    [json, '{"q":"the \\u0066alcon"}'],
    [json, '{"a":"falcon","a":"dove"}'],
    [json, '\ufeff["falcon"]'],
    ["application/problem+json", '{"falcon":1}'],
    ["application/x-ndjson", '{"q":"dove"}\n{"q":"\\u0066alcon"}\n'],
    ["application/json-seq", '\x1e{"q":\n"\\u0066alcon"}\n'],
    ["application/x-jsonlines", '{"q":"\\u0066alcon"}\n'],
    ["application/x-javascript", "f('falcon')"],
    ["application/ecmascript", "f('falcon')"],
    ["message/rfc822", "Subject: falcon\r\n\r\n"],
    ["text/html; charset=utf-8", "<p>the falcon</p>"],
    [undefined, "the falcon"],
  ])("of type %s that is blocked is not shown: %j", async (type, body) => {
    const { status, text } = await get({ ...(type !== undefined && { type }), body });
    expect([status, (JSON.parse(text) as { error: string }).error]).toEqual([
      422,
      "Request blocked: keyword detected in output.",
    ]);
    expect(kit.gatewayLog.entries.at(-1)).toMatchObject({ status: 422, attempts: 1 });
  });

  test("is judged like any other if it is an error of the upstream", async () => {
    expect(await get({ status: 500, type: json, body: '"falcon"' })).toMatchObject({ status: 422 });
    expect(await get({ status: 404, type: json, body: '"dove"' })).toMatchObject({ status: 404, text: '"dove"' });
  });

  test.each([
    [json, '{"to":"a@b.example", "n":12345678901234567890}', '{"to":"[E-Mail]", "n":12345678901234567890}'],
    [json, '\ufeff{"to":"a@b.example"}', '\ufeff{"to":"[E-Mail]"}'],
    ["application/x-ndjson", '{"a":1}\n"a@b.example"\n', '{"a":1}\n"[E-Mail]"\n'],
    ["text/plain", "to a@b.example", "to [E-Mail]"],
  ])("of type %s is returned masked, with the rest unchanged", async (type, body, expected) => {
    const { status, text, headers } = await get({ type, headers: { etag: '"1"', "x-other": "1" }, body });
    expect([status, text]).toEqual([200, expected]);
    expect(headers.get("content-length")).toBe(String(Buffer.byteLength(expected)));
    expect([headers.get("etag"), headers.get("x-other")]).toEqual([null, "1"]);
  });

  test.each([
    ["gzip", gzipSync('{"to":"a@b.example"}')],
    ["br", brotliCompressSync('{"to":"a@b.example"}')],
    ["gzip", Buffer.concat([gzipSync('{"to":'), gzipSync('"a@b.example"}')])],
  ])("is returned as it was judged, decompressed, if it was compressed with %s", async (coding, body) => {
    const { text, headers } = await get({ type: json, headers: { "content-encoding": coding }, body });
    expect(text).toBe('{"to":"[E-Mail]"}');
    expect(headers.get("content-encoding")).toBeNull();
  });

  test("is requested without a range, and compressed only as its caller and the gateway can decode", async () => {
    const headers = { range: "bytes=0-3", "if-range": '"1"', "accept-encoding": "zstd, br;q=0.5, gzip" };
    await get({ type: json, body: "1" }, { headers });
    const sent = upstream.requests.at(-1)?.headers;
    expect([sent?.range, sent?.["if-range"], sent?.["accept-encoding"]]).toEqual([
      undefined,
      undefined,
      "br;q=0.5, gzip",
    ]);
    await get({ type: json, body: "1" }, { headers: { "accept-encoding": "zstd" } });
    expect(upstream.requests.at(-1)?.headers["accept-encoding"]).toBe("identity");
  });

  test.each<[string, Reply]>([
    ["more than can be judged", { type: "text/plain", body: "x".repeat(4 * mebibyte + 1) }],
    ["malformed JSON", { type: json, body: "{a:1}" }],
    ["no UTF-8", { type: "text/plain", body: Buffer.from([0xff]) }],
    ["another character set", { type: "text/plain; charset=utf-16", body: "falcon" }],
    ["an unknown coding", { type: json, headers: { "content-encoding": "zstd" }, body: "1" }],
    ["bytes that are not of their coding", { type: json, headers: { "content-encoding": "gzip" }, body: "1" }],
    [
      "bytes behind its compressed text",
      {
        type: json,
        headers: { "content-encoding": "gzip" },
        body: Buffer.concat([gzipSync("1"), Buffer.from("falcon")]),
      },
    ],
    ["more than can be judged once it is decompressed", bomb()],
    ["two types, one of them a text's", { type: "image/png, text/plain", body: "falcon" }],
    ["rich text", { type: "application/rtf", body: String.raw`{\rtf1 fal\b con}` }],
    ["a part of a text", { status: 206, type: "text/plain", body: "fal" }],
    ["a stream of events", { type: "text/event-stream", body: "data: falcon\n\n" }],
  ])("with %s is refused with the reason, and passes unchanged if the policy fails open", async (_name, reply) => {
    const refused = await get(reply);
    expect([refused.status, refused.text]).toEqual([
      422,
      expect.stringMatching(/Reply blocked: under this endpoint's guardrails a /),
    ]);
    policy = { ...policy, failsOpen: true };
    answer(reply);
    const passed = await fetch(url);
    expect(passed.status).toBe(reply.status ?? 200);
    // A body with an invalid encoding cannot be decoded here either.
    const body = await passed.bytes().catch(() => undefined);
    if (reply.headers === undefined) expect(Buffer.from(body ?? []).equals(Buffer.from(reply.body))).toBe(true);
    expect(outputs()).toEqual([]);
  });

  test.each<[string, Reply]>([
    ["of a binary type", { type: "image/png", body: Buffer.from([0x89, 0xff, 0x50]) }],
    ["with binary bytes and no type", { body: Buffer.from([0x89, 0xff, 0x50]) }],
    ["that is empty", { type: json, body: "" }],
    ["that has no body", { status: 304, type: json, body: "" }],
  ])("%s passes unchanged", async (_name, reply) => {
    const { status, body } = await get(reply);
    expect([status, body.equals(Buffer.from(reply.body))]).toEqual([reply.status ?? 200, true]);
    expect(outputs()).toEqual([]);
  });

  test("passes to HEAD with its headers", async () => {
    const { status, headers } = await get({ type: json, body: '"falcon"' }, { method: "HEAD" });
    expect([status, headers.get("content-type")]).toEqual([200, json]);
  });

  test("is not shown while the guardrails are away, unless the policy fails open", async () => {
    ofReply = () => {
      throw new GatewayError("unavailable", "away");
    };
    expect(await get({ type: json, body: "1" })).toMatchObject({ status: 503 });
    policy = { ...policy, failsOpen: true };
    expect(await get({ type: json, body: "1" })).toMatchObject({ status: 200, text: "1" });
  });

  test("is an error, and not a partial reply, if it breaks off", async () => {
    upstream.answer((_req, res) => {
      res.writeHead(200, { "content-type": json, "content-length": 10 }).write("[");
      setImmediate(() => res.destroy());
    });
    expect((await fetch(url)).status).toBe(502);
  });

  test("whose caller leaves ends the call to the upstream", async () => {
    const gone = Promise.withResolvers<void>();
    const leaving = new AbortController();
    upstream.answer((_req, res) => {
      res.once("close", () => gone.resolve());
      res.writeHead(200, { "content-type": json }).write("[");
      setImmediate(() => leaving.abort());
    });
    await expect(fetch(url, { signal: leaving.signal })).rejects.toThrow("aborted");
    await gone.promise;
  });

  test("occupies no more memory than a project may hold, and releases it", async () => {
    let waiting: ServerResponse[] = [];
    upstream.answer((_req, res) => {
      waiting.push(res);
      res.writeHead(200, { "content-type": "text/plain" }).write("x".repeat(4 * mebibyte - 1));
    });
    const calls = Array.from({ length: 9 }, async () => {
      const response = await fetch(url);
      // A reply's memory is released when its caller has read it.
      await response.arrayBuffer();
      return response.status;
    });
    expect(await Promise.race(calls)).toBe(429);
    for (const res of waiting) res.end();
    const statuses = await Promise.all(calls);
    expect(statuses.filter((status) => status === 200)).toHaveLength(8);
    waiting = [];
    expect(await get({ type: json, body: "1" })).toMatchObject({ status: 200 });
  });
});

test("a request whose caller leaves while it waits for a connection ends at once", async () => {
  const narrow = await startProxyKit({
    database,
    inspect: () => ({ outputCheck: OutputCheck.OUTPUT_CHECK_BEFORE_REPLY }),
    proxy: { connectionsMax: 1 },
  });
  const held = Promise.withResolvers<ServerResponse>();
  upstream.answer((_req, res) => held.resolve(res));
  try {
    const slug = await narrow.createEndpoint({ upstream_url: upstream.url, allowed_methods: ["GET"] });
    const waitingUrl = `${narrow.origin}${narrow.pathOf(slug)}`;
    const first = fetch(waitingUrl);
    const res = await held.promise;
    await expect(fetch(waitingUrl, { signal: AbortSignal.timeout(200) })).rejects.toThrow("timeout");
    await expect.poll(() => narrow.gatewayLog.entries.at(-1)).toMatchObject({ status: 499 });
    res.setHeader("content-type", json).end("1");
    expect((await first).status).toBe(200);
  } finally {
    await narrow.close();
  }
});

test("under a policy that only records, replies that cannot be judged pass", async () => {
  policy = { outputCheck: OutputCheck.OUTPUT_CHECK_AFTER_REPLY };
  expect(await get({ type: "text/event-stream", body: "data: 1\n\n" })).toMatchObject({ status: 200 });
  expect(await get({ type: json, body: "1" })).toMatchObject({ status: 200, text: "1" });
  expect(outputs()).toHaveLength(1);
});

test("without checks of answers replies pass unread, ranges and all", async () => {
  policy = {};
  const { status, text } = await get(
    { status: 206, type: "text/plain", body: "fal" },
    { headers: { range: "bytes=0-2" } },
  );
  expect([status, text]).toEqual([206, "fal"]);
  expect(upstream.requests.at(-1)?.headers.range).toBe("bytes=0-2");
  expect(outputs()).toEqual([]);
});

/** Decompresses to more than the judged maximum. */
function bomb(): Reply {
  return { type: json, headers: { "content-encoding": "gzip" }, body: gzipSync(Buffer.alloc(8 * mebibyte, 0x20)) };
}

test.each([
  [json, '\ufeff{"a":{"b":1}}', '{"a":{"b":1}}'],
  ["application/x-ndjson", '1\n{"b":2}', '{"b":2}'],
])("a reply of type %s is judged as a whole value if a pattern has a path", async (type, body, value) => {
  ofReply = ({ areDocuments, texts }) =>
    areDocuments && texts.some(({ text }) => text === value)
      ? { blocked: true, reason: "pattern", message: "Request blocked: path." }
      : { asksDocuments: true };
  expect(await get({ type, body })).toMatchObject({ status: 422 });
  expect(await get({ type, body: body.replace("b", "c") })).toMatchObject({ status: 200 });
});

const mail = 'a"b@b.example';

/** Masks a text that consists of the address and a number. */
function maskMail({ texts }: InspectRequest): DeepPartial<InspectResponse> {
  const found = texts.findIndex(({ text }) => text === mail);
  if (found < 0) return {};
  const label = "E-Mail 1";
  return {
    maskedTexts: texts.map(({ text }, index) => (index === found ? `[${label}]` : text)),
    maskedSpans: [{ textIndex: found, start: 0, end: mail.length, label }],
    placeholders: [{ label, value: mail }],
  };
}

test.each([
  ["fails open", { failsOpen: true }],
  ["records only", { outputCheck: OutputCheck.OUTPUT_CHECK_AFTER_REPLY }],
])("values are restored in text that cannot be judged and passes, as the policy %s", async (_name, given) => {
  policy = { outputCheck: OutputCheck.OUTPUT_CHECK_BEFORE_REPLY, ...given };
  ofBody = maskMail;
  const post = { method: "POST", headers: { "content-type": "text/plain" }, body: mail };
  const bodyOf = (value: string) => `data: {"to":"${value}"}\n\ndata: ${value.slice(0, 4)}\n\n`;
  const events = await get({ type: "text/event-stream", headers: { etag: '"1"' }, body: bodyOf("[E-Mail 1]") }, post);
  expect(events.text).toBe('data: {"to":"a\\"b@b.example"}\n\ndata: [E-M\n\n');
  expect(events.headers.get("etag")).toBeNull();
  expect(upstream.requests.at(-1)?.headers["accept-encoding"]).toBe("identity");
  const long = await get({ type: "text/plain", body: `${"x".repeat(5 * mebibyte)} [E-Mail 1]` }, post);
  expect(long.text.slice(-mail.length - 2)).toBe(`x ${mail}`);
});

test.each([
  [json, '\ufeff{"to":"[E-MAIL 1]", "n":1.0}', '\ufeff{"to":"a\\"b@b.example", "n":1.0}'],
  [json, String.raw`{"raw":"{\"to\":\"[E-Mail 1]\"}"}`, String.raw`{"raw":"{\"to\":\"a\\\"b@b.example\"}"}`],
  ["application/x-ndjson", '"[E-Mail 1]"\n"x"\n', '"a\\"b@b.example"\n"x"\n'],
  ["text/plain", "to [E-Mail 1], a@b.example", 'to a"b@b.example, [E-Mail]'],
])("of type %s: values of the request's placeholders are restored after it is judged", async (type, body, expected) => {
  ofBody = maskMail;
  const post = { method: "POST", headers: { "content-type": "text/plain" }, body: mail };
  const { text, headers } = await get({ type, headers: { etag: '"1"' }, body }, post);
  expect(text).toBe(expected);
  expect(headers.get("etag")).toBeNull();
  expect(JSON.stringify(outputs())).not.toContain('a\\\\"b@');
  const { text: unmasked } = await get({ type: json, body: '"[E-Mail 1]"' }, { ...post, body: "x" });
  expect(unmasked).toBe('"[E-Mail 1]"');
});
