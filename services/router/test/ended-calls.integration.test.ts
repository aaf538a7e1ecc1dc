import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { GatewayError } from "@gatehouse/errors";
import { isCarried, recordReplyEnd, replyEndOf, sendError, startHttpServer } from "@gatehouse/http";
import { createPrincipalSigner, type Principal, type RequestContext } from "@gatehouse/principal";
import { untraced } from "@gatehouse/telemetry";
import { createTestTrust } from "@gatehouse/trust/testing";
import { request } from "undici";
import { afterEach, describe, expect, test } from "vitest";
import { createProxiedHandler } from "../src/clients/proxied-handler.ts";
import { createRemoteHandler } from "../src/clients/remote-service.ts";
import { heldBodyBytesMax, openServicePeers } from "../src/clients/service-peers.ts";
import { type Way, ways } from "./ways.ts";

/** Calls that the router ends while a service in another process works on them. */

const trust = createTestTrust();
const principal: Principal = { kind: "admin", adminKeyId: 1, name: "a", role: "owner", projects: null };
const bounds = { headersTimeoutMs: 10_000, bodyTimeoutMs: 10_000 };
const revoked = new GatewayError("invalid_token", "Invalid or revoked token.");

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

const endedWays: readonly Way[] = [
  ...ways,
  {
    name: "of a service whose calls share no connection, with a body that is streamed",
    isCarrying: false,
    size: 2 * heldBodyBytesMax,
  },
];

/** @param begins whether the service has begun the reply when the router ends the call */
async function startPair({ isCarrying, isProxied = false }: Way, begins: boolean) {
  const calls: { readonly isCarried: boolean; readonly end: Promise<GatewayError> }[] = [];
  let arrived = Promise.withResolvers<void>();
  const back = await startHttpServer(
    (req, res) => {
      if (req.url === "/healthz") return void res.end("{}");
      calls.push({ isCarried: isCarried(req), end: once(res, "close").then(() => replyEndOf(res)) });
      req.resume();
      if (begins) res.writeHead(200).write("begun");
      else arrived.resolve();
      return undefined;
    },
    { host: "127.0.0.1", port: 0, upgrades: true, carrying: { admits: () => true } },
  );
  stops.push(async () => await back.stop(0));
  const url = `http://127.0.0.1:${back.port}`;
  const peers = openServicePeers({ service: "chat", url, connectionsMax: 16, isCarrying });
  stops.push(() => peers.close());
  const signer = createPrincipalSigner(trust.of("router"), isProxied ? "control-plane" : "chat");
  const handle = isProxied
    ? createProxiedHandler(peers, signer, bounds.headersTimeoutMs)
    : createRemoteHandler({ peers, signer, bounds });
  const span = untraced.start("test", { kind: "server" });
  const context: RequestContext = { requestId: "r1", principal, ipAddress: "192.0.2.1", span };
  const open: [IncomingMessage, ServerResponse][] = [];
  const front = await startHttpServer(
    (req, res) => {
      open.push([req, res]);
      handle(req, res, context).catch(() => {});
    },
    { host: "127.0.0.1", port: 0 },
  );
  stops.push(async () => await front.stop(0));
  return {
    /** Makes a call, lets `end` end it once it has arrived, and returns how the service has seen it. */
    async seen(size: number, end: (req: IncomingMessage, res: ServerResponse) => void) {
      arrived = Promise.withResolvers<void>();
      const { resolve } = arrived;
      const client = request(`http://127.0.0.1:${front.port}/`, { method: "POST", body: "x".repeat(size) });
      const read = async () => {
        const { body } = await client;
        resolve();
        await body.dump();
      };
      read().catch(() => {});
      await arrived.promise;
      const [last] = open.splice(0);
      if (last !== undefined) end(...last);
      const call = calls.at(-1);
      return { isCarried: call?.isCarried, code: (await call?.end)?.code };
    },
  };
}

/** As the router ends a call: with an error response if no reply has begun, else by closing the connection. */
function revoke(req: IncomingMessage, res: ServerResponse): void {
  recordReplyEnd(res, revoked);
  if (res.headersSent) req.socket.destroy();
  else sendError(res, revoked);
}

describe.each(endedWays)("a call $name", (way) => {
  test.each([
    ["has not begun", false],
    ["has begun", true],
  ])("tells its process with which error the router has ended it, where its reply %s", async (_name, begins) => {
    const { seen } = await startPair(way, begins);
    const expected = { isCarried: way.isCarrying && way.size <= heldBodyBytesMax, code: "invalid_token" };
    // The shared connection is opened beside the first call.
    await expect.poll(async () => await seen(way.size, revoke), { timeout: 10_000 }).toEqual(expected);
    for (let call = 0; call < 20; call += 1) expect(await seen(way.size, revoke)).toEqual(expected);
  });

  test("tells its process that its client has left", async () => {
    const { seen } = await startPair(way, false);
    const leave = (req: IncomingMessage) => void req.socket.destroy();
    for (let call = 0; call < 5; call += 1) expect(await seen(way.size, leave)).toMatchObject({ code: "cancelled" });
  });
});
