import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Json } from "../src/control-plane-client.ts";
import { startStandalone } from "../src/product.ts";
import { chunk, type Script } from "../src/scripted-provider.ts";
import { createWorld, type World } from "./suite/world.ts";

let world: World;

beforeAll(async () => {
  world = await createWorld(async () => await startStandalone({ env: { DRAIN_TIMEOUT_MS: "1000" } }));
  world.primary.play(beginOnly);
});

afterAll(async () => await world.stop());

/** Begins a stream, or nothing, and never ends. */
const beginOnly: Script = ({ body }, res) => {
  if (body["stream"] === true)
    res.writeHead(200, { "content-type": "text/event-stream" }).write(chunk({ role: "assistant", content: "a" }));
};

interface OpenCall {
  readonly requestId: string;
  /** Resolves with the head of the reply. */
  readonly begun: Promise<unknown>;
  readonly reply: Promise<{ readonly status: number; readonly text: string }>;
}

function begin(path: string, token: string, body: Json): OpenCall {
  const requestId = randomUUID();
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", "x-request-id": requestId };
  const begun = fetch(world.product.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  return { requestId, begun, reply: begun.then(async (reply) => ({ status: reply.status, text: await reply.text() })) };
}

/** A whole and a streamed chat call and an MCP call of one token, all in progress at the provider. */
async function beginAll() {
  const project = await world.newProject({ scopes: ["chat", "mcp"] });
  const { path, slug } = await world.endpoint({ streaming_enabled: true, expose_as_mcp_tool: true }, project);
  const known = world.primary.received.length;
  const { token, tokenId } = project;
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: slug, arguments: { message: "x" } } };
  const whole = begin(path, token, { message: "x" });
  const streamed = begin(path, token, { message: "x", stream: true });
  const mcp = begin(`/api/${project.project}/mcp`, token, call);
  await expect.poll(() => world.primary.received.length).toBe(known + 3);
  await streamed.begun;
  return { tokenId, whole, streamed, mcp };
}

async function entryOf({ requestId }: OpenCall): Promise<Json> {
  const read = async () =>
    await world.control.call<{ entries: readonly Json[] }>("svc_query_gateway_log", { request_id: requestId });
  await vi.waitFor(async () => expect((await read()).entries).toHaveLength(1), { timeout: 20_000, interval: 50 });
  return (await read()).entries[0] ?? {};
}

test("calls that end with their token are logged with what their caller got", async () => {
  const { tokenId, whole, streamed, mcp } = await beginAll();
  await world.control.call("svc_revoke_token", { token_id: tokenId });
  expect((await whole.reply).status).toBe(401);
  expect((await mcp.reply).status).toBe(401);
  const { status, text } = await streamed.reply;
  expect([status, text]).toEqual([200, expect.stringContaining('"code":"invalid_token"')]);
  const revoked = { error: "Invalid or revoked token.", error_code: "invalid_token" };
  expect(await entryOf(whole)).toMatchObject({ route: "chat_direct", status: 401, ...revoked });
  expect(await entryOf(mcp)).toMatchObject({ route: "mcp_bridge", status: 401, ...revoked });
  expect(await entryOf(streamed)).toMatchObject({ route: "chat_direct", status: 200, ...revoked });
});

test("calls that outlast the drain are logged with what their caller got", async () => {
  const { whole, streamed, mcp } = await beginAll();
  await world.product.restart(0);
  expect((await whole.reply).status).toBe(503);
  expect((await mcp.reply).status).toBe(503);
  expect((await streamed.reply).text).toContain("The answer was interrupted and is not complete.");
  expect(await entryOf(whole)).toMatchObject({ status: 503, error_code: "unavailable" });
  expect(await entryOf(mcp)).toMatchObject({ status: 503, error_code: "unavailable" });
  expect(await entryOf(streamed)).toMatchObject({
    status: 200,
    error: "The answer was interrupted and is not complete.",
    error_code: "unavailable",
  });
});
