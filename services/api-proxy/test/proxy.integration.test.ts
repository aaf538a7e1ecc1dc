import { createHash, randomBytes, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { GatewayError } from "@gatehouse/errors";
import { recordReplyEnd, sendError } from "@gatehouse/http";
import { connectRaw } from "@gatehouse/http/testing";
import { createMemoryLedger } from "@gatehouse/limits/testing";
import { createTestDatabase, type TestDatabase } from "@gatehouse/postgres/testing";
import serveStatic from "serve-handler";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { newProject, type ProxyKit, startProxyKit } from "./proxy-kit.ts";
import { echo, type Echoed, startUpstream, type Upstream } from "./upstream.ts";

const folder = fileURLToPath(new URL("..", import.meta.url));
const stops: (() => Promise<unknown> | void)[] = [];
let database: TestDatabase;
let kit: ProxyKit;
let upstream: Upstream;
let everything: string;

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

beforeAll(async () => {
  database = await createTestDatabase();
  kit = await startProxyKit({ database });
  upstream = await startUpstream();
  everything = await kit.createEndpoint({ upstream_url: `${upstream.url}/base`, allowed_methods: methods });
});

afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
  upstream.answer(echo);
});

afterAll(async () => {
  await kit.close();
  await upstream.close();
  await database.drop();
});

const call = async (slug: string, rest = "", init: RequestInit = {}) =>
  await fetch(kit.origin + kit.pathOf(slug, rest), { redirect: "manual", ...init });

async function echoed(slug: string, rest = "", init: RequestInit = {}): Promise<Echoed> {
  upstream.answer(echo);
  return (await (await call(slug, rest, init)).json()) as Echoed;
}

async function openRaw(head: string) {
  const client = await connectRaw(kit.port);
  stops.push(() => void client.socket.destroy());
  client.write(head);
  return client;
}

const headOf = (method: string, rest = "", lines: readonly string[] = []) =>
  `${[`${method} ${kit.pathOf(everything, rest)} HTTP/1.1`, "host: gateway.example", ...lines].join("\r\n")}\r\n\r\n`;

describe("before a static file server", () => {
  async function serveFolder(): Promise<string> {
    const server = createServer((req, res) => void serveStatic(req, res, { public: folder, cleanUrls: false }));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    stops.push(() => {
      server.close();
      server.closeAllConnections();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  test("files, ranges, revalidation and redirects are passed on unchanged", async () => {
    const files = await serveFolder();
    const slug = await kit.createEndpoint({ upstream_url: `${files}/prisma`, allowed_methods: ["GET", "HEAD"] });
    const direct = await fetch(`${files}/prisma/schema.prisma?x=1`);
    const proxied = await call(slug, "/schema.prisma?x=1");
    expect(await proxied.text()).toBe(await direct.text());
    for (const name of ["content-type", "content-length", "etag", "last-modified", "content-disposition"]) {
      expect(proxied.headers.get(name), name).toBe(direct.headers.get(name));
    }
    const part = await call(slug, "/schema.prisma", { headers: { range: "bytes=0-9" } });
    expect([part.status, await part.text()]).toEqual([206, "generator "]);
    const head = await call(slug, "/schema.prisma", { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect((await call(slug, "/nothing")).status).toBe(404);
    const redirect = await call(slug, "/migrations/");
    expect(redirect.status).toBe((await fetch(`${files}/prisma/migrations/`, { redirect: "manual" })).status);
  });
});

/** Entry of a reply that broke off after its head had been sent. */
const brokenOff = {
  status: 200,
  error: "The reply ended before it was complete.",
  errorCode: "upstream_unreachable",
};

describe("refused requests", () => {
  test.each([
    ["an unknown slug", "nothing"],
    ["a slug in other case", "Weather"],
    ["an encoded slug", "%77eather"],
  ])("%s is not found", async (_name, slug) => {
    const reply = await call(slug);
    expect(reply.status).toBe(404);
    expect(await reply.json()).toEqual({ ok: false, error: `Endpoint '${slug}' not found or inactive.` });
    expect(reply.headers.get("x-request-id")).toMatch(/^req-/);
  });

  test("an inactive endpoint is not found, at once, and is found again when it is activated", async () => {
    const slug = await kit.createEndpoint({ upstream_url: upstream.url });
    const endpoints = await kit.admin.endpoints();
    const endpoint = endpoints.find((endpoint) => endpoint.slug === slug)?.uuid;
    expect((await call(slug)).status).toBe(200);
    await kit.admin.call("svc_set_endpoint_active", { endpoint, is_active: false });
    expect((await call(slug)).status).toBe(404);
    await kit.admin.call("svc_set_endpoint_active", { endpoint, is_active: true });
    expect((await call(slug)).status).toBe(200);
    await kit.admin.call("svc_delete_endpoint", { endpoint });
    expect((await call(slug)).status).toBe(404);
  });

  test.each(["POST", "DELETE", "HEAD"])("%s is not allowed where the endpoint does not name it", async (method) => {
    const slug = await kit.createEndpoint({ upstream_url: upstream.url, allowed_methods: ["GET", "PUT"] });
    const before = upstream.requests.length;
    const reply = await call(slug, "", { method });
    expect([reply.status, reply.headers.get("allow")]).toEqual([405, "GET, PUT"]);
    if (method !== "HEAD") {
      expect(await reply.json()).toEqual({
        ok: false,
        error: `Method '${method}' is not allowed for this endpoint.`,
      });
    }
    expect(upstream.requests.length).toBe(before);
  });

  test.each(["TRACE", "CONNECT"])("%s is refused everywhere", async (method) => {
    const client = await openRaw(headOf(method));
    expect(await client.until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 405 /);
  });

  test.each(["/..%2fadmin", "/%252e%252e/x", "/a%5c..%5cb", "/a%00"])("the path %s is not passed on", async (rest) => {
    const before = upstream.requests.length;
    const client = await openRaw(headOf("GET", rest));
    expect(await client.until(/\}$/)).toMatch(/^HTTP\/1\.1 400 [^]*Request path cannot be passed on\./);
    expect(upstream.requests.length).toBe(before);
  });

  test.each(["http://169.254.169.254/latest", "http://10.0.0.1/", "http://[::1]:1234/", "http://100.100.100.200/"])(
    "an endpoint to %s is created with a warning, and its calls are refused",
    async (upstreamUrl) => {
      const { slug, warning } = await kit.createEndpointWithWarning({ upstream_url: upstreamUrl });
      expect(warning).toMatch(/^Upstream URL blocked by SSRF guard\. ./);
      const reply = await fetch(kit.origin + kit.pathOf(slug));
      expect(reply.status).toBe(422);
      expect(await reply.json()).toMatchObject({ error: "Upstream URL blocked by SSRF guard." });
    },
  );

  test("an upstream that has become forbidden is blocked with a reason", async () => {
    const slug = await kit.createEndpoint({ upstream_url: upstream.url });
    const strict = await startProxyKit({ database, project: kit.principal.project, allow: "" });
    stops.push(async () => await strict.close());
    const reply = await fetch(strict.origin + strict.pathOf(slug));
    expect(reply.status).toBe(422);
    expect(await reply.json()).toEqual({
      ok: false,
      error: "Upstream URL blocked by SSRF guard.",
      detail: expect.any(String),
    });
  });

  test("an endpoint that leads to itself is refused after a few rounds", async () => {
    const auth = { type: "header", name: "X-Round", value: "1" };
    const slug = `e-${randomUUID().slice(0, 8)}`;
    const before = kit.gatewayLog.entries.length;
    await kit.createEndpoint({ slug, upstream_url: kit.origin + kit.pathOf(slug), auth });
    const reply = await call(slug);
    expect(reply.status).toBe(422);
    expect(await reply.json()).toMatchObject({ detail: expect.stringContaining("leads to itself") });
    expect(kit.gatewayLog.entries.length - before).toBe(5);
  });

  test("an upstream that does not listen, or breaks off, or is late, is unreachable", async () => {
    const gone = await startUpstream();
    await gone.close();
    const refused = await kit.createEndpoint({ upstream_url: gone.url });
    const late = await kit.createEndpoint({ upstream_url: upstream.url, timeout_ms: 50 });
    const body = async (reply: Response) => [reply.status, ((await reply.json()) as { error: string }).error];
    expect(await body(await call(refused))).toEqual([502, "Upstream unreachable."]);
    upstream.answer(() => {});
    expect(await body(await call(late))).toEqual([502, "Upstream unreachable."]);
    upstream.answer((req) => void req.socket.destroy());
    expect(await body(await call(everything))).toEqual([502, "Upstream unreachable."]);
    upstream.answer((req) => void req.socket.end("SSH-2.0-OpenSSH\r\n"));
    expect(await body(await call(everything))).toEqual([502, "Upstream unreachable."]);
  });

  test("a body over the bound is refused by its length, or while it arrives", async () => {
    const small = await startProxyKit({
      database,
      project: kit.principal.project,
      proxy: { bodySizeBytesMax: 100_000 },
    });
    stops.push(async () => await small.close());
    upstream.answer(echo);
    const send = async (body: RequestInit["body"], further = {}) =>
      await fetch(small.origin + small.pathOf(everything), { method: "POST", body: body ?? null, ...further });
    expect((await send("x".repeat(100_000))).status).toBe(200);
    expect((await send("x".repeat(100_001))).status).toBe(413);
    const stream = Readable.toWeb(Readable.from(["x".repeat(60_000), "x".repeat(60_000)])) as RequestInit["body"];
    expect((await send(stream, { duplex: "half" })).status).toBe(413);
  });
});

describe("a request", () => {
  test("arrives with its method, path, query, headers, body and client address", async () => {
    const headers = { accept: "text/plain", "x-custom": "1", authorization: "Bearer svc_live_x", cookie: "a=1" };
    const seen = await echoed(everything, "/v2/things?q=%20a&q=b", { method: "PATCH", headers, body: "hello" });
    expect(seen).toMatchObject({ method: "PATCH", url: "/base/v2/things?q=%20a&q=b", body: "hello" });
    expect(seen.headers).toMatchObject({
      accept: "text/plain",
      "x-custom": "1",
      cookie: "a=1",
      host: new URL(upstream.url).host,
      "x-forwarded-for": "203.0.113.9",
      "x-forwarded-host": `127.0.0.1:${kit.port}`,
      "x-forwarded-proto": "http",
      "x-request-id": expect.stringMatching(/^req-/),
      "content-length": "5",
    });
    expect(seen.headers).not.toHaveProperty("authorization");
  });

  test("carries its trace", async () => {
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    expect((await echoed(everything, "", { headers: { traceparent } })).headers["traceparent"]).toBe(traceparent);
  });

  test.each([
    [{ type: "header", name: "X-Api-Key", value: "s3cret" }, "x-api-key", "s3cret"],
    [{ type: "header", name: "Authorization", value: "Token s3cret" }, "authorization", "Token s3cret"],
    [{ type: "basic", username: "ann", password: "pä:ss" }, "authorization", "Basic YW5uOnDDpDpzcw=="],
  ])("is given the endpoint's own auth: %o", async (auth, name, value) => {
    const slug = await kit.createEndpoint({ upstream_url: upstream.url, auth });
    expect((await echoed(slug, "", { headers: { [name]: "callers" } })).headers[name]).toBe(value);
  });

  test.each(methods.filter((method) => method !== "HEAD"))("%s goes through without a body", async (method) => {
    const seen = await echoed(everything, "", { method });
    expect(seen).toMatchObject({ method, body: "" });
    expect(seen.headers).not.toHaveProperty("transfer-encoding");
  });

  test("in chunks arrives whole, its trailers left out", async () => {
    upstream.answer(echo);
    const client = await openRaw(headOf("POST", "", ["transfer-encoding: chunked", "trailer: x-sum"]));
    client.write("5\r\nhello\r\n6\r\n world\r\n0\r\nx-sum: 1\r\n\r\n");
    expect(await client.until(/\}$/m)).toContain('"body":"hello world"');
  });

  test("with Expect: 100-continue gets 100", async () => {
    upstream.answer(echo);
    const client = await openRaw(headOf("POST", "", ["expect: 100-continue", "content-length: 5"]));
    await client.until(/^HTTP\/1\.1 100 Continue\r\n\r\n/);
    client.write("hello");
    const text = await client.until(/\}$/);
    expect(text).toContain('"body":"hello"');
    expect(text).not.toContain('"expect"');
  });

  test("streams up and down at once", async () => {
    upstream.answer((req, res) => {
      res.flushHeaders();
      req.on("data", (chunk: Buffer) => res.write(`got ${chunk.toString()};`)).on("end", () => res.end("end"));
    });
    const client = await openRaw(headOf("POST", "", ["transfer-encoding: chunked"]));
    for (const part of ["one", "two", "thr"]) {
      client.write(`3\r\n${part}\r\n`);
      await client.until(new RegExp(`got ${part};`));
    }
    client.write("0\r\n\r\n");
    await client.until(/end\r\n0\r\n\r\n$/);
  });

  test("of many megabytes arrives as it was sent, both ways", async () => {
    const block = randomBytes(1024 * 1024);
    const hash = createHash("sha256");
    for (let index = 0; index < 24; index++) hash.update(block);
    upstream.answer((req, res) => void req.pipe(res));
    const body = Readable.toWeb(Readable.from(Array.from({ length: 24 }, () => block))) as RequestInit["body"];
    const reply = await call(everything, "", { method: "POST", body, duplex: "half" } as RequestInit);
    const received = createHash("sha256");
    for await (const chunk of reply.body ?? []) received.update(chunk);
    expect(received.digest("hex")).toBe(hash.digest("hex"));
  });

  test("is ended with 408 if its body stops arriving", async () => {
    const hasty = await startProxyKit({ database, project: kit.principal.project, proxy: { idleTimeoutMs: 60 } });
    stops.push(async () => await hasty.close());
    const client = await connectRaw(hasty.port);
    stops.push(() => void client.socket.destroy());
    client.write(`POST ${hasty.pathOf(everything)} HTTP/1.1\r\nhost: a\r\ncontent-length: 1000000\r\n\r\nabc`);
    expect(await client.until(/\}/)).toMatch(/^HTTP\/1\.1 408 /);
  });

  test("is aborted at the upstream if its client aborts it, and logged as 499", async () => {
    const arrived = Promise.withResolvers<void>();
    const broken = Promise.withResolvers<void>();
    upstream.answer((req) => {
      req.on("close", () => broken.resolve());
      arrived.resolve();
    });
    const client = await openRaw(headOf("GET"));
    await arrived.promise;
    client.socket.destroy();
    await broken.promise;
    await expect.poll(() => kit.gatewayLog.entries.at(-1)?.status).toBe(499);
  });
});

describe("a reply", () => {
  test.each([200, 201, 204, 299, 301, 302, 304, 307, 400, 401, 404, 418, 429, 500, 502, 503, 599])(
    "with status %i passes with its headers and body",
    async (status) => {
      upstream.answer((_req, res) => void res.writeHead(status, { "x-own": "1", location: "/x" }).end("body"));
      const reply = await call(everything);
      expect([reply.status, reply.headers.get("x-own"), reply.headers.get("location")]).toEqual([status, "1", "/x"]);
      expect(await reply.text()).toBe([204, 304].includes(status) ? "" : "body");
    },
  );

  test("keeps repeated headers apart and bytes beyond ASCII as they were, and loses its hop-by-hop ones", async () => {
    upstream.answer((req) => {
      const lines = [
        "HTTP/1.1 200 Fine",
        "Set-Cookie: a=1",
        "Set-Cookie: b=2",
        "X-Name: caf\xe9",
        "Connection: close, X-Hop",
        "X-Hop: 1",
        "Keep-Alive: timeout=5",
        "Proxy-Authenticate: Basic",
        "Content-Length: 2",
      ];
      req.socket.end(Buffer.from(`${lines.join("\r\n")}\r\n\r\nok`, "latin1"));
    });
    const client = await openRaw(headOf("GET", "", ["connection: close"]));
    const { text } = await client.closed();
    expect(text).toMatch(/set-cookie: a=1\r\nset-cookie: b=2\r\n/i);
    expect(text).toMatch(/x-name: caf\xe9\r\n/i);
    expect(text).not.toMatch(/x-hop|proxy-authenticate|timeout=5/i);
  });

  test("carries trailers that it announced", async () => {
    upstream.answer((_req, res) => {
      res.writeHead(200, { trailer: "x-sum" });
      res.write("body");
      res.addTrailers({ "x-sum": "42" });
      res.end();
    });
    const client = await openRaw(headOf("GET"));
    expect(await client.until(/\r\n\r\n$/)).toMatch(/trailer: x-sum\r\n[^]*4\r\nbody\r\n0\r\nx-sum: 42\r\n\r\n$/i);
  });

  test("carries no trailers that are judged or set in front of a body", async () => {
    upstream.answer((_req, res) => {
      res.writeHead(200, { trailer: "set-cookie, x-request-id, x-accel-redirect, x-sum" });
      res.write("body");
      const withheld = { "set-cookie": "gatehouse_session=1", "x-request-id": "evil", "x-accel-redirect": "/secret" };
      res.addTrailers({ ...withheld, "x-sum": "42" });
      res.end();
    });
    const client = await openRaw(headOf("GET"));
    expect(await client.until(/\r\n\r\n$/)).toMatch(/\r\n0\r\nx-sum: 42\r\n\r\n$/i);
  });

  test("whose upstream names two types reaches the client with both", async () => {
    upstream.answer((_req, res) => {
      res.socket?.end("HTTP/1.1 200 OK\r\ncontent-type: a/b\r\ncontent-type: c/d\r\ncontent-length: 1\r\n\r\nx");
    });
    const client = await openRaw(headOf("GET"));
    expect(await client.until(/\r\n\r\nx$/)).toMatch(/content-type: a\/b\r\ncontent-type: c\/d\r\n/i);
  });

  test("of events reaches the client event by event", async () => {
    let send: (text: string) => void = () => {};
    upstream.answer((_req, res) => {
      res.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      send = (text) => void res.write(text);
      stops.push(() => void res.end());
    });
    const client = await openRaw(headOf("GET"));
    await client.until(/text\/event-stream/);
    for (const part of ["one", "two", "three"]) {
      send(`data: ${part}\n\n`);
      await client.until(new RegExp(`data: ${part}\n\n`));
    }
  });

  test("is broken off to the client if it breaks off midway", async () => {
    upstream.answer((_req, res) => {
      res.writeHead(200, { "content-length": 100 }).write("half");
      setImmediate(() => res.destroy());
    });
    const client = await openRaw(headOf("GET"));
    expect((await client.closed()).text).not.toMatch(/HTTP\/1\.1 502/);
    expect(client.received()).toMatch(/half$/);
    await expect.poll(() => kit.gatewayLog.entries.at(-1)).toMatchObject(brokenOff);
  });

  test("is broken off to the client if it falls silent, and logged with the status that was sent", async () => {
    const impatient = await startProxyKit({ database, proxy: { idleTimeoutMs: 100 } });
    stops.push(async () => await impatient.close());
    const slug = await impatient.createEndpoint({ upstream_url: upstream.url });
    upstream.answer((_req, res) => void res.writeHead(200, { "content-length": 100 }).write("half"));
    const reply = await fetch(impatient.origin + impatient.pathOf(slug));
    await expect(reply.text()).rejects.toThrow();
    await expect.poll(() => impatient.gatewayLog.entries.at(-1)).toMatchObject(brokenOff);
  });

  test("is 502 if its first chunk is malformed, since nothing has been sent", async () => {
    const head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    for (const chunk of ["xyz\r\n", "1\r\na\r\nxyz\r\n"]) {
      upstream.answer((_req, res) => void res.socket?.write(head + chunk));
      const reply = await call(everything);
      expect(reply.status).toBe(502);
      expect(await reply.json()).toMatchObject({ ok: false, error: "Upstream unreachable." });
      expect(kit.gatewayLog.entries.at(-1)).toMatchObject({ status: 502, errorCode: "upstream_unreachable" });
    }
  });

  test("that the gateway ends is logged with the error and the status that were sent", async () => {
    const refusal = new GatewayError("invalid_token", "Invalid or revoked token.");
    const error = { error: refusal.message, errorCode: "invalid_token" };
    upstream.answer(() => {});
    const asked = upstream.requests.length;
    const waiting = call(everything);
    await expect.poll(() => upstream.requests.length).toBe(asked + 1);
    const [before] = kit.replies.slice(-1);
    if (before === undefined) throw new Error("No request has arrived.");
    recordReplyEnd(before, refusal);
    sendError(before, refusal);
    expect((await waiting).status).toBe(401);
    await expect.poll(() => kit.gatewayLog.entries.at(-1)).toMatchObject({ status: 401, ...error });
    upstream.answer((_req, res) => void res.write("half"));
    const reply = await call(everything);
    const [begun] = kit.replies.slice(-1);
    if (begun === undefined) throw new Error("No request has arrived.");
    recordReplyEnd(begun, refusal);
    begun.destroy();
    await expect(reply.text()).rejects.toThrow();
    await expect.poll(() => kit.gatewayLog.entries.at(-1)).toMatchObject({ status: 200, ...error });
  });

  test("to a request for compression is the upstream's, byte for byte", async () => {
    const packed = Buffer.from("1f8b080000000000000003cb48cdc9c9070086a6103605000000", "hex");
    upstream.answer((_req, res) => void res.writeHead(200, { "content-encoding": "gzip" }).end(packed));
    const client = await openRaw(headOf("GET", "", ["accept-encoding: gzip", "connection: close"]));
    expect(Buffer.from((await client.closed()).text, "latin1").includes(packed)).toBe(true);
  });

  test("has one entry in the gateway log", async () => {
    await echoed(everything);
    expect(kit.gatewayLog.entries.at(-1)).toMatchObject({
      projectUuid: kit.principal.project.uuid,
      endpointUuid: expect.any(String),
      tokenId: 3,
      route: "proxy",
      status: 200,
      attempts: 1,
    });
    await call("nothing");
    const refused = { status: 404, error: "Endpoint 'nothing' not found or inactive.", attempts: 0 };
    expect(kit.gatewayLog.entries.at(-1)).toMatchObject(refused);
  });
});

describe("rate limits", () => {
  async function limited(perHour: number) {
    const ledger = createMemoryLedger();
    const own = await startProxyKit({ database, project: newProject({ perMinute: null, perHour }), ledger });
    stops.push(async () => await own.close());
    const slug = await own.createEndpoint({ slug: `e-${randomUUID().slice(0, 8)}`, upstream_url: upstream.url });
    return { own, slug, ledger };
  }

  test("are counted against leases of the ledger, which is not asked while they last", async () => {
    const { own, slug, ledger } = await limited(10_000);
    const replies = [];
    for (let count = 0; count < 5; count += 1) replies.push(await fetch(own.origin + own.pathOf(slug)));
    const names = ["x-ratelimit-limit", "x-ratelimit-remaining"];
    expect(replies.map((reply) => names.map((name) => reply.headers.get(name)))).toEqual(
      [1, 2, 3, 4, 5].map((used) => ["10000", String(10_000 - used)]),
    );
    expect(Number(replies[0]?.headers.get("x-ratelimit-reset"))).toBeGreaterThan(Date.now() / 1_000);
    expect(ledger.renewals).toBeLessThan(3);
  });

  test("count only requests that would be forwarded", async () => {
    const { own, slug, ledger } = await limited(10);
    await fetch(own.origin + own.pathOf("nothing"));
    await fetch(own.origin + own.pathOf(slug), { method: "POST" });
    expect(ledger.renewals).toBe(0);
  });

  test("answer 429 once they are reached, without a call to the upstream", async () => {
    const { own, slug } = await limited(1);
    expect((await fetch(own.origin + own.pathOf(slug))).status).toBe(200);
    const before = upstream.requests.length;
    const reply = await fetch(own.origin + own.pathOf(slug));
    const wait = Number(reply.headers.get("retry-after"));
    expect(reply.status).toBe(429);
    expect(reply.headers.get("x-ratelimit-limit")).toMatch(/^[0-9]+$/);
    expect(reply.headers.get("x-ratelimit-remaining")).toBe("0");
    expect(Number(reply.headers.get("x-ratelimit-reset"))).toBeGreaterThan(0);
    const body = { ok: false, error: "Rate limit exceeded.", scope: "hour", retry_after: wait };
    expect(await reply.json()).toEqual(body);
    expect(wait).toBeGreaterThan(0);
    expect(upstream.requests.length).toBe(before);
  });

  test("of a ledger that is away answer 503, and only those that need it", async () => {
    const { own, slug, ledger } = await limited(10_000);
    expect((await fetch(own.origin + own.pathOf(slug))).status).toBe(200);
    ledger.failure = new GatewayError("unavailable", "A service of the gateway is not available.");
    expect((await fetch(own.origin + own.pathOf(slug))).status).toBe(200);
    const cold = await limited(10);
    cold.ledger.failure = ledger.failure;
    expect((await fetch(cold.own.origin + cold.own.pathOf(cold.slug))).status).toBe(503);
  });
});
