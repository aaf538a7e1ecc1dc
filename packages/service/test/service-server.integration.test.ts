import { once } from "node:events";
import { createServer } from "node:net";
import { GatewayError } from "@gatehouse/errors";
import { isCarried, sendJson } from "@gatehouse/http";
import { connectRaw } from "@gatehouse/http/testing";
import { createPrincipalSigner, internalHeaders, type Principal, type RequestContext } from "@gatehouse/principal";
import {
  createLogger,
  createSilentTelemetry,
  type Span,
  type SpanOptions,
  type Telemetry,
  untraced,
} from "@gatehouse/telemetry";
import { createTestTrust } from "@gatehouse/trust/testing";
import { afterEach, expect, test } from "vitest";
import { type HostConfig, isReady, type Readiness, serveService, type Service } from "../src/index.ts";

const trust = createTestTrust();
const principal: Principal = { kind: "admin", adminKeyId: 1, name: "test", role: "owner", projects: null };
const config: HostConfig = {
  host: "127.0.0.1",
  httpPort: 0,
  rpcPort: 0,
  trust: trust.of("chat"),
  logLevel: "silent",
  otlp: undefined,
  stopNoticeMs: 0,
  drainTimeoutMs: 5_000,
  writeIdleTimeoutMs: 120_000,
};

const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

interface Started {
  readonly url: string;
  readonly lines: string[];
  readonly spans: { readonly options: SpanOptions; ended?: unknown }[];
}

async function start(service: Partial<Service>): Promise<Started> {
  const lines: string[] = [];
  const spans: Started["spans"] = [];
  const telemetry: Telemetry = {
    ...createSilentTelemetry(),
    log: createLogger({ service: "test", level: "trace", destination: { write: (line) => void lines.push(line) } }),
    tracing: {
      start(name, options): Span {
        const record: Started["spans"][number] = { options };
        spans.push(record);
        const span = untraced.start(name, options);
        return {
          ...span,
          traceId: span.traceId,
          traceparent: span.traceparent,
          set: () => {},
          end: (err) => void (record.ended = err ?? "well"),
        };
      },
    },
  };
  const full: Service = {
    name: "test",
    rpc: [],
    start: async () => {},
    stop: async () => {},
    readiness: async () => isReady,
    ...service,
  };
  const server = await serveService(full, config, telemetry);
  stops.push(async () => await server.stop());
  return { url: `http://127.0.0.1:${server.httpPort}`, lines, spans };
}

const signed = { [internalHeaders.principal]: createPrincipalSigner(trust.of("router"), "chat")(principal, "GET") };

async function get(url: string, headers: Record<string, string> = {}) {
  const reply = await fetch(url, { headers });
  return { status: reply.status, body: await reply.json() };
}

test("/healthz reports a live process, and /readyz its current problems", async () => {
  let readiness: Readiness = isReady;
  const { url, lines } = await start({ readiness: async () => readiness });
  expect(await get(`${url}/healthz`)).toEqual({ status: 200, body: { ok: true } });
  expect(await get(`${url}/readyz`)).toEqual({ status: 200, body: { ok: true, problems: [] } });
  readiness = { ready: false, problems: ["the database is away"] };
  await expect
    .poll(async () => await get(`${url}/readyz`), { timeout: 5_000 })
    .toEqual({ status: 503, body: { ok: false, problems: ["the database is away"] } });
  expect(await get(`${url}/healthz`)).toMatchObject({ status: 200 });
  await get(`${url}/readyz`);
  readiness = isReady;
  await expect.poll(async () => (await get(`${url}/readyz`)).status, { timeout: 5_000 }).toBe(200);
  // Each change of readiness once, however often it was asked for.
  expect(lines.filter((line) => /[Rr]eady/.test(line))).toEqual([
    expect.stringContaining("the database is away"),
    expect.stringContaining("Ready again."),
  ]);
});

test("metrics are in the text format of Prometheus", async () => {
  const { url } = await start({});
  const reply = await fetch(`${url}/metrics`);
  expect(reply.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
});

test("a service without an HTTP handler serves health, and 404 for every other path", async () => {
  const { url } = await start({});
  expect(await get(`${url}/other`, signed)).toMatchObject({ status: 404 });
  expect(await get(`${url}/healthz`)).toMatchObject({ status: 200 });
});

test.each([
  ["without a signature", {}],
  [
    "with a signature of another key",
    { [internalHeaders.principal]: createPrincipalSigner(createTestTrust().of("router"), "chat")(principal, "GET") },
  ],
  ["with nonsense for a signature", { [internalHeaders.principal]: "nonsense" }],
  ["with a caller's own idea of who it is", { "x-gatehouse-request-id": "r1", authorization: "Bearer svc_live_x" }],
])("a request %s is refused before the service gets it", async (_name, headers) => {
  let calls = 0;
  const { url } = await start({ http: async (_req, res) => void (calls++, res.end()) });
  expect(await get(`${url}/api/x`, headers)).toEqual({
    status: 401,
    body: { ok: false, error: "This service is reached through the router only." },
  });
  expect(calls).toBe(0);
});

test("a signed request reaches the service with its principal, id, address and trace", async () => {
  const contexts: RequestContext[] = [];
  const { url, spans } = await start({
    http: async (req, res, context) => {
      contexts.push(context);
      sendJson(res, { status: 200, body: { path: req.url } });
    },
  });
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const headers = {
    ...signed,
    [internalHeaders.requestId]: "r1",
    [internalHeaders.ipAddress]: "192.0.2.1",
    traceparent,
  };
  expect(await get(`${url}/api/x?q=1`, headers)).toEqual({ status: 200, body: { path: "/api/x?q=1" } });
  expect(contexts).toMatchObject([{ principal, requestId: "r1", ipAddress: "192.0.2.1", span: { traceparent } }]);
  expect(spans).toMatchObject([
    { options: { kind: "server", parent: traceparent, attributes: { "gatehouse.request_id": "r1" } }, ended: "well" },
  ]);
});

test("a signed request to a health path goes to the service", async () => {
  const { url } = await start({ http: async (_req, res) => sendJson(res, { status: 200, body: "mine" }) });
  expect(await get(`${url}/healthz`, signed)).toEqual({ status: 200, body: "mine" });
});

test("a request without an id gets one", async () => {
  const ids: string[] = [];
  const { url } = await start({
    http: async (_req, res, { requestId }) => {
      ids.push(requestId);
      sendJson(res, { status: 200, body: {} });
    },
  });
  await get(url, signed);
  await get(url, signed);
  expect(new Set(ids).size).toBe(2);
});

test("an exception of a service is hidden in the reply, logged with its cause, and recorded in the span", async () => {
  const { url, lines, spans } = await start({
    http: async () => {
      throw new Error("hunter2");
    },
  });
  expect(await get(url, signed)).toEqual({ status: 500, body: { ok: false, error: "Unexpected error." } });
  expect(lines.join()).toContain("hunter2");
  expect(spans[0]?.ended).toMatchObject({ message: "hunter2" });
});

test("a refusal thrown by a service is sent unchanged, and not logged", async () => {
  const { url, lines } = await start({
    http: async () => {
      throw new GatewayError("not_found", "No such thing.");
    },
  });
  expect(await get(url, signed)).toEqual({ status: 404, body: { ok: false, error: "No such thing." } });
  expect(lines).toEqual([]);
});

test("a service that fails after its first byte has its connection cut", async () => {
  const { url } = await start({
    http: async (_req, res) => {
      res.write("part");
      throw new Error("late");
    },
  });
  await expect(fetch(url, { headers: signed }).then((reply) => reply.text())).rejects.toThrow();
});

test("a reply with a status of 500 or above ends the span as failed, also without an exception", async () => {
  const { url, spans } = await start({ http: async (_req, res) => sendJson(res, { status: 503, body: {} }) });
  await get(url, signed);
  expect(spans[0]?.ended).toMatchObject({ message: "status 503" });
});

test("a failed start on one address stops listening on the other", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const free = createServer().listen(0, "127.0.0.1");
  await once(free, "listening");
  const [httpPort, rpcPort] = [free, taken].map((server) => (server.address() as { port: number }).port);
  free.close();
  await once(free, "close");
  const service: Service = {
    name: "test",
    rpc: [],
    start: async () => {},
    stop: async () => {},
    readiness: async () => isReady,
  };
  await expect(
    serveService(service, { ...config, httpPort: httpPort ?? 0, rpcPort: rpcPort ?? 0 }, createSilentTelemetry()),
  ).rejects.toThrow();
  await expect(fetch(`http://127.0.0.1:${httpPort}/healthz`)).rejects.toThrow();
  taken.close();
});

/** A call as a connection carries it (`packages/http/src/carrier/frames.ts`). */
function callFrame(id: number, method: string, headers: Record<string, string>): Buffer {
  const head = JSON.stringify([method, "/api/x", headers]);
  const frame = Buffer.alloc(14 + head.length);
  frame.writeUInt32BE(10 + head.length);
  frame[4] = 1;
  frame.writeUInt32BE(id, 6);
  frame.writeUInt32BE(head.length, 10);
  frame.write(head, 14);
  return frame;
}

test("calls on one connection are each checked by the caller that the router names", async () => {
  const taken: boolean[] = [];
  const { url, spans } = await start({
    async http(req, res) {
      taken.push(isCarried(req));
      await Promise.resolve(sendJson(res, { status: 200, body: {} }));
    },
  });
  const client = await connectRaw(Number(new URL(url).port));
  client.write("GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: gatehouse-calls\r\n\r\n");
  await client.until(/ 101 /);
  client.write(callFrame(1, "GET", signed));
  await client.until(/\[200,/);
  client.write(callFrame(2, "GET", {}));
  await client.until(/\[401,/);
  client.write(callFrame(3, "POST", signed));
  await client.until(/\[401,[^]*\[401,/);
  client.socket.destroy();
  expect(taken).toEqual([true]);
  expect(spans).toHaveLength(1);
});
