import { once } from "node:events";
import { connect } from "node:net";
import { answer } from "@gatehouse/e2e";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AdversaryWorld, openAdversaryWorld } from "../src/world.ts";

/** Heads of requests without a token, and of replies. */
let world: AdversaryWorld;
beforeAll(async () => {
  world = await openAdversaryWorld();
  world.provider.play(answer("ok"));
});
afterAll(async () => await world.stop());

const connections = 64;
/** Bytes that Node reads from a connection at once. */
const pieceBytes = 65_536;
/** The shortest request. */
const request = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";
/** A header of nearly the largest size, then the shortest headers, each of which costs work over the bound. */
const endlessHead = `HTTP/1.1 200 OK\r\nx: ${"y".repeat(16_380)}\r\n${"a:b\r\n".repeat(100_000)}\r\n`;

test("64 connections without credentials, each with as many requests as fit into a piece, harm no other caller", async () => {
  const port = Number(new URL(world.product.url).port);
  const piece = request.repeat(Math.floor(pieceBytes / request.length));
  await world.meter.expectHarmless(async () => {
    const sockets = Array.from({ length: connections }, () => connect(port, "127.0.0.1"));
    for (const socket of sockets) socket.on("error", () => {}).resume();
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    for (const socket of sockets) socket.write(piece);
    await Promise.all(sockets.map((socket) => once(socket, "close")));
  });
});

test("a reply with an endless head, of an API, a token endpoint or a webhook's receiver, harms no other caller", async () => {
  world.upstream.play((_asked, res) => void res.socket?.end(endlessHead));
  const { url } = world.upstream;
  const api = await world.project({ type: "api_gateway", scopes: ["proxy"] });
  const { project } = api;
  const settings = { project, slug: "x", upstream_url: url, allowed_methods: ["GET"] };
  await world.control.call("svc_create_endpoint", settings);
  const webhook = { project, name: "w", url, events: ["webhook.test"] };
  const { id } = await world.control.call("svc_create_webhook", webhook);
  const client = { client_id: "a", client_secret: "b", grant: "client_credentials" };
  await world.meter.expectHarmless(async () => {
    const reply = await world.ask(`/api/${project}/x`, { method: "GET", token: api.token });
    expect(reply.body).toMatchObject({ error: "Upstream unreachable." });
    await world.control.call("svc_test_webhook", { webhook_id: id });
    const name = crypto.randomUUID();
    await world.control.call("svc_create_oauth_connection", { project, name, token_url: url, ...client });
  });
});

test("a tenant's endpoint cannot reach the gateway's own ports", async () => {
  const { project, token } = await world.project({ type: "api_gateway", scopes: ["proxy"] });
  const { url, operationsUrl } = world.product;
  for (const [at, upstream_url] of [`${url}/healthz`, `${operationsUrl}/metrics`].entries()) {
    const settings = { project, slug: `own-${at}`, upstream_url, allowed_methods: ["GET"] };
    await world.control.call("svc_create_endpoint", settings);
    const reply = await world.ask(`/api/${project}/own-${at}`, { method: "GET", token });
    expect(reply.status).toBe(422);
    expect(reply.body).toMatchObject({ detail: "The address belongs to this gateway." });
  }
});
