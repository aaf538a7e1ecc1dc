import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { lapse } from "@gatehouse/async/testing";
import { startHttpServer, upgradeHeadOf } from "@gatehouse/http";
import { carryCalls } from "@gatehouse/http/testing";
import { request } from "undici";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  forwardToService,
  heldBodyBytesMax,
  openServicePeers,
  upgradeToService,
} from "../src/clients/service-peers.ts";
import type { IsRepeatable } from "../src/domain/repeatable-call.ts";

const stops: (() => void)[] = [];
/** Whether the requests of a test share a connection. */
let isCarrying = false;

afterEach(() => {
  for (const stop of stops.splice(0).toReversed()) stop();
});

interface Backend {
  readonly url: string;
  readonly port: number;
  readonly taken: string[];
  /** Shared connections so far. */
  carriers(): number;
  isStopping: boolean;
  /** Whether new connections are reset unread, and their number. */
  resetsNew: boolean;
  resets(): number;
  /** Connections so far. */
  connections(): number;
  stop(): void;
}

async function listen(listener: RequestListener, port = 0) {
  const sockets = new Set<Socket>();
  const server = createServer(listener);
  server.on("connection", (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => void server.listen(port, "127.0.0.1", resolve));
  const stop = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  stops.push(stop);
  return { stop, server, port: (server.address() as AddressInfo).port };
}

/** A service process that echoes the body. */
async function startBackend(port = 0, answer: RequestListener = () => {}): Promise<Backend> {
  const counts = { connections: 0, resets: 0 };
  const backend = {
    taken: [] as string[],
    isStopping: false,
    resetsNew: false,
    url: "",
    port: 0,
    stop: () => {},
    carriers: () => 0,
    resets: () => counts.resets,
    connections: () => counts.connections,
  };
  const onRequest = async (req: IncomingMessage, res: ServerResponse) => {
    if (req.url === "/healthz") return void res.end(JSON.stringify({ ok: true, stopping: backend.isStopping }));
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    backend.taken.push(Buffer.concat(chunks).toString());
    answer(req, res);
    if (!res.destroyed && !res.writableEnded) res.end(String(backend.taken.at(-1)?.length));
    return undefined;
  };
  const listener: RequestListener = (req, res) => void onRequest(req, res).catch(() => res.destroy());
  const opened = await listen(listener, port);
  opened.server.on("connection", (socket) => {
    counts.connections += 1;
    if (!backend.resetsNew) return;
    counts.resets += 1;
    socket.resetAndDestroy();
  });
  if (isCarrying) backend.carriers = carryCalls(opened.server, listener);
  backend.stop = opened.stop;
  backend.port = opened.port;
  backend.url = `http://127.0.0.1:${opened.port}`;
  return backend;
}

/** A minimal router before these processes. */
async function startFront(...backends: readonly Backend[]) {
  return await startRepeatingFront(undefined, ...backends);
}

async function startRepeatingFront(isRepeatable: IsRepeatable | undefined, ...backends: readonly Backend[]) {
  const url = backends.map((backend) => backend.url).join(",");
  const peers = openServicePeers({ service: "chat", url, connectionsMax: 16, isCarrying });
  stops.push(() => peers.close());
  const options = (req: IncomingMessage) => ({
    path: req.url ?? "/",
    headers: req.headers as Record<string, string>,
    headersTimeoutMs: 5_000,
    bodyTimeoutMs: 5_000,
  });
  const { port } = await listen((req, res) => {
    forwardToService(req, res, { peers, options: options(req), isRepeatable }).catch(() => {
      if (!res.headersSent) res.writeHead(503).end();
    });
  });
  const post = async (body: string, path = "/") => {
    const reply = await request(`http://127.0.0.1:${port}${path}`, { method: "POST", body });
    return { status: reply.statusCode, text: await reply.body.text() };
  };
  await post("first");
  const isReady = async () => (await post("first")) && backends.every(({ carriers }) => carriers() > 0);
  if (isCarrying) await expect.poll(isReady, { timeout: 10_000 }).toBe(true);
  return { peers, post };
}

const sizes = [
  ["small", 100],
  ["large", 4 * heldBodyBytesMax],
] as const;

describe.each([
  { way: "have connections for themselves", carries: false },
  { way: "share a connection", carries: true },
])("requests that $way", ({ carries }) => {
  beforeEach(() => {
    isCarrying = carries;
  });

  describe.each(sizes)("a request with a %s body", (_name, size) => {
    const body = "x".repeat(size);

    test("arrives whole", async () => {
      const backend = await startBackend();
      const { post } = await startFront(backend);
      expect(await post(body)).toEqual({ status: 200, text: String(size) });
      expect(backend.taken.at(-1)).toBe(body);
    });

    test("waits for a process that is being restarted", async () => {
      const backend = await startBackend();
      const { post, peers } = await startFront(backend);
      backend.stop();
      await expect.poll(() => peers.peers.every(({ state }) => state === "away"), { timeout: 5_000 }).toBe(true);
      const waiting = post(body);
      const again = await startBackend(backend.port);
      expect(await waiting).toEqual({ status: 200, text: String(size) });
      expect(again.taken).toEqual([body]);
    });
  });

  test("a request whose connection is refused goes to another process, and no process gets it twice", async () => {
    const [one, two] = [await startBackend(), await startBackend()];
    const { post } = await startFront(one, two);
    one.stop();
    for (let call = 0; call < 20; call += 1) expect((await post(`call ${call}`)).status).toBe(200);
    const taken = [...one.taken, ...two.taken].filter((text) => text.startsWith("call"));
    expect(new Set(taken).size).toBe(20);
    expect(taken).toHaveLength(20);
  });

  test("a request that a stopping process had begun is not repeated", async () => {
    const one = await startBackend(0, (req, res) => (req.url === "/lost" ? res.destroy() : undefined));
    const two = await startBackend(0, (req, res) => (req.url === "/lost" ? res.destroy() : undefined));
    const { post, peers } = await startFront(one, two);
    one.isStopping = true;
    two.isStopping = true;
    await expect.poll(() => peers.peers.every(({ state }) => state === "stopping"), { timeout: 5_000 }).toBe(true);
    expect((await post("once", "/lost")).status).toBe(503);
    expect([...one.taken, ...two.taken].filter((text) => text === "once")).toHaveLength(1);
  });

  test.runIf(!carries)("a request that a stopping process did not see goes to another", async () => {
    const [one, two] = [await startBackend(), await startBackend()];
    const { post, peers } = await startFront(one, two);
    one.isStopping = true;
    two.isStopping = true;
    await expect.poll(() => peers.peers.every(({ state }) => state === "stopping"), { timeout: 5_000 }).toBe(true);
    // As the operating system does to pending connections when a port closes.
    one.resetsNew = true;
    const bodies = Array.from({ length: 10 }, (_, call) => `unseen ${call}`);
    for (const body of bodies) expect((await post(body)).status).toBe(200);
    expect(one.resets()).toBeGreaterThan(0);
    expect(two.taken.filter((text) => text.startsWith("unseen"))).toEqual(bodies);
    two.stop();
    expect((await post("y")).status).toBe(503);
  });

  test.runIf(!carries)(
    "a stopping process gets each request on a fresh connection, and none on one that it may end",
    async () => {
      const backend = await startBackend();
      const { post, peers } = await startFront(backend);
      backend.isStopping = true;
      await expect.poll(() => peers.peers.every(({ state }) => state === "stopping"), { timeout: 5_000 }).toBe(true);
      const before = backend.connections();
      for (let call = 0; call < 5; call += 1) expect((await post("x")).status).toBe(200);
      expect(backend.connections()).toBe(before + 5);
    },
  );

  test("a request that a process has lost is not repeated", async () => {
    const backend = await startBackend(0, (req, res) => (req.url === "/lost" ? res.destroy() : undefined));
    const { post } = await startFront(backend);
    expect((await post("once", "/lost")).status).toBe(503);
    expect(backend.taken.filter((text) => text === "once")).toHaveLength(1);
  });

  describe("a repeatable request", () => {
    const lostBy = (body: string, backends: readonly Backend[]) =>
      backends.flatMap(({ taken }) => taken).filter((text) => text === body).length;
    const losing: RequestListener = (req, res) => (req.url === "/lost" ? res.destroy() : undefined);

    test("goes to another process if one has lost it", async () => {
      const [one, two] = [await startBackend(0, losing), await startBackend()];
      const { post, peers } = await startRepeatingFront(() => true, one, two);
      const body = "again";
      for (let call = 0; call < 20 && one.taken.every((text) => text !== body); call += 1) {
        await expect.poll(() => peers.peers.every(({ state }) => state === "serving"), { timeout: 5_000 }).toBe(true);
        expect(await post(body, "/lost")).toEqual({ status: 200, text: String(body.length) });
      }
      expect(one.taken).toContain(body);
      expect(two.taken).toContain(body);
      expect(peers.resentCount).toBe(1);
    });

    test("is repeated at most once, even if it crashes processes", async () => {
      const backends = [await startBackend(0, losing), await startBackend(0, losing), await startBackend(0, losing)];
      const { post } = await startRepeatingFront(() => true, ...backends);
      expect((await post("deadly", "/lost")).status).toBe(503);
      expect(lostBy("deadly", backends)).toBe(2);
    });

    test("is not repeated if its body is not held or it must not be repeated", async () => {
      const backend = await startBackend(0, losing);
      const { post } = await startRepeatingFront(({ body }) => body?.includes("no") === false, backend);
      const large = "x".repeat(4 * heldBodyBytesMax);
      expect((await post(large, "/lost")).status).toBe(503);
      expect((await post("no", "/lost")).status).toBe(503);
      expect([lostBy(large, [backend]), lostBy("no", [backend])]).toEqual([1, 1]);
    });

    test("whose reply has begun is cut", async () => {
      const backend = await startBackend(0, (req, res) => {
        if (req.url !== "/lost") return;
        res.writeHead(200, { "content-length": "100" });
        res.write("begun");
        res.end = () => res;
        void lapse(100, "the beginning of the reply reaches its caller").then(() => res.destroy());
      });
      const { post } = await startRepeatingFront(() => true, backend);
      await expect(post("cut", "/lost")).rejects.toThrow(/.+/);
      expect(lostBy("cut", [backend])).toBe(1);
    });
  });

  test("calls of a process presumed lost are refused and not repeated, and later ones reach it again", async () => {
    const held: ServerResponse[] = [];
    const backend = await startBackend(0, (req, res) => {
      if (req.url !== "/held") return;
      held.push(res);
      res.writeHead = () => res;
      res.end = () => res;
    });
    const { peers, post } = await startFront(backend);
    const cut = post("held", "/held");
    await expect.poll(() => held.length).toBe(1);
    peers.peers[0]?.connection.abandon?.();
    expect((await cut).status).toBe(503);
    expect(peers.peers[0]?.inFlight).toBe(0);
    expect(await post("next")).toEqual({ status: 200, text: "4" });
    expect(backend.taken.filter((text) => text !== "first")).toEqual(["held", "next"]);
  });
});

test("a WebSocket counts as in flight of its process until it ends", async () => {
  const backend = await listen((_req, res) => res.end('{"ok":true}'));
  backend.server.on("upgrade", (_req, socket: Socket) => {
    socket
      .on("error", () => {})
      .on("end", () => socket.end())
      .resume();
    socket.write("HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n");
  });
  const peers = openServicePeers({ service: "chat", url: `http://127.0.0.1:${backend.port}`, connectionsMax: 4 });
  stops.push(() => peers.close());
  const inFlight = () => peers.peers.reduce((sum, peer) => sum + peer.inFlight, 0);
  const front = await startHttpServer(
    (req, res) => {
      const bounds = { headersTimeoutMs: 5_000, bodyTimeoutMs: 5_000, idleTimeoutMs: 0 };
      const head = upgradeHeadOf(req) ?? Buffer.alloc(0);
      upgradeToService(req, res, { peers, options: { path: "/", headers: {}, head, ...bounds } }).catch(() =>
        res.destroy(),
      );
    },
    { host: "127.0.0.1", port: 0, upgrades: true },
  );
  stops.push(() => void front.stop(0));
  const client = connect(front.port, "127.0.0.1");
  stops.push(() => client.destroy());
  client.write("GET / HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n");
  await expect.poll(() => client.read()?.toString(), { timeout: 5_000 }).toMatch(/ 101 /);
  expect(inFlight()).toBe(1);
  client.destroy();
  await expect.poll(inFlight).toBe(0);
});
