import { once } from "node:events";
import { createServer, type IncomingMessage, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { chunk } from "@gatehouse/e2e";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AdversaryWorld, openAdversaryWorld } from "../src/world.ts";

/** Upper bound; with a push it takes 250 ms. */
const endedWithinMs = 5_000;

let world: AdversaryWorld;
beforeAll(async () => {
  world = await openAdversaryWorld();
});
afterAll(async () => await world.stop());

/** Not `once`, which would reject with the error of a closed connection. */
async function closing(stream: Readable): Promise<void> {
  stream.on("error", () => {}).resume();
  await new Promise<void>((resolve) => {
    stream.once("close", resolve);
  });
}

async function msUntil(closed: Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  const timeout = Symbol("timeout");
  const outcome = await Promise.race([closed, delay(endedWithinMs + 2_000, timeout)]);
  return outcome === timeout ? Number.POSITIVE_INFINITY : performance.now() - startedAt;
}

test("a revoked token's chat stream ends", async () => {
  world.provider.play(async (_request, res) => {
    res.writeHead(200, { "content-type": "text/event-stream" });
    while (!res.destroyed) {
      res.write(chunk({ content: "word " }));
      await delay(20);
    }
  });
  const { path, token, tokenId } = await world.endpoint({ streaming_enabled: true });
  const body = '{"message":"Hello","stream":true}';
  const headers = { authorization: `Bearer ${token}`, "content-length": body.length };
  const outgoing = request(`${world.product.url}${path}`, { method: "POST", headers }).end(body);
  outgoing.on("error", () => {});
  const [reply] = (await once(outgoing, "response")) as [IncomingMessage];
  await once(reply, "data");
  let text = "";
  reply.on("data", (bytes: Buffer) => (text += bytes.toString()));
  const closed = closing(reply);
  await world.control.call("svc_revoke_token", { token_id: tokenId });
  expect(await msUntil(closed)).toBeLessThan(endedWithinMs);
  expect(text.split("\n\n").at(-2)).toMatch(/^data: \{"error":\{"message":"Invalid or revoked token\."/);
  expect(reply.complete).toBe(true);
});

test("a revoked token's busy WebSocket ends", async () => {
  // Accepts every upgrade and echoes bytes, since the gateway reads no frames.
  const echo = createServer().on("upgrade", (_req, socket) => {
    socket.write("HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n");
    socket.on("error", () => {});
    socket.pipe(socket);
  });
  echo.listen(0, "127.0.0.1");
  await once(echo, "listening");
  const api = await world.project({ type: "api_gateway", scopes: ["proxy"] });
  const upstreamUrl = `http://127.0.0.1:${(echo.address() as AddressInfo).port}/`;
  await world.control.call("svc_create_endpoint", {
    project: api.project,
    slug: "echo",
    upstream_url: upstreamUrl,
    allowed_methods: ["GET"],
  });
  const { hostname, port, host } = new URL(world.product.url);
  const socket = connect(Number(port), hostname).on("error", () => {});
  const key = Buffer.alloc(16).toString("base64");
  socket.write(
    `GET /api/${api.project}/echo HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${api.token}\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: ${key}\r\n\r\n`,
  );
  const [head] = (await once(socket, "data")) as [Buffer];
  expect(head.toString()).toMatch(/^HTTP\/1\.1 101 /);
  const timer = setInterval(() => socket.write("x"), 20);
  const closed = closing(socket);
  await world.control.call("svc_revoke_token", { token_id: api.tokenId });
  expect(await msUntil(closed)).toBeLessThan(endedWithinMs);
  clearInterval(timer);
  socket.destroy();
  echo.closeAllConnections();
  echo.close();
});
