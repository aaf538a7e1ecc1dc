import { gzipSync } from "node:zlib";
import { GatewayError } from "@gatehouse/errors";
import { connectRaw } from "@gatehouse/http/testing";
import { createTestDatabase, type TestDatabase } from "@gatehouse/postgres/testing";
import { type DeepPartial, type InspectRequest, type InspectResponse, Side, Surface } from "@gatehouse/proto/guardrail";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { maskingAndBlocking, type ProxyKit, startProxyKit } from "./proxy-kit.ts";
import { echo, type Echoed, startUpstream, type Upstream } from "./upstream.ts";

let database: TestDatabase;
let kit: ProxyKit;
let upstream: Upstream;
let path: string;
let asked: InspectRequest[] = [];
let inspect: (request: InspectRequest) => DeepPartial<InspectResponse>;

beforeAll(async () => {
  database = await createTestDatabase();
  const inspectNow = (request: InspectRequest) => {
    asked.push(request);
    return inspect(request);
  };
  kit = await startProxyKit({ database, inspect: inspectNow });
  upstream = await startUpstream(echo);
});

beforeEach(async () => {
  // A new endpoint, since the policy of an endpoint is cached for a moment.
  const slug = await kit.createEndpoint({ upstream_url: upstream.url, allowed_methods: ["GET", "POST"] });
  path = kit.pathOf(slug);
  asked = [];
  inspect = maskAndBlock;
});

afterAll(async () => {
  await kit.close();
  await upstream.close();
  await database.drop();
});

const maskAndBlock = maskingAndBlocking("Request blocked: keyword detected.");

async function post(body: string | Buffer, type: string, headers: Record<string, string> = {}) {
  const reply = await fetch(`${kit.origin}${path}`, {
    method: "POST",
    body,
    headers: { "content-type": type, ...headers },
  });
  return { status: reply.status, body: (await reply.json()) as Echoed & { error?: string } };
}

const json = "application/json";
const form = "application/x-www-form-urlencoded";

describe("a body under a policy", () => {
  test("is judged for its endpoint, as the input of an API", async () => {
    await post('{"a":1}', json);
    const { uuid } = kit.principal.project;
    for (const { projectUuid, endpointUuid, side, surface } of asked) {
      expect({ projectUuid, side, surface }).toEqual({
        projectUuid: uuid,
        side: Side.SIDE_INPUT,
        surface: Surface.SURFACE_API,
      });
      expect(endpointUuid).not.toBe("");
    }
  });

  test.each([
    [json, '{"q":"the \\u0066alcon"}'],
    [json, '{"falcon":1}'],
    [form, "q=the+%66alcon"],
    ["text/plain", "the falcon"],
    [
      "multipart/form-data; boundary=x",
      '--x\r\nContent-Disposition: form-data; name="q"\r\n\r\nthe falcon\r\n--x--\r\n',
    ],
  ])("of type %s that is blocked reaches no upstream: %j", async (type, body) => {
    const { status, body: reply } = await post(body, type);
    expect([status, reply.error]).toEqual([422, "Request blocked: keyword detected."]);
    expect(kit.gatewayLog.entries.at(-1)).toMatchObject({ status: 422, attempts: 0 });
  });

  test.each([
    [json, '{"to":"a@b.example", "n":12345678901234567890}', '{"to":"[E-Mail]", "n":12345678901234567890}'],
    [form, "to=a%40b.example&x=%c3%a9", "to=%5BE-Mail%5D&x=%c3%a9"],
    ["text/plain", "to a@b.example", "to [E-Mail]"],
  ])("of type %s is sent masked, with the rest unchanged", async (type, body, expected) => {
    const { status, body: reply } = await post(body, type);
    expect([status, reply.body]).toEqual([200, expected]);
  });

  test("that grows too much when decompressed is refused with that reason", async () => {
    const { status, body } = await post(gzipSync(`{"q":"${" ".repeat(200_000)}"}`), json, {
      "content-encoding": "gzip",
    });
    expect(status).toBe(422);
    expect(body.error).toContain("must not grow to more than 64 times its size");
  });

  test("is sent as it was judged, decompressed, if it was compressed", async () => {
    const encoding = { "content-encoding": "gzip" };
    const { body } = await post(gzipSync('{"to":"a@b.example"}'), json, encoding);
    expect(body.body).toBe('{"to":"[E-Mail]"}');
    expect(body.headers["content-encoding"]).toBeUndefined();
    expect(await post(gzipSync('"falcon"'), json, encoding)).toMatchObject({ status: 422 });
  });

  test.each([
    ["a binary type", "image/png", Buffer.from([0x89, 0x50])],
    ["no UTF-8", "text/plain", Buffer.from([0xff])],
    ["equal keys", json, '{"a":1,"a":2}'],
    ["more than is judged", "text/plain", "x".repeat(4 * 1024 * 1024 + 1)],
  ])("is refused with the reason if it cannot be judged: %s", async (_name, type, body) => {
    const { status, body: reply } = await post(body, type);
    expect(status).toBe(422);
    expect(reply.error).toMatch(/^Request blocked: under this endpoint's guardrails /);
  });

  test("is not passed on while the guardrails are away", async () => {
    inspect = () => {
      throw new GatewayError("unavailable", "away");
    };
    expect(await post("{}", json)).toMatchObject({ status: 503 });
  });
});

test("a request without texts asks if its reply is judged, and WebSockets are refused under a policy", async () => {
  expect((await fetch(`${kit.origin}${path}`)).status).toBe(200);
  expect(asked.map(({ texts }) => texts)).toEqual([[]]);
  const client = await connectRaw(kit.port);
  const upgrade = ["connection: upgrade", "upgrade: websocket", "sec-websocket-version: 13"];
  const key = "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==";
  client.write(Buffer.from(`${[`GET ${path} HTTP/1.1`, "host: a", ...upgrade, key].join("\r\n")}\r\n\r\n`));
  expect(await client.until(/WebSockets/)).toContain("HTTP/1.1 422");
  client.socket.destroy();
});

test("without a policy bodies of any kind pass unread", async () => {
  inspect = () => ({ policyAbsent: true });
  expect(await post(Buffer.from([0x89, 0x50]), "image/png")).toMatchObject({ status: 200 });
  expect((await post('{"a":1,"a":2}', json)).body.body).toBe('{"a":1,"a":2}');
  expect(asked.every(({ texts }) => texts.length === 0)).toBe(true);
});

test("a project holds a bounded number of bodies for its policies at once", async () => {
  const heads = Array.from({ length: 17 }, async () => {
    const client = await connectRaw(kit.port);
    client.write(
      Buffer.from(`POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: text/plain\r\ncontent-length: 10\r\n\r\nx`),
    );
    return client;
  });
  const clients = await Promise.all(heads);
  await expect
    .poll(() => clients.map((client) => client.received()).join(""))
    .toMatch(/^HTTP\/1\.1 429 [^]*guardrails/);
  for (const { socket } of clients) socket.destroy();
  await expect.poll(async () => (await post("x", "text/plain")).status).toBe(200);
});

describe("an address under a policy", () => {
  const get = async (rest: string) => (await fetch(`${kit.origin}${path}${rest}`)).status;

  test.each([
    "/falcon",
    "/a/%66alcon",
    "?q=falcon",
    "?falcon=1",
    "?a=b&c=the%20falcon",
    "?q=the+falcon",
    "?a=1;falcon",
  ])("is judged, decoded: %s", async (rest) => {
    expect(await get(rest)).toBe(422);
  });

  test("passes unchanged if nothing is found", async () => {
    expect(await get("/a/b%20c?q=x%20y&r=1")).toBe(200);
    expect(asked).toHaveLength(1);
  });

  test("is refused where it would have to be masked", async () => {
    expect(await get("?mail=a%40b.example")).toBe(422);
  });

  test.each(["?q=M%fcller", "/M%fcller", "?q=%u0066alcon", "?%c1%86=1", "?q=100%"])(
    "is refused where its text is not UTF-8, which servers read differently: %s",
    async (rest) => {
      const reply = await fetch(`${kit.origin}${path}${rest}`);
      expect([reply.status, await reply.json()]).toEqual([
        422,
        {
          ok: false,
          error: "Request blocked: under this endpoint's guardrails the path and query must be percent-encoded UTF-8.",
        },
      ]);
    },
  );

  test("is judged in front of a body", async () => {
    const reply = await fetch(`${kit.origin}${path}?q=falcon`, {
      method: "POST",
      body: "{}",
      headers: { "content-type": json },
    });
    expect(reply.status).toBe(422);
  });
});

describe("with a pattern for a path", () => {
  const documents = () =>
    asked.flatMap(({ areDocuments, texts }) => (areDocuments ? texts.map(({ text }) => text) : []));

  test.each([
    [json, '{"a": {"b":1},"c":"[2]"}', ['{"a": {"b":1},"c":"[2]"}', "[2]"]],
    ["application/x-ndjson", '{"a":1}\n\n{"b":2}\n3', ['{"a":1}', '{"b":2}']],
    [form, "a=1&b=%7B%22c%22:1%7D", []],
    ["text/plain", '{"a":1}', []],
  ])("a body of type %s is judged as a whole value: %j", async (type, body, expected) => {
    inspect = (request) => ({ ...maskAndBlock(request), asksDocuments: true });
    expect((await post(body, type)).status).toBe(200);
    expect(documents()).toEqual(expected);
    inspect = ({ areDocuments }) =>
      areDocuments ? { blocked: true, reason: "pattern", message: "Request blocked: path." } : { asksDocuments: true };
    expect((await post(body, type)).status).toBe(expected.length > 0 ? 422 : 200);
  });

  test.each([
    ["the query", "?a=1&b=%7B%22c%22:1%7D", undefined],
    ["a form", "", "a=1&b=%7B%22c%22:1%7D"],
  ])("a JSON text in %s is judged alone, where patterns with a path are about it", async (_where, query, body) => {
    inspect = (request) => ({ ...maskAndBlock(request), asksDocuments: true });
    const sent = body === undefined ? {} : { method: "POST", headers: { "content-type": form }, body };
    await fetch(`${kit.origin}${path}${query}`, sent);
    expect(asked.flatMap(({ texts }) => texts.map(({ text }) => text))).toContain('{"c":1}');
    expect(documents()).toEqual([]);
  });

  test("whole values are not judged without one", async () => {
    await post('{"a":1}', json);
    expect(documents()).toEqual([]);
  });
});
