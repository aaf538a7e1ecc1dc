import { spawn } from "node:child_process";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { codeOf } from "@gatehouse/errors";
import { startHttpServer } from "@gatehouse/http";
import { peerBounds } from "@gatehouse/peers";
import { findFreePort } from "@gatehouse/ports";
import { createPrincipalSigner, type RequestContext } from "@gatehouse/principal";
import { untraced } from "@gatehouse/telemetry";
import { createTestTrust } from "@gatehouse/trust/testing";
import { request } from "undici";
import { afterAll, describe, type ExpectStatic, test } from "vitest";
import { createProxiedHandler } from "../src/clients/proxied-handler.ts";
import { forwardToService, openServicePeers, type ServicePeers } from "../src/clients/service-peers.ts";
import { type Way, ways } from "./ways.ts";

/** A process that has closed its port and holds calls: it either answers them or is frozen. */

const trust = createTestTrust();
const administrator = { kind: "admin", adminKeyId: 1, name: "a", role: "owner", projects: null } as const;
const stops: (() => unknown)[] = [];
afterAll(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

const program = fileURLToPath(new URL("draining-process.ts", import.meta.url));
/** Fewer than in the product, so that a frozen process is detected within seconds. */
const lateProbesMax = 3;
/** Longer than the detection of a frozen process takes. */
const longDrainMs = 3 * lateProbesMax * peerBounds.probeTimeoutMs;

/** A keep-alive connection must not delay it: the server's bound is a minute. */
const endedWithinMs = 10_000;

interface ProcessOptions {
  /** Port of a predecessor; otherwise one that no outgoing connection can take before its successor. */
  readonly given?: number;
  /** Shared connections that the process refuses before it accepts one. */
  readonly refusals?: number;
}

async function startProcess({ given, refusals = 0 }: ProcessOptions = {}) {
  const port = given ?? (await findFreePort());
  const args = ["--conditions=@gatehouse/source", program, String(port), String(refusals)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  stops.push(() => child.kill("SIGKILL"));
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`The process for port ${port} ended with ${String(code)}.`);
  });
  // After its start, it ends as the test wants.
  ended.catch(() => {});
  let printed = "";
  const started = Promise.withResolvers<void>();
  child.stdout.on("data", (chunk: Buffer) => {
    printed += chunk.toString();
    started.resolve();
  });
  await Promise.race([started.promise, ended]);
  return { child, port, isShared: () => printed.includes("shared connection") };
}

type Send = (req: IncomingMessage, res: ServerResponse) => Promise<unknown>;

function senderTo(peers: ServicePeers, { isProxied = false }: Way): Send {
  const boundMs = 60_000;
  const bounds = { headersTimeoutMs: boundMs, bodyTimeoutMs: boundMs };
  if (!isProxied) {
    return async (req, res) =>
      await forwardToService(req, res, { peers, options: { path: req.url ?? "/", headers: {}, ...bounds } });
  }
  const handle = createProxiedHandler(peers, createPrincipalSigner(trust.of("router"), "control-plane"), boundMs);
  const span = untraced.start("test", { kind: "server" });
  const context: RequestContext = { requestId: "r1", principal: administrator, ipAddress: "192.0.2.1", span };
  return async (req, res) => await handle(req, res, context);
}

async function startFront(port: number, way: Way) {
  const { isCarrying } = way;
  const url = `http://127.0.0.1:${port}`;
  const peers = openServicePeers({ service: "chat", url, connectionsMax: 16, isCarrying, lateProbesMax });
  stops.push(() => peers.close());
  const send = senderTo(peers, way);
  const front = await startHttpServer(
    (req, res) => {
      send(req, res).catch(() => {
        if (!res.headersSent) res.writeHead(503).end();
      });
    },
    { host: "127.0.0.1", port: 0 },
  );
  stops.push(async () => await front.stop(0));
  const post = async (path: string, body = "") => {
    const reply = await request(`http://127.0.0.1:${front.port}${path}`, { method: "POST", body });
    return { status: reply.statusCode, text: await reply.body.text() };
  };
  return { peers, post };
}

async function isRefused(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return false;
  } catch (err) {
    return codeOf(err) === "ECONNREFUSED";
  } finally {
    socket.destroy();
  }
}

/** Starts a call that its process holds while it drains. */
async function holdCall(way: Way, wish: ExpectStatic, options: ProcessOptions = {}) {
  const { child, port, isShared } = await startProcess(options);
  const { post, peers } = await startFront(port, way);
  // Opens the connection that shared calls and probes use.
  await post("/0");
  const [peer] = peers.peers;
  await wish.poll(() => peer?.state).toBe("serving");
  await post("/500");
  const held = post(`/${longDrainMs}`, "x".repeat(way.size));
  await wish.poll(() => peer?.inFlight).toBe(1);
  await post("/200");
  await wish.poll(isShared, { timeout: 10_000 }).toBe(true);
  child.kill("SIGTERM");
  await wish.poll(async () => await isRefused(port), { timeout: 5_000 }).toBe(true);
  const succeed = async () => {
    await startProcess({ given: port });
    await wish.poll(() => peer?.state, { timeout: 5_000 }).toBe("serving");
  };
  return { child, held, peer, post, succeed };
}

const whole = { status: 200, text: "whole" };

describe.each(ways)("a call $name", (way) => {
  test.concurrent("is answered by a draining process, which then ends", async ({ expect: wish }) => {
    const { held, child } = await holdCall(way, wish);
    const ended = once(child, "exit");
    wish(await held).toEqual(whole);
    const answeredAtMs = performance.now();
    await ended;
    wish(performance.now() - answeredAtMs).toBeLessThan(endedWithinMs);
  }, 60_000);

  test.concurrent("is refused after its process froze while draining", async ({ expect: wish }) => {
    const { child, held, peer } = await holdCall(way, wish);
    child.kill("SIGSTOP");
    wish((await held).status).toBe(503);
    wish(peer?.inFlight).toBe(0);
  }, 60_000);

  test.concurrent("is refused also where the first shared connection to its process had failed", async (at) => {
    const { expect: wish } = at;
    const { child, held } = await holdCall(way, wish, { refusals: 1 });
    child.kill("SIGSTOP");
    wish((await held).status).toBe(503);
  }, 60_000);

  test.concurrent("is answered by a draining process beside its successor", async ({ expect: wish }) => {
    const { held, child, post, succeed } = await holdCall(way, wish);
    const ended = once(child, "exit");
    await succeed();
    wish(await post("/0")).toEqual(whole);
    wish(await held).toEqual(whole);
    const answeredAtMs = performance.now();
    await ended;
    wish(performance.now() - answeredAtMs).toBeLessThan(endedWithinMs);
  }, 60_000);

  test.concurrent("is refused after its process froze beside its successor, whose calls continue", async (at) => {
    const { expect: wish } = at;
    const { child, held, peer, post, succeed } = await holdCall(way, wish);
    child.kill("SIGSTOP");
    await succeed();
    wish(await post("/0")).toEqual(whole);
    const kept = post(`/${longDrainMs}`, "x".repeat(way.size));
    wish((await held).status).toBe(503);
    await wish.poll(() => peer?.inFlight).toBe(1);
    wish([peer?.isResting, peer?.state]).toEqual([false, "serving"]);
    wish(await post("/0")).toEqual(whole);
    wish(await kept).toEqual(whole);
  }, 60_000);
});
