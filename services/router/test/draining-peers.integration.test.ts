import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { codeOf } from "@gatehouse/errors";
import { startHttpServer } from "@gatehouse/http";
import { peerBounds } from "@gatehouse/peers";
import { request } from "undici";
import { afterAll, describe, expect, test } from "vitest";
import { forwardToService, heldBodyBytesMax, openServicePeers } from "../src/clients/service-peers.ts";

/** A process that has closed its port and holds calls: it answers them, or it is frozen. */

const stops: (() => unknown)[] = [];
afterAll(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

const program = fileURLToPath(new URL("draining-process.ts", import.meta.url));
/** Fewer than in the product, so that a frozen process is found within seconds. */
const lateProbesMax = 3;
/** Longer than a frozen process keeps its calls with so few. */
const longDrainMs = 3 * lateProbesMax * peerBounds.probeTimeoutMs;

/** Nothing that its callers keep holds it up: they look after quiet connections every second. */
const endedWithinMs = 800;

async function startProcess() {
  const child = spawn(process.execPath, ["--conditions=@gatehouse/source", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  stops.push(() => child.kill("SIGKILL"));
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return { child, port: Number(line.toString()) };
}

async function startFront(port: number, isCarrying: boolean) {
  const url = `http://127.0.0.1:${port}`;
  const peers = openServicePeers({ service: "draining", url, connectionsMax: 16, isCarrying, lateProbesMax });
  stops.push(() => peers.close());
  const front = await startHttpServer(
    (req, res) => {
      const bounds = { headersTimeoutMs: 60_000, bodyTimeoutMs: 60_000 };
      forwardToService(req, res, { peers, options: { path: req.url ?? "/", headers: {}, ...bounds } }).catch(() => {
        if (!res.headersSent) res.writeHead(503).end();
      });
    },
    { host: "127.0.0.1", port: 0 },
  );
  stops.push(async () => await front.stop(0));
  const post = async (path: string, body: string) => {
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

/** A call that its process holds while it drains, its port closed. */
async function holdCall({ isCarrying, size }: { readonly isCarrying: boolean; readonly size: number }) {
  const { child, port } = await startProcess();
  const { post, peers } = await startFront(port, isCarrying);
  // The first opens the connection on which others are carried, and the process asked.
  await post("/0", "");
  await expect.poll(() => peers.peers[0]?.state).toBe("serving");
  await post("/500", "");
  const held = post(`/${longDrainMs}`, "x".repeat(size));
  await expect.poll(() => peers.peers[0]?.inFlight).toBe(1);
  await post("/200", "");
  child.kill("SIGTERM");
  await expect.poll(async () => await isRefused(port), { timeout: 5_000 }).toBe(true);
  return { child, held, peers };
}

describe.each([
  { name: "on the connection that calls share", isCarrying: true, size: 10 },
  { name: "on a connection for itself, beside one that calls share", isCarrying: true, size: 2 * heldBodyBytesMax },
  { name: "of a service whose calls share none", isCarrying: false, size: 10 },
])("a call $name", (way) => {
  test.concurrent("is answered by a process that drains, which ends then", async ({ expect: wish }) => {
    const { held, child } = await holdCall(way);
    const ended = once(child, "exit");
    wish(await held).toEqual({ status: 200, text: "whole" });
    const answeredAtMs = performance.now();
    await ended;
    wish(performance.now() - answeredAtMs).toBeLessThan(endedWithinMs);
  }, 60_000);

  test.concurrent("is given back by one that is frozen in its drain", async ({ expect: wish }) => {
    const { child, held, peers } = await holdCall(way);
    child.kill("SIGSTOP");
    wish((await held).status).toBe(503);
    wish(peers.peers[0]?.inFlight).toBe(0);
  }, 60_000);
});
