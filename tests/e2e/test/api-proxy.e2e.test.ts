import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { lapse } from "@gatehouse/async/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { ControlPlaneClient, createProject, type Json, type ProjectFixture } from "../src/control-plane-client.ts";
import { type Product, startServices, startStandalone } from "../src/product.ts";

/** Short, so that time-outs occur within a test. */
const env = { EGRESS_ALLOW: "127.0.0.1", REQUEST_TIMEOUT_MS: "400", BODY_SIZE_BYTES_MAX: "100000" };

describe.each([
  ["one process", async () => await startStandalone({ env })],
  ["services", async () => await startServices({ env })],
])("API Gateway as %s", (_name, start) => {
  let product: Product;
  let fixture: ProjectFixture;
  let control: ControlPlaneClient;
  let upstream: Server;
  let sockets: WebSocketServer;
  let answer: RequestListener;

  beforeAll(async () => {
    product = await start();
    control = new ControlPlaneClient(product);
    fixture = await createProject(control, { type: "api_gateway", scopes: ["proxy"] });
    upstream = createServer((req, res) => answer(req, res)).listen(0, "127.0.0.1");
    await once(upstream, "listening");
    sockets = new WebSocketServer({ server: upstream });
    sockets.on("connection", (socket) => socket.on("message", (data, binary) => socket.send(data, { binary })));
    await endpoint("all", { allowed_methods: ["GET", "POST"] });
  });

  afterAll(async () => {
    await product.stop();
    upstream.close();
    upstream.closeAllConnections();
  });

  async function endpoint(slug: string, settings: Json): Promise<void> {
    const { port } = upstream.address() as AddressInfo;
    const upstream_url = `http://127.0.0.1:${port}/base`;
    await control.call("svc_create_endpoint", { project: fixture.project, slug, upstream_url, ...settings });
  }

  const urlOf = (rest: string) => `${product.url}/api/${fixture.project}/${rest}`;
  const headers = () => ({ authorization: `Bearer ${fixture.token}`, cookie: "a=1" });

  test("a request reaches the upstream with its caller's address, and the reply is unchanged", async () => {
    answer = (req, res) => void res.writeHead(207, { "x-own": "1" }).end(JSON.stringify([req.url, req.headers]));
    const reply = await fetch(urlOf("all/v2/things?q=1"), { headers: headers() });
    expect([reply.status, reply.headers.get("x-own")]).toEqual([207, "1"]);
    const [url, seen] = (await reply.json()) as [string, Record<string, string>];
    expect(url).toBe("/base/v2/things?q=1");
    expect(seen).toMatchObject({
      cookie: "a=1",
      "x-forwarded-for": "127.0.0.1",
      "x-forwarded-host": new URL(product.url).host,
      "x-request-id": reply.headers.get("x-request-id"),
    });
    expect(seen).not.toHaveProperty("authorization");
    expect(Object.keys(seen).filter((name) => name.startsWith("x-gatehouse"))).toEqual([]);
    expect(reply.headers.get("x-ratelimit-limit")).toBe("600");
  });

  test("a WebSocket goes through, and is refused as any request is", async () => {
    const socket = new WebSocket(urlOf("all/live").replace("http", "ws"), { headers: headers() });
    await once(socket, "open");
    const answered = once(socket, "message");
    socket.send("hello");
    expect(String((await answered)[0])).toBe("hello");
    socket.close();
    await once(socket, "close");
    const refusals = [
      [urlOf("all"), {}, 401],
      [urlOf("nothing"), headers(), 404],
      [`${product.url}/api/00000000-0000-4000-8000-000000000000/all`, headers(), 403],
    ] as const;
    for (const [url, own, status] of refusals) {
      const refused = new WebSocket(url.replace("http", "ws"), { headers: own });
      const [, reply] = await once(refused, "unexpected-response");
      expect(reply.statusCode).toBe(status);
      refused.on("error", () => {}).terminate();
    }
  });

  test("an upload may be larger, and take longer, than other routes allow", async () => {
    let size = 0;
    answer = (req, res) => {
      req.on("data", (chunk: Buffer) => (size += chunk.length)).on("end", () => res.end(String(size)));
    };
    const startedAt = performance.now();
    async function* slowly() {
      const block = Buffer.alloc(50_000);
      // Sends each block after the previous one has arrived, until well after other routes' time-out.
      for (let sent = 0; performance.now() - startedAt < 1_500; sent += block.length) {
        await expect.poll(() => size, { interval: 20 }).toBe(sent);
        await lapse(50, "the sender is slow");
        yield block;
      }
    }
    const body = Readable.toWeb(Readable.from(slowly())) as ReadableStream;
    const reply = await fetch(urlOf("all"), { method: "POST", headers: headers(), body, duplex: "half" });
    expect([reply.status, await reply.text()]).toEqual([200, String(size)]);
    expect(size).toBeGreaterThan(100_000);
  });

  test("events pass one by one", async () => {
    let send: (text: string) => void = () => {};
    answer = (_req, res) => {
      res.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      send = (text) => void res.write(text);
    };
    const abort = new AbortController();
    const reply = await fetch(urlOf("all"), { headers: headers(), signal: abort.signal });
    const reader = (reply.body as ReadableStream<Uint8Array>).getReader();
    for (const part of ["data: one\n\n", "data: two\n\n"]) {
      send(part);
      const { value } = await reader.read();
      expect(Buffer.from(value ?? []).toString()).toBe(part);
    }
    abort.abort();
  });

  test("a change of an endpoint takes effect within 250 ms on every replica", async () => {
    answer = (_req, res) => void res.end("ok");
    await endpoint("changing", { allowed_methods: ["GET"] });
    const { endpoints } = await control.call<{ endpoints: { uuid: string; slug: string }[] }>("svc_list_endpoints", {
      project: fixture.project,
    });
    const uuid = endpoints.find(({ slug }) => slug === "changing")?.uuid;
    const status = async () => (await fetch(urlOf("changing"), { headers: headers() })).status;
    expect(await status()).toBe(200);
    await control.call("svc_update_endpoint", { endpoint: uuid, allowed_methods: ["POST"] });
    await expect.poll(status, { timeout: 250, interval: 10 }).toBe(405);
    await control.call("svc_set_endpoint_active", { endpoint: uuid, is_active: false });
    await expect.poll(status, { timeout: 250, interval: 10 }).toBe(404);
  });

  /** Opens connections with a token: half event streams, half WebSockets. */
  async function openUnder(token: string, count: number): Promise<readonly Promise<unknown>[]> {
    const own = { authorization: `Bearer ${token}` };
    const ends: Promise<unknown>[] = [];
    for (let n = 0; n < count; n += 2) {
      const socket = new WebSocket(urlOf("all/live").replace("http", "ws"), { headers: own });
      await once(socket, "open");
      const chatter = setInterval(() => socket.send("busy"), 20);
      const closed = once(socket, "close");
      void closed.then(() => clearInterval(chatter));
      const reply = await fetch(urlOf("all"), { headers: own });
      const reader = (reply.body as ReadableStream<Uint8Array>).getReader();
      await reader.read();
      // Resolves when the connection ends, properly or not.
      ends.push(
        closed,
        reader.read().catch(() => undefined),
      );
    }
    return ends;
  }

  test.each([
    ["revoked", "svc_revoke_token"],
    ["deleted", "svc_delete_token"],
    ["rotated", "svc_rotate_token"],
  ])(
    "streams of a token end within 250 ms once it is %s, and those of another token stay open",
    async (_how, operation) => {
      answer = (_req, res) => void res.writeHead(200, { "content-type": "text/event-stream" }).write("data: one\n\n");
      const made = { project: fixture.project, name: operation, scopes: ["proxy"] };
      const gone = await control.call<{ id: number; token: string }>("svc_create_token", made);
      const kept = await openUnder(fixture.token, 2);
      const ends = await openUnder(gone.token, 20);
      await control.call(operation, { token_id: gone.id });
      const changedAt = performance.now();
      await Promise.all(ends);
      expect(performance.now() - changedAt).toBeLessThan(250);
      const first = await Promise.race([...kept, new Promise((resolve) => setImmediate(() => resolve("open")))]);
      expect(first).toBe("open");
    },
  );

  test("streams of a project end when it is deleted", async () => {
    const own = await createProject(control, { type: "api_gateway", scopes: ["proxy"] });
    const { port } = upstream.address() as AddressInfo;
    const made = {
      project: own.project,
      slug: "all",
      upstream_url: `http://127.0.0.1:${port}`,
      allowed_methods: ["GET"],
    };
    await control.call("svc_create_endpoint", made);
    answer = (_req, res) => void res.writeHead(200, { "content-type": "text/event-stream" }).write("data: one\n\n");
    const headersOfOwn = { authorization: `Bearer ${own.token}` };
    const reply = await fetch(`${product.url}/api/${own.project}/all`, { headers: headersOfOwn });
    const reader = (reply.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    await control.call("svc_delete_project", { project: own.project });
    const deletedAt = performance.now();
    await reader.read().catch(() => {});
    expect(performance.now() - deletedAt).toBeLessThan(250);
  });
});
