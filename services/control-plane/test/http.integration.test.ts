import type { Principal } from "@gatehouse/principal";
import { afterAll, beforeAll, expect, test } from "vitest";
import { operations } from "../src/admin/operations.ts";
import { send, startControlPlane, type TestControlPlane } from "./control-plane.ts";
import { createToyEndpoints } from "./toy-endpoints.ts";

let plane: TestControlPlane;

beforeAll(async () => {
  plane = await startControlPlane({ config: { bodySizeBytesMax: 2_048, serviceName: "Portal" } });
});

afterAll(async () => {
  await plane.stop();
});

const ping = '{"jsonrpc":"2.0","id":"p","method":"ping"}';

async function ask(method: string, params?: unknown): Promise<unknown> {
  const { text } = await send(plane.service, { body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }) });
  return (JSON.parse(text) as { result?: unknown; error?: unknown }).result ?? JSON.parse(text);
}

test("initialize names the product's Control Plane", async () => {
  expect(await ask("initialize")).toEqual({
    protocolVersion: "2024-11-05",
    capabilities: { tools: {} },
    serverInfo: { name: "Portal Control Plane", version: "0.1.0" },
  });
});

test("tools/list shows every operation with a description and an object schema", async () => {
  const { tools } = (await ask("tools/list")) as {
    tools: { name: string; description: string; inputSchema: object }[];
  };
  const owned = createToyEndpoints().operationNames;
  expect(tools.map(({ name }) => name)).toEqual([...operations.map(({ name }) => name), ...owned]);
  for (const tool of tools) {
    expect(Object.keys(tool)).toEqual(["name", "description", "inputSchema"]);
    expect(tool.name).toMatch(/^svc_[a-z_]+$/);
    expect(tool.description).toMatch(/\.$/);
    expect(tool.inputSchema).toMatchObject({ type: "object", properties: expect.any(Object) });
  }
  expect(tools.find(({ name }) => name === "svc_create_token")).toMatchObject({
    inputSchema: { required: ["project", "name", "scopes"] },
  });
});

test("a result is JSON text and the same object", async () => {
  const result = (await ask("tools/call", { name: "svc_list_projects" })) as Record<string, unknown>;
  expect(result).toEqual({
    content: [{ type: "text", text: JSON.stringify({ projects: [], next_cursor: null }) }],
    structuredContent: { projects: [], next_cursor: null },
    isError: false,
  });
});

test("an unknown tool is refused by name", async () => {
  expect(await ask("tools/call", { name: "svc_explode" })).toMatchObject({
    error: { code: -32602, message: "Unknown tool: svc_explode" },
  });
});

test.each([
  ["an argument", '{"name":"svc_list_projects","arguments":{"limit":1,"limit":2}}'],
  ["the operation's name", '{"name":"svc_list_projects","name":"svc_delete_project"}'],
])("a duplicate key, %s, is refused under the request's id", async (_where, params) => {
  const body = `{"jsonrpc":"2.0","id":"twice","method":"tools/call","params":${params}}`;
  const { status, text } = await send(plane.service, { body });
  expect([status, JSON.parse(text)]).toEqual([
    200,
    {
      jsonrpc: "2.0",
      id: "twice",
      error: { code: -32602, message: "Request body must not have the same key twice in one object." },
    },
  ]);
});

test("every answer carries the request's id", async () => {
  const bodies = [ping, "[]", "{", '{"jsonrpc":"2.0","method":"x"}', "x".repeat(5_000)];
  const answers = await Promise.all([
    ...bodies.map(async (body) => await send(plane.service, { body })),
    send(plane.service, { method: "GET" }),
    send(plane.service, { path: "/control/other" }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 400, 204, 413, 405, 404]);
  for (const { headers } of answers) expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
});

test.each(["GET", "DELETE", "PUT", "PATCH", "OPTIONS"])(
  "%s is not allowed, and the reply says what is",
  async (method) => {
    const { status, headers, text } = await send(plane.service, { method });
    expect(status).toBe(405);
    expect(headers.get("allow")).toBe("POST");
    expect(JSON.parse(text)).toEqual({ ok: false, error: `Method '${method}' is not allowed; use POST.` });
  },
);

test("an access token is refused with a plain HTTP error", async () => {
  const rateLimits = { perMinute: null, perHour: null };
  const project = { id: 1, uuid: "u", name: "n", projectType: "ai_gateway", rateLimits } as const;
  const token: Principal = {
    kind: "token",
    tokenId: 1,
    tokenName: "t",
    environment: "live",
    scopes: ["mcp"],
    rateLimits,
    project,
  };
  const { status, text } = await send(plane.service, { body: ping, principal: token });
  expect(status).toBe(401);
  expect(JSON.parse(text)).toMatchObject({ ok: false });
});

test("a notification has no body", async () => {
  const { status, text } = await send(plane.service, {
    body: '{"jsonrpc":"2.0","method":"notifications/initialized"}',
  });
  expect([status, text]).toEqual([204, ""]);
});

test("a query string does not hide the route", async () => {
  expect((await send(plane.service, { body: ping, path: "/control/mcp?x=1" })).text).toBe(
    '{"jsonrpc":"2.0","id":"p","result":{}}',
  );
});
