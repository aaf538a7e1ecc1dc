import { nowhere } from "@gatehouse/ports/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Json, type ProjectFixture, uniqueName } from "../../src/control-plane-client.ts";
import type { Exchange, Fields } from "../../src/exchange.ts";
import type { EndpointFixture } from "../../src/product-world.ts";
import { answer } from "../../src/scripted-provider.ts";
import { mcpServer, overEventStream, ScriptedUpstream } from "../../src/scripted-upstream.ts";
import { describeMcpBridge } from "./mcp-bridge-suite.ts";
import type { World } from "./world.ts";

/** The MCP route in both of its modes. */
export function describeMcp(world: () => World): void {
  let bridge: ProjectFixture;
  let tool: EndpointFixture;
  let gateway: ProjectFixture;
  let upstream: ScriptedUpstream;
  let up: { readonly id: number; readonly prefix: string };

  const echo = {
    name: "echo",
    description: "Repeats.",
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  };
  const plain = mcpServer({
    tools: [echo, { name: "make__it", inputSchema: { type: "object" } }],
    call: ({ name, arguments: args }) => ({
      result: {
        content: [{ type: "text", text: JSON.stringify({ name, args }) }],
        structuredContent: { seen: true },
        _meta: { a: 1 },
      },
    }),
  });

  beforeAll(async () => {
    const scopes = ["chat", "mcp"];
    bridge = await world().newProject({ scopes });
    gateway = await world().newProject({ type: "mcp_gateway", scopes });
    tool = await world().endpoint({ expose_as_mcp_tool: true, description: "Answers questions." }, bridge);
    await world().endpoint({ description: "Not a tool." }, bridge);
    upstream = await ScriptedUpstream.start(plain);
    up = await addUpstream(upstream.url, { prefix: "up", bearer_token: "upstream-secret" });
  });
  afterAll(async () => {
    await upstream.stop();
  });

  async function addUpstream(url: string, settings: Json = {}, project = gateway.project) {
    return await world().control.call<{ id: number; prefix: string }>("svc_create_upstream", {
      project,
      prefix: uniqueName("p"),
      url: `${url}/mcp`,
      ...settings,
    });
  }

  interface Envelope extends Fields {
    readonly result?: Fields;
    readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  }

  async function post(
    { project, token }: ProjectFixture,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<Exchange> {
    return await world().ask(`/api/${project}/mcp`, { token, body, headers });
  }

  async function rpc(project: ProjectFixture, method: string, params?: unknown): Promise<Envelope> {
    const envelope = { jsonrpc: "2.0", id: 1, method, ...(params === undefined ? {} : { params }) };
    const { status, body } = await post(project, envelope);
    expect(status).toBe(200);
    return body;
  }

  async function call(project: ProjectFixture, name: string, args?: unknown): Promise<Envelope> {
    return await rpc(project, "tools/call", { name, ...(args === undefined ? {} : { arguments: args }) });
  }

  async function toolNames(project: ProjectFixture): Promise<readonly string[]> {
    const { result } = await rpc(project, "tools/list");
    return ((result?.["tools"] ?? []) as readonly Fields[]).map(({ name }) => String(name)).toSorted(compare);
  }

  const compare = (a: string, b: string) => (a < b ? -1 : 1);

  const modes = [
    ["Bridge mode", () => bridge, "Gatehouse"],
    ["Gateway mode", () => gateway, "Gatehouse MCP Gateway"],
  ] as const;

  describe.each(modes)("MCP, JSON-RPC 2.0: %s", (_mode, project, serverName) => {
    test("initialize: protocolVersion, capabilities, serverInfo", async () => {
      const asked = (protocolVersion: string) => ({
        protocolVersion,
        capabilities: {},
        clientInfo: { name: "c", version: "1" },
      });
      for (const params of [undefined, asked("2025-06-18"), asked("2025-11-25")]) {
        expect(await rpc(project(), "initialize", params)).toEqual({
          jsonrpc: "2.0",
          id: 1,
          result: {
            protocolVersion: "2024-11-05",
            capabilities: { tools: {} },
            serverInfo: { name: serverName, version: "0.1.0" },
          },
        });
      }
    });

    test("ping gives an empty object", async () => {
      expect(await rpc(project(), "ping")).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
    });

    test("notifications/initialized, or any single notification, gives 204 with no body", async () => {
      for (const method of ["notifications/initialized", "notifications/cancelled", "ping", "tools/list", "unknown"]) {
        const reply = await post(project(), { jsonrpc: "2.0", method });
        expect([method, reply.status, reply.text]).toEqual([method, 204, ""]);
      }
    });

    test("ids are echoed with their type, null included", async () => {
      for (const id of [0, 7, -1, 1.5, "7", "", null]) {
        const { status, body } = await post(project(), { jsonrpc: "2.0", id, method: "ping" });
        expect([status, body]).toEqual([200, { jsonrpc: "2.0", id, result: {} }]);
      }
    });

    test("-32700: a body that is not JSON gives HTTP 400 with the envelope, id null", async () => {
      for (const text of ["{", "", "nonsense", '{"jsonrpc":"2.0",}', '{"jsonrpc": ']) {
        const { status, body } = await post(project(), text);
        expect(status).toBe(400);
        expect(body).toEqual({
          jsonrpc: "2.0",
          id: null,
          error: { code: -32_700, message: expect.stringMatching(/./) },
        });
      }
    });

    test("-32600: an empty batch, a non-object, a missing method, a wrong version", async () => {
      for (const body of ["[]", "7", '"ping"', "null", "true"]) {
        const reply = await post(project(), body);
        expect(reply.status).toBe(200);
        expect(reply.body).toEqual({
          jsonrpc: "2.0",
          id: null,
          error: { code: -32_600, message: expect.stringMatching(/./) },
        });
      }
      for (const envelope of [
        { jsonrpc: "2.0", id: 3 },
        { jsonrpc: "2.0", id: 3, method: 7 },
        { id: 3, method: "ping" },
        { jsonrpc: "1.0", id: 3, method: "ping" },
      ]) {
        const { status, body } = await post(project(), envelope);
        expect(status).toBe(200);
        expect(body).toMatchObject({ jsonrpc: "2.0", error: { code: -32_600, message: expect.stringMatching(/./) } });
        expect([3, null]).toContain(body["id"]);
      }
    });

    test("-32601: unknown methods, server/discover included, with HTTP 200", async () => {
      for (const method of ["server/discover", "resources/list", "prompts/list", "no/such", ""]) {
        const { error } = await rpc(project(), method);
        expect([method, error]).toEqual([method, { code: -32_601, message: expect.stringMatching(/./) }]);
      }
    });

    test("-32602: tools/call without a name, with a wrong one, with arguments that are not an object", async () => {
      for (const params of [
        undefined,
        {},
        { name: 7 },
        { name: null },
        { name: "x", arguments: [] },
        { name: "x", arguments: "y" },
      ]) {
        const { error } = await rpc(project(), "tools/call", params);
        expect([params, error?.code]).toEqual([params, -32_602]);
      }
      expect((await rpc(project(), "tools/call", {})).error?.message).toBe("Missing required argument: name");
    });

    test("unknown tool: -32602 Unknown tool: <name>", async () => {
      for (const name of ["no-such-tool", "nope__tool"]) {
        expect((await call(project(), name, { message: "x" })).error).toMatchObject({
          code: -32_602,
          message: `Unknown tool: ${name}`,
        });
      }
    });

    test("a batch: replies in request order, without the notifications", async () => {
      const reply = await post(project(), [
        { jsonrpc: "2.0", id: "a", method: "ping" },
        { jsonrpc: "2.0", method: "notifications/initialized" },
        { jsonrpc: "2.0", id: 2, method: "no/such" },
        7,
        { jsonrpc: "2.0", id: 2, method: "ping" },
        { jsonrpc: "2.0", id: null, method: "ping" },
      ]);
      expect(reply.status).toBe(200);
      expect(reply.headers).not.toHaveProperty("mcp-session-id");
      expect(reply.body).toEqual([
        { jsonrpc: "2.0", id: "a", result: {} },
        { jsonrpc: "2.0", id: 2, error: { code: -32_601, message: expect.any(String) } },
        { jsonrpc: "2.0", id: null, error: { code: -32_600, message: expect.any(String) } },
        { jsonrpc: "2.0", id: 2, result: {} },
        { jsonrpc: "2.0", id: null, result: {} },
      ]);
    });

    test("a batch of one gives an array of one; of notifications alone, 204", async () => {
      expect((await post(project(), [{ jsonrpc: "2.0", id: 1, method: "ping" }])).body).toEqual([
        { jsonrpc: "2.0", id: 1, result: {} },
      ]);
      const silent = await post(project(), [
        { jsonrpc: "2.0", method: "ping" },
        { jsonrpc: "2.0", method: "notifications/initialized" },
      ]);
      expect([silent.status, silent.text]).toEqual([204, ""]);
    });

    test("a 401 and a 403 are plain HTTP errors, for a batch and for a notification too", async () => {
      const { project: uuid } = project();
      for (const body of [[], [{ jsonrpc: "2.0", id: 1, method: "ping" }], { jsonrpc: "2.0", method: "ping" }, "{"]) {
        const reply = await world().ask(`/api/${uuid}/mcp`, { body });
        expect([reply.status, reply.body]).toEqual([
          401,
          expect.objectContaining({ ok: false, error: "Missing Bearer token." }),
        ]);
      }
    });

    test("no Mcp-Session-Id is sent, no Accept refused, headers of later revisions are tolerated", async () => {
      const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
      const others: Record<string, string>[] = [
        { accept: "text/html" },
        { accept: "application/json, text/event-stream" },
        { "mcp-protocol-version": "2025-11-25", "mcp-session-id": "abc" },
        { "mcp-protocol-version": "1999-01-01" },
        { "content-type": "text/plain" },
      ];
      for (const headers of others) {
        const reply = await post(project(), ping, headers);
        expect([headers, reply.status]).toEqual([headers, 200]);
        expect(reply.headers).not.toHaveProperty("mcp-session-id");
        expect(reply.headers["content-type"]).toMatch(/^application\/json/);
      }
      expect((await post(project(), { ...ping, method: "initialize" })).headers).not.toHaveProperty("mcp-session-id");
    });

    test("a method other than POST: 405 with Allow: POST", async () => {
      const { project: uuid, token } = project();
      for (const method of ["GET", "DELETE", "PUT"]) {
        const reply = await world().ask(`/api/${uuid}/mcp`, {
          method,
          token,
          headers: { accept: "text/event-stream" },
        });
        expect([reply.status, reply.headers.allow, reply.body["ok"]]).toEqual([405, "POST", false]);
      }
    });
  });

  describe("tools of Bridge mode", () => describeMcpBridge(world));

  describe("a batch of tools in Bridge mode", () => {
    test("a batch's calls run concurrently, replies in request order", async () => {
      world().primary.play(async (request, res) => {
        const { messages } = request.body;
        const { content } = messages.at(-1) as { content: string };
        // The first is answered once both have arrived.
        await expect.poll(() => world().primary.received.length).toBe(2);
        await answer(content)(request, res);
      });
      const { body } = await post(
        bridge,
        ["one", "two"].map((message, id) => ({
          jsonrpc: "2.0",
          id,
          method: "tools/call",
          params: { name: tool.slug, arguments: { message } },
        })),
      );
      const texts = (body as unknown as readonly Envelope[]).map(({ id, result }) => [
        id,
        (result?.["content"] as Fields[] | undefined)?.[0]?.["text"],
        result?.["isError"],
      ]);
      expect(texts).toEqual([
        [0, "one", false],
        [1, "two", false],
      ]);
    });
  });

  describe("Gateway mode", () => {
    test("tools/list: the union of every registered upstream, each name with its prefix", async () => {
      const second = await ScriptedUpstream.start(
        mcpServer({ tools: [{ name: "two", inputSchema: { type: "object" } }] }),
      );
      const { id } = await addUpstream(second.url, { prefix: "b-2" });
      const { result } = await rpc(gateway, "tools/list");
      expect(Object.keys(result ?? {})).toEqual(["tools"]);
      const tools = result?.["tools"] as readonly Fields[];
      expect(tools.map(({ name }) => String(name)).toSorted(compare)).toEqual(["b-2__two", "up__echo", "up__make__it"]);
      expect(tools.find(({ name }) => name === "up__echo")).toMatchObject({ ...echo, name: "up__echo" });
      // One unreachable upstream does not break the list; its last known tools are still listed.
      await second.stop();
      expect(await toolNames(gateway)).toEqual(["b-2__two", "up__echo", "up__make__it"]);
      expect((await call(gateway, "b-2__two", {})).error).toMatchObject({
        code: -32_603,
        message: expect.stringMatching(/./),
      });
      expect((await call(gateway, "up__echo", { text: "x" })).error).toBeUndefined();
      await world().control.call("svc_delete_upstream", { upstream_id: id });
      await expect.poll(async () => (await toolNames(gateway)).length, { timeout: 250 }).toBe(2);
    });

    test("tools/call: strips the prefix, forwards the envelope with the Bearer token, returns the result", async () => {
      await toolNames(gateway);
      upstream.play(plain);
      const { result } = await call(gateway, "up__echo", { text: "hi" });
      expect(result).toEqual({
        content: [{ type: "text", text: JSON.stringify({ name: "echo", args: { text: "hi" } }) }],
        structuredContent: { seen: true },
        _meta: { a: 1 },
        isError: false,
      });
      // A bare upstream receives exactly one request without a handshake.
      expect(upstream.received).toHaveLength(1);
      const [seen] = upstream.received;
      expect([seen?.method, seen?.path]).toEqual(["POST", "/mcp"]);
      expect(seen?.headers.authorization).toBe("Bearer upstream-secret");
      expect(seen?.body).toMatchObject({
        jsonrpc: "2.0",
        method: "tools/call",
        params: { name: "echo", arguments: { text: "hi" } },
      });
      expect(JSON.stringify(seen?.headers)).not.toContain(gateway.token);
    });

    test("tool names split at the first __", async () => {
      upstream.play(plain);
      await call(gateway, "up__make__it", {});
      expect(upstream.asked("tools/call")[0]?.body["params"]).toMatchObject({ name: "make__it" });
    });

    test("isError of the upstream stays", async () => {
      upstream.play(
        mcpServer({
          tools: [echo],
          call: () => ({ result: { content: [{ type: "text", text: "no" }], isError: true } }),
        }),
      );
      expect((await call(gateway, "up__echo", { text: "x" })).result).toEqual({
        content: [{ type: "text", text: "no" }],
        isError: true,
      });
    });

    test.each([-32_000, -32_050, -32_099])(
      "upstream error %i comes back verbatim: code, message, data",
      async (code) => {
        const error = { code, message: "Quota of the upstream.", data: { left: 0 } };
        upstream.play(mcpServer({ tools: [echo], call: () => ({ error }) }));
        expect((await call(gateway, "up__echo", { text: "x" })).error).toEqual(error);
      },
    );

    test.each<[string, Parameters<ScriptedUpstream["play"]>[0]]>([
      ["answers 500", (_request, res) => void res.writeHead(500).end("oops")],
      [
        "answers no JSON",
        (_request, res) => void res.writeHead(200, { "content-type": "application/json" }).end("<html>"),
      ],
      [
        "answers no envelope",
        (_request, res) => void res.writeHead(200, { "content-type": "application/json" }).end("{}"),
      ],
      ["breaks the connection", (_request, res) => void res.destroy()],
    ])("an upstream that %s: -32603", async (_name, script) => {
      upstream.play(script);
      expect((await call(gateway, "up__echo", { text: "x" })).error).toMatchObject({
        code: -32_603,
        message: expect.stringMatching(/./),
      });
    });

    test("an answer as an event stream works", async () => {
      upstream.play(overEventStream(plain));
      expect((await call(gateway, "up__echo", { text: "x" })).result).toMatchObject({ isError: false });
    });

    test("an upstream that asks for a handshake and a session gets them, one per access token", async () => {
      let sessions = 0;
      const strict = await ScriptedUpstream.start((request, res) => {
        if (request.body["method"] === "initialize") {
          sessions += 1;
          const result = {
            protocolVersion: "2025-06-18",
            capabilities: { tools: {} },
            serverInfo: { name: "s", version: "1" },
          };
          res.writeHead(200, { "content-type": "application/json", "mcp-session-id": `session-${sessions}` });
          res.end(JSON.stringify({ jsonrpc: "2.0", id: request.body["id"], result }));
        } else if (request.headers["mcp-session-id"] === undefined) {
          res.writeHead(400, { "content-type": "application/json" });
          res.end(
            JSON.stringify({
              jsonrpc: "2.0",
              id: null,
              error: { code: -32_000, message: "Bad Request: Mcp-Session-Id header is required" },
            }),
          );
        } else void plain(request, res);
      });
      const project = await world().newProject({ type: "mcp_gateway", scopes: ["mcp"] });
      await addUpstream(strict.url, { prefix: "strict" }, project.project);
      expect(await toolNames(project)).toContain("strict__echo");
      const other = await world().newToken(project.project, { scopes: ["mcp"] });
      expect((await call(project, "strict__echo", { text: "x" })).result).toMatchObject({ isError: false });
      expect((await call({ ...project, token: other.token }, "strict__echo", { text: "x" })).result).toMatchObject({
        isError: false,
      });
      const used = strict.asked("tools/call").flatMap(({ headers }) => headers["mcp-session-id"] ?? []);
      expect(new Set(used).size).toBe(2);
      await strict.stop();
    });

    test("nextCursor is followed and the reply is one page; a malformed tool hides no other", async () => {
      const paged = await ScriptedUpstream.start((request, res) => {
        const cursor = (request.body["params"] as Fields | undefined)?.["cursor"];
        const page =
          cursor === undefined
            ? { tools: [{ name: "first", inputSchema: { type: "object" } }, { name: 7 }, null], nextCursor: "more" }
            : { tools: [{ description: "nameless" }, { name: "second", inputSchema: { type: "object" } }] };
        res.writeHead(200, { "content-type": "application/json" });
        res.end(JSON.stringify({ jsonrpc: "2.0", id: request.body["id"], result: page }));
      });
      const project = await world().newProject({ type: "mcp_gateway", scopes: ["mcp"] });
      await addUpstream(paged.url, { prefix: "paged" }, project.project);
      const { result } = await rpc(project, "tools/list");
      expect((result?.["tools"] as Fields[] | undefined)?.map(({ name }) => name)).toEqual([
        "paged__first",
        "paged__second",
      ]);
      expect(result).not.toHaveProperty("nextCursor");
      await paged.stop();
    });

    test("an upstream that is away when it is registered does not affect the tools of others", async () => {
      const project = await world().newProject({ type: "mcp_gateway", scopes: ["mcp"] });
      upstream.play(plain);
      await addUpstream(upstream.url, { prefix: "here" }, project.project);
      await addUpstream(nowhere, { prefix: "gone" }, project.project);
      expect(await toolNames(project)).toEqual(["here__echo", "here__make__it"]);
      expect((await call(project, "gone__x", {})).error?.code).toSatisfy(
        (code: number) => code === -32_603 || code === -32_602,
      );
    });

    test("prefix: 1 to 24 of letters, digits, -, _; no __ inside, no _ at the end; unique in the project", async () => {
      for (const prefix of ["", "a".repeat(25), "a b", "a.b", "a__b", "a_", "ä"]) {
        const refused = addUpstream(upstream.url, { prefix });
        await expect(refused, prefix).rejects.toThrow(/prefix/);
      }
      await expect(addUpstream(upstream.url, { prefix: up.prefix })).rejects.toThrow(/prefix|up/);
      for (const prefix of ["A", "a".repeat(24), "_a-B_9"]) {
        const { id } = await addUpstream(upstream.url, { prefix });
        await world().control.call("svc_delete_upstream", { upstream_id: id });
      }
    });
  });
}
