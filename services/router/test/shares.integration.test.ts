import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { readBody, replyEndOf, sendJson } from "@gatehouse/http";
import type { ServiceHandler } from "@gatehouse/principal";
import { afterEach, describe, expect, it } from "vitest";
import type { IssuedToken } from "./fake-control-plane.ts";
import { echo, type KitOptions, type RouterKit, sendRaw, startRouter, startScripted, until } from "./router-kit.ts";

const mebibyte = 1024 * 1024;
const large = "x".repeat(8 * mebibyte);

/** Reads the whole body, as services do, or sends a reply that takes time to read. */
const service: ServiceHandler = async (req, res, context) => {
  if (req.url?.endsWith("/large")) {
    req.resume();
    res.end(large);
    return;
  }
  if (req.url?.endsWith("/stream")) {
    req.resume();
    res.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\n\n");
    await once(res, "close");
    return;
  }
  try {
    const body = await readBody(req, { sizeBytesMax: 4 * mebibyte, timeoutMs: 60_000 });
    sendJson(res, { status: 200, body: { bytes: body.length, ipAddress: context.ipAddress } });
  } catch {
    ends.push(replyEndOf(res).code);
    res.destroy();
  }
};

/** Codes of the ends of replies whose request did not come whole, as the service sees them. */
const ends: string[] = [];

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

async function start(env: Readonly<Record<string, string>>, options: KitOptions = {}): Promise<RouterKit> {
  const kit = await startRouter({ chat: service, env, ...options });
  stops.push(async () => await kit.close());
  return kit;
}

async function openRaw(kit: RouterKit, bytes: string): Promise<Socket> {
  const socket = connect(kit.router.port(), "127.0.0.1");
  socket.on("error", () => {});
  stops.push(() => socket.destroy());
  await once(socket, "connect");
  if (bytes.length > 0) socket.write(bytes);
  return socket;
}

/** Opens a connection and sends a request head, and optionally part of its body. */
async function open(kit: RouterKit, lines: readonly string[], body = ""): Promise<Socket> {
  return await openRaw(kit, [...lines, "", body].join("\r\n"));
}

const headOf = ({ token, projectUuid }: IssuedToken, slug: string, ...lines: readonly string[]) => [
  `POST /api/${projectUuid}/${slug} HTTP/1.1`,
  "Host: localhost",
  `Authorization: Bearer ${token}`,
  ...lines,
];

async function call(kit: RouterKit, { token, projectUuid }: IssuedToken, body = "{}") {
  const headers = { authorization: `Bearer ${token}` };
  const reply = await fetch(`${kit.origin}/api/${projectUuid}/s`, { method: "POST", headers, body });
  return { status: reply.status, retryAfter: reply.headers.get("retry-after"), body: (await reply.json()) as object };
}

async function gauge(kit: RouterKit, name: string): Promise<number> {
  const text = await (await fetch(`${kit.operationsOrigin}/metrics`)).text();
  return Number(new RegExp(`^gatehouse_router_${name} (\\d+)$`, "m").exec(text)?.[1]);
}

function replyOf(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
    socket.on("close", () => resolve(text));
  });
}

describe("slow bodies of one project", () => {
  it("are counted as announced: the project is refused at its share, and another is served", async () => {
    const kit = await start({ BUFFERED_BYTES_MAX: String(64 * mebibyte) });
    const hostile = kit.controlPlane.issueToken();
    const sibling = kit.controlPlane.issueToken({ projectUuid: hostile.projectUuid });
    const honest = kit.controlPlane.issueToken();
    for (const token of [hostile, sibling, honest]) await call(kit, token);
    const heads = [hostile, sibling].map((token) => headOf(token, "s", `Content-Length: ${4 * mebibyte}`));
    const opening = heads.flatMap((head) => Array.from({ length: 32 }, async () => await open(kit, head, "a")));
    const sockets = await Promise.all(opening);
    await until(async () => (await gauge(kit, "buffered_bytes")) === 16 * mebibyte);
    const refused = await call(kit, hostile);
    expect(refused).toMatchObject({
      status: 429,
      retryAfter: "1",
      body: {
        ok: false,
        error: `Too much at once: this project may have ${16 * mebibyte} bytes of request bodies and of replies that are not read.`,
        bound: "project.bufferedBytes",
        detail: expect.stringContaining("BUFFERED_BYTES_MAX or PROJECT_SHARE_PERCENT"),
      },
    });
    for (let n = 0; n < 20; n++) expect((await call(kit, honest)).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    await until(async () => (await gauge(kit, "buffered_bytes")) === 0);
    expect(await gauge(kit, "requests_in_flight")).toBe(0);
    expect((await call(kit, hostile)).status).toBe(200);
  });

  it("without a length are counted as they arrive, and cut off with an answer", async () => {
    const kit = await start({ BUFFERED_BYTES_MAX: String(mebibyte), BODY_SIZE_BYTES_MAX: "1000000" });
    const hostile = kit.controlPlane.issueToken();
    await call(kit, hostile);
    const head = headOf(hostile, "s", "Transfer-Encoding: chunked");
    const piece = `40000\r\n${"b".repeat(0x4_00_00)}\r\n`;
    const first = await open(kit, head, piece + piece + piece);
    await until(async () => (await gauge(kit, "buffered_bytes")) === 3 * 0x4_00_00);
    const second = await open(kit, head, piece);
    const reply = await replyOf(second);
    expect(reply).toMatch(/^HTTP\/1\.1 429 /);
    expect(reply).toContain('"bound":"token.bufferedBytes"');
    // For its gateway log entry.
    expect(ends.at(-1)).toBe("too_many_requests");
    await until(async () => (await gauge(kit, "requests_in_flight")) === 1);
    first.destroy();
    first.destroy();
    await until(async () => (await gauge(kit, "buffered_bytes")) === 0);
  });

  it("count by the size to which they may expand if they are compressed", async () => {
    const kit = await start({ BUFFERED_BYTES_MAX: String(64 * mebibyte) });
    const token = kit.controlPlane.issueToken();
    const held: [string, number][] = [
      ["Content-Length: 10000", 640_000],
      ["Content-Length: 1000000", 4 * mebibyte],
      ["Transfer-Encoding: chunked", 4 * mebibyte],
    ];
    for (const [length, bytes] of held) {
      const socket = await open(kit, headOf(token, "s", "Content-Encoding: gzip", length));
      await until(async () => (await gauge(kit, "buffered_bytes")) === bytes);
      socket.destroy();
      await until(async () => (await gauge(kit, "buffered_bytes")) === 0);
    }
  });

  it("do not count any more once their request was answered, although more of them comes", async () => {
    const early = await startScripted((req, res) => {
      req.resume();
      res.end("{}");
    });
    stops.push(() => early.close());
    const kit = await start({}, { chat: { origin: early.origin } });
    const token = kit.controlPlane.issueToken();
    const piece = `40000\r\n${"b".repeat(0x4_00_00)}\r\n`;
    const socket = await open(kit, headOf(token, "s", "Transfer-Encoding: chunked"), piece);
    socket.resume();
    await until(async () => (await gauge(kit, "requests_in_flight")) === 0);
    socket.write(piece + piece);
    await once(socket, "close");
    expect(await gauge(kit, "buffered_bytes")).toBe(0);
  });

  it("within the share are passed on whole", async () => {
    const kit = await start({ BUFFERED_BYTES_MAX: String(8 * mebibyte) });
    const token = kit.controlPlane.issueToken();
    const body = "c".repeat(100);
    const chunked = `64\r\n${body}\r\n64\r\n${body}\r\n0\r\n\r\n`;
    const text = await sendRaw(
      kit.origin,
      [...headOf(token, "s", "Transfer-Encoding: chunked", "Connection: close"), "", chunked].join("\r\n"),
    );
    expect(text).toContain('"bytes":200');
  });
});

describe("unread replies", () => {
  it("count until their connection is closed, even after the service has answered", async () => {
    const kit = await start({ WRITE_IDLE_TIMEOUT_MS: "1000" });
    const token = kit.controlPlane.issueToken();
    const socket = await open(kit, headOf(token, "large", "Content-Length: 2"), "{}");
    socket.pause();
    await until(async () => (await gauge(kit, "buffered_bytes")) > 100_000);
    expect(await gauge(kit, "requests_in_flight")).toBe(1);
    await until(async () => (await gauge(kit, "requests_in_flight")) === 0);
    expect(await gauge(kit, "buffered_bytes")).toBe(0);
    expect(await gauge(kit, "slow_readers_total")).toBe(1);
  });

  it("are ended, the largest first, where a project holds more of them than its share", async () => {
    const kit = await start({ BUFFERED_BYTES_MAX: String(64 * mebibyte), BODY_SIZE_BYTES_MAX: "1024" });
    const hostile = kit.controlPlane.issueToken();
    const honest = kit.controlPlane.issueToken();
    for (let n = 0; n < 8; n++) (await open(kit, headOf(hostile, "large", "Content-Length: 2"), "{}")).pause();
    const ended = async () => {
      const text = await (await fetch(`${kit.operationsOrigin}/metrics`)).text();
      return Number(/gatehouse_router_requests_ended_total\{reason="unread"\} (\d+)/.exec(text)?.[1] ?? 0);
    };
    await until(async () => (await ended()) > 0);
    await until(async () => (await gauge(kit, "buffered_bytes")) <= 16 * mebibyte);
    expect((await call(kit, honest)).status).toBe(200);
  });
});

describe("requests and streams of one project", () => {
  it("are refused at its share, per token first, while another project is served", async () => {
    const kit = await start({ REQUESTS_IN_FLIGHT_MAX: "40", TOKEN_SHARE_PERCENT: "10", ADDRESS_SHARE_PERCENT: "100" });
    const [first, second] = [kit.controlPlane.issueToken(), kit.controlPlane.issueToken()];
    const sibling = kit.controlPlane.issueToken({ projectUuid: first.projectUuid });
    for (const token of [first, second, sibling]) await call(kit, token);
    for (let n = 0; n < 64; n++) await open(kit, headOf(first, "stream", "Content-Length: 2"), "{}");
    await until(async () => (await gauge(kit, "requests_in_flight")) === 4);
    expect(await call(kit, first)).toMatchObject({ status: 429, body: { bound: "token.requestsInFlight" } });
    for (let n = 0; n < 64; n++) await open(kit, headOf(sibling, "stream", "Content-Length: 2"), "{}");
    expect(await call(kit, sibling)).toMatchObject({ status: 429, body: { bound: "token.requestsInFlight" } });
    expect((await call(kit, second)).status).toBe(200);
  });

  it("are counted as streams once their reply shows it", async () => {
    const kit = await start({ STREAMS_MAX: "8" });
    const token = kit.controlPlane.issueToken();
    await open(kit, headOf(token, "stream", "Content-Length: 2"), "{}");
    await until(async () => (await gauge(kit, "streams")) === 1);
    expect(await call(kit, token)).toMatchObject({ status: 429, body: { bound: "token.streams" } });
  });
});

describe("requests without a known caller", () => {
  it("are bounded per address, over any number of connections without a valid token", async () => {
    const kit = await start({ REQUESTS_IN_FLIGHT_MAX: "200" });
    const idle = await Promise.all(Array.from({ length: 20 }, async () => await openRaw(kit, "")));
    const extra = await openRaw(kit, "");
    const reply = await replyOf(extra);
    expect(reply).toMatch(/^HTTP\/1\.1 429 Too Many Requests\r\n/);
    expect(reply).toContain('"bound":"address.requestsInFlight"');
    for (const socket of idle) socket.destroy();
    const token = kit.controlPlane.issueToken();
    await until(async () => (await call(kit, token).catch(() => undefined))?.status === 200);
  });

  it("do not count once their connection has carried a valid token", async () => {
    const kit = await start({
      REQUESTS_IN_FLIGHT_MAX: "200",
      TOKEN_SHARE_PERCENT: "100",
      PROJECT_SHARE_PERCENT: "100",
    });
    const token = kit.controlPlane.issueToken();
    await call(kit, token);
    const sockets: Socket[] = [];
    for (let n = 0; n < 40; n++) {
      const socket = await open(kit, headOf(token, "s", "Content-Length: 2"), "{}");
      await once(socket, "data");
      sockets.push(socket);
    }
    expect(sockets.every(({ destroyed }) => !destroyed)).toBe(true);
  });
});

describe("the client's address", () => {
  it("is the one reported by a trusted proxy, else the connection's", async () => {
    const ask = async (env: Readonly<Record<string, string>>) => {
      const kit = await start(env, { chat: echo });
      const { token, projectUuid } = kit.controlPlane.issueToken();
      const headers = { authorization: `Bearer ${token}`, "x-forwarded-for": "6.6.6.6, 203.0.113.7" };
      const reply = await fetch(`${kit.origin}/api/${projectUuid}/s`, { method: "POST", headers, body: "{}" });
      return ((await reply.json()) as { ipAddress: string }).ipAddress;
    };
    expect(await ask({ TRUSTED_PROXIES: "127.0.0.0/8" })).toBe("203.0.113.7");
    expect(await ask({ TRUSTED_PROXIES: "10.0.0.0/8" })).toBe("127.0.0.1");
    expect(await ask({})).toBe("127.0.0.1");
  });
});

describe("pipelined requests whose connection ends", () => {
  it("leave nothing in the accounts", async () => {
    const kit = await start({});
    const token = kit.controlPlane.issueToken();
    await call(kit, token);
    const known = [...headOf(token, "large", "Content-Length: 2"), "", "{}"].join("\r\n");
    const unknown = "GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    const socket = await openRaw(kit, (known + unknown).repeat(20));
    await until(async () => (await gauge(kit, "requests_in_flight")) > 0);
    socket.destroy();
    await until(async () => (await gauge(kit, "requests_in_flight")) === 0);
    expect([await gauge(kit, "buffered_bytes"), await gauge(kit, "share_holders")]).toEqual([0, 0]);
  });
});
