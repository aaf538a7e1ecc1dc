import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { GatewayError } from "@gatehouse/errors";
import { replyEndOf } from "@gatehouse/http";
import { connectRaw } from "@gatehouse/http/testing";
import { createPrincipalSigner, type ServiceHandler } from "@gatehouse/principal";
import { afterEach, describe, expect, it } from "vitest";
import { createRemoteHandler, openServicePeers } from "../src/program.ts";
import type { IssuedToken } from "./fake-control-plane.ts";
import { type RouterKit, startRouter, trust, until } from "./router-kit.ts";

/** Bound of a revocation without a notice, and the margin for a loaded machine. */
const hardMs = 5_000;
const slackMs = 1_000;

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

interface Backend {
  readonly handler: ServiceHandler;
  open(): number;
}

/** A service that streams, waits or upgrades until its client leaves. */
function act(req: IncomingMessage, res: ServerResponse): void {
  req.resume();
  if (req.url?.endsWith("/stream")) res.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\n\n");
}

function inProcess(): Backend {
  let open = 0;
  const handler: ServiceHandler = async (req, res) => {
    open += 1;
    act(req, res);
    await once(res, "close");
    open -= 1;
  };
  return { handler, open: () => open };
}

/** Backend in another process's role, over HTTP, with WebSockets. */
async function remote(): Promise<Backend> {
  const sockets = new Set<Socket>();
  let open = 0;
  const server = createServer((req, res) => {
    // The router's probe.
    if (req.url === "/healthz") return res.end();
    open += 1;
    res.once("close", () => (open -= 1));
    return act(req, res);
  });
  server.on("upgrade", (req, stream) => {
    const socket = stream as Socket;
    if (req.url === "/healthz") return void socket.end("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
    open += 1;
    socket.once("close", () => (open -= 1));
    socket.once("end", () => socket.end());
    socket.write("HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n");
    socket.on("data", (chunk) => socket.write(chunk));
    socket.on("error", () => {});
    return undefined;
  });
  server.on("connection", (socket) => sockets.add(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  stops.push(async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    peers.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const signer = createPrincipalSigner(trust.of("router"), "api-proxy");
  const peers = openServicePeers({ service: "chat", url: origin, connectionsMax: 512 });
  return {
    handler: createRemoteHandler({ peers, signer, upgradeIdleTimeoutMs: 600_000 }),
    open: () => open,
  };
}

interface OpenCall {
  readonly socket: Socket;
  /** Resolves with all received data once the connection is closed. */
  readonly closed: Promise<string>;
}

async function openCall(kit: RouterKit, { token, projectUuid }: IssuedToken, how: "stream" | "wait" | "socket") {
  const connection = how === "stream" ? ["Connection: close"] : [];
  const upgrade =
    how === "socket" ? ["Connection: Upgrade", "Upgrade: websocket"] : ["Content-Length: 0", ...connection];
  const method = how === "socket" ? "GET" : "POST";
  const head = [`${method} /api/${projectUuid}/${how} HTTP/1.1`, "Host: localhost", `Authorization: Bearer ${token}`];
  const socket = connect(kit.router.port(), "127.0.0.1");
  stops.push(() => socket.destroy());
  socket.on("error", () => {});
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
  const closed = new Promise<string>((resolve) => void socket.once("close", () => resolve(text)));
  socket.write([...head, ...upgrade, "", ""].join("\r\n"));
  if (how !== "wait") await once(socket, "data");
  return { socket, closed } satisfies OpenCall;
}

async function start(backend: Backend, env: Readonly<Record<string, string>> = {}): Promise<RouterKit> {
  const kit = await startRouter({ chat: backend.handler, controlPlaneHttp: backend.handler, env });
  stops.push(async () => await kit.close());
  await until(async () => (await fetch(`${kit.operationsOrigin}/readyz`)).status === 200);
  return kit;
}

const backends = { "in one process": () => Promise.resolve(inProcess()), "over HTTP": remote } as const;

describe.each(Object.entries(backends))("a revocation of a token, with services %s", (name, create) => {
  it("ends the token's streams and its calls in flight at once if it is pushed, and no other's", async () => {
    const backend = await create();
    const kit = await start(backend);
    const [revoked, other] = [kit.controlPlane.issueToken(), kit.controlPlane.issueToken()];
    const streams = await Promise.all(Array.from({ length: 20 }, async () => await openCall(kit, revoked, "stream")));
    const waiting = await openCall(kit, revoked, "wait");
    const untouched = await openCall(kit, other, "stream");
    await until(() => backend.open() === 22);
    const revokedAt = performance.now();
    kit.controlPlane.revoke(revoked);
    const times = await Promise.all(
      streams.map(async ({ closed }) => {
        await closed;
        return performance.now() - revokedAt;
      }),
    );
    expect(Math.max(...times)).toBeLessThan(250);
    // As every failed stream: one error event, and no [DONE].
    const [text = ""] = await Promise.all(streams.map(async ({ closed }) => await closed));
    const events = Array.from(text.matchAll(/^data: (.*)$/gm), ([, data]) => data);
    const error = { message: "Invalid or revoked token.", type: expect.any(String) as unknown, code: "invalid_token" };
    expect([events[0], JSON.parse(events[1] ?? ""), events.length]).toEqual(["1", { error }, 2]);
    // Complete, so that the client does not see a network failure.
    expect(text).toMatch(/\r\n0\r\n\r\n$/);
    waiting.socket.end();
    expect(await waiting.closed).toMatch(/^HTTP\/1\.1 401 [\s\S]*Invalid or revoked token\./);
    await until(() => backend.open() === 1);
    expect(untouched.socket.destroyed).toBe(false);
    const metrics = await (await fetch(`${kit.operationsOrigin}/metrics`)).text();
    expect(metrics).toContain('gatehouse_router_requests_ended_total{reason="revoked"} 21');
  });

  it("ends them within five seconds if it is not pushed", async () => {
    const backend = await create();
    const kit = await start(backend);
    const revoked = kit.controlPlane.issueToken();
    const { closed } = await openCall(kit, revoked, "stream");
    const waiting = await openCall(kit, revoked, "wait");
    await until(() => backend.open() === 2);
    const revokedAt = performance.now();
    kit.controlPlane.revoke(revoked, false);
    await closed;
    expect(performance.now() - revokedAt).toBeLessThan(hardMs + slackMs);
    waiting.socket.end();
    expect(await waiting.closed).toMatch(/^HTTP\/1\.1 401 /);
    await until(() => backend.open() === 0);
  });

  it(`ends them too if a change of its project reports it, ${name}`, async () => {
    const backend = await create();
    const kit = await start(backend);
    const [gone, changed] = [kit.controlPlane.issueToken(), kit.controlPlane.issueToken()];
    const { closed } = await openCall(kit, gone, "stream");
    const kept = await openCall(kit, changed, "stream");
    kit.controlPlane.changeProject(changed);
    kit.controlPlane.deleteProject(gone);
    await closed;
    await until(() => backend.open() === 1);
    expect(kept.socket.destroyed).toBe(false);
  });
});

describe("a service in the router's process", () => {
  async function startEnding() {
    const ends: Promise<GatewayError>[] = [];
    const handler: ServiceHandler = async (req, res) => {
      act(req, res);
      ends.push(once(res, "close").then(() => replyEndOf(res)));
      await once(res, "close");
    };
    const kit = await start({ handler, open: () => ends.length }, { DRAIN_TIMEOUT_MS: "1000" });
    return { kit, ends };
  }

  it("learns with which error a revocation has ended a stream and a waiting call", async () => {
    const { kit, ends } = await startEnding();
    const revoked = kit.controlPlane.issueToken();
    await openCall(kit, revoked, "stream");
    await openCall(kit, revoked, "wait");
    await until(() => ends.length === 2);
    kit.controlPlane.revoke(revoked);
    expect(await Promise.all(ends)).toMatchObject([{ code: "invalid_token" }, { code: "invalid_token" }]);
  });

  it("learns with which error the stop of the router has ended them", async () => {
    const { kit, ends } = await startEnding();
    const caller = kit.controlPlane.issueToken();
    await openCall(kit, caller, "stream");
    await openCall(kit, caller, "wait");
    await until(() => ends.length === 2);
    await kit.router.stop();
    expect(await Promise.all(ends)).toMatchObject([{ code: "unavailable" }, { code: "unavailable" }]);
  });

  it("sees a client that leaves as such", async () => {
    const { kit, ends } = await startEnding();
    const { socket } = await openCall(kit, kit.controlPlane.issueToken(), "stream");
    socket.destroy();
    expect(await ends[0]).toMatchObject({ code: "cancelled" });
  });
});

it("a connection whose stream ended with its token takes further requests, as the head of the reply said", async () => {
  const kit = await start(inProcess());
  const { token, projectUuid, ...issued } = kit.controlPlane.issueToken();
  const client = await connectRaw(kit.router.port());
  stops.push(() => client.socket.destroy());
  const head = `POST /api/${projectUuid}/stream HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${token}\r\ncontent-length: 2\r\n\r\n{}`;
  client.write(head);
  await client.until(/data: 1/);
  kit.controlPlane.revoke({ token, projectUuid, ...issued });
  expect(await client.until(/\r\n0\r\n\r\n$/)).toMatch(/connection: keep-alive/i);
  client.write(head);
  expect(await client.until(/HTTP\/1\.1 401 [^]*\}$/)).toMatch(/Invalid or revoked token\.[^]*\}$/);
});

describe("an open WebSocket", () => {
  it("of a revoked token is closed on both sides, even while busy", async () => {
    const backend = await remote();
    const kit = await start(backend);
    const revoked = kit.controlPlane.issueToken({ projectType: "api_gateway", scopes: ["proxy"] });
    const { socket, closed } = await openCall(kit, revoked, "socket");
    const chatter = setInterval(() => socket.write("hello"), 5);
    stops.push(() => clearInterval(chatter));
    await until(() => backend.open() === 1);
    const revokedAt = performance.now();
    kit.controlPlane.revoke(revoked);
    await closed;
    expect(performance.now() - revokedAt).toBeLessThan(250);
    await until(() => backend.open() === 0);
  });
});

describe("a stream of a token", () => {
  it("ends once the token expires", async () => {
    const backend = inProcess();
    const kit = await start(backend);
    const expiring = kit.controlPlane.issueToken({ expiresAt: new Date(Date.now() + 2_000) });
    const { closed } = await openCall(kit, expiring, "stream");
    const openedAt = performance.now();
    await closed;
    expect(performance.now() - openedAt).toBeLessThan(2_000 + slackMs);
  });

  it("continues while the control plane is away, as long as the token would be accepted", async () => {
    const backend = inProcess();
    const kit = await start(backend, { AUTH_STALE_MAX_MS: "7000", AUTH_FRESH_MAX_MS: "500" });
    const { socket, closed } = await openCall(kit, kit.controlPlane.issueToken(), "stream");
    await kit.controlPlane.stop();
    const downAt = performance.now();
    await closed;
    expect(socket.destroyed).toBe(true);
    const took = performance.now() - downAt;
    expect(took).toBeGreaterThan(6_000);
    expect(took).toBeLessThan(7_000 + hardMs + 3 * slackMs);
  });
});
