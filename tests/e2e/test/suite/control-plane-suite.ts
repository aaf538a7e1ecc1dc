import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Json, type OperationError, uniqueName } from "../../src/control-plane-client.ts";
import type { Fields } from "../../src/exchange.ts";
import { processNames } from "../../src/product.ts";
import { answer } from "../../src/scripted-provider.ts";
import { mcpServer, ScriptedUpstream } from "../../src/scripted-upstream.ts";
import type { World } from "./world.ts";

/** The operations of the Control Plane, as an MCP client meets them. */
export function describeControlPlane(world: () => World): void {
  let project: string;
  let tools: ReadonlyMap<string, Fields>;
  let upstream: ScriptedUpstream;

  beforeAll(async () => {
    ({ project } = await world().newProject());
    const { result } = await world().control.request("tools/list");
    tools = new Map((result as { tools: Fields[] }).tools.map((tool) => [String(tool["name"]), tool]));
    upstream = await ScriptedUpstream.start(mcpServer({ tools: [{ name: "t", inputSchema: { type: "object" } }] }));
  });
  afterAll(async () => {
    await upstream.stop();
  });

  async function run<T = Fields>(name: string, args: Json = {}): Promise<T> {
    return await world().control.call<T>(name, args);
  }

  async function refusal(name: string, args: Json = {}): Promise<OperationError> {
    const { error, result } = await world().control.request("tools/call", { name, arguments: args });
    if (error === undefined) throw new Error(`${name} was not refused: ${JSON.stringify(result)}`);
    return error;
  }

  async function expectRefusal(name: string, args: Json, message: string | RegExp): Promise<void> {
    const error = await refusal(name, args);
    expect([name, args, error.code]).toEqual([name, args, -32_602]);
    if (typeof message === "string") expect(error.message).toBe(message);
    else expect(error.message).toMatch(message);
  }

  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
  const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
  const aUuid = expect.stringMatching(uuid) as string;
  const anInstant = expect.stringMatching(instant) as string;
  const anId = expect.any(Number) as number;

  /** Required arguments of each operation. */
  const operations: Readonly<Record<string, readonly string[]>> = {
    svc_create_project: ["name", "project_type"],
    svc_list_projects: [],
    svc_get_project: ["project"],
    svc_update_project: ["project"],
    svc_delete_project: ["project"],
    svc_create_token: ["project", "name", "scopes"],
    svc_list_tokens: ["project"],
    svc_get_token: ["token_id"],
    svc_rotate_token: ["token_id"],
    svc_revoke_token: ["token_id"],
    svc_update_token: ["token_id"],
    svc_delete_token: ["token_id"],
    svc_create_provider: ["name", "kind"],
    svc_list_providers: [],
    svc_update_provider: ["provider"],
    svc_set_provider_enabled: ["provider", "enabled"],
    svc_delete_provider: ["provider"],
    svc_create_credential: ["provider", "name", "api_key"],
    svc_list_credentials: [],
    svc_update_credential: ["credential_id"],
    svc_set_credential_active: ["credential_id", "is_active"],
    svc_delete_credential: ["credential_id"],
    svc_create_endpoint: ["project", "slug"],
    svc_list_endpoints: ["project"],
    svc_get_endpoint: ["endpoint"],
    svc_update_endpoint: ["endpoint"],
    svc_set_endpoint_active: ["endpoint", "is_active"],
    svc_delete_endpoint: ["endpoint"],
    svc_set_guardrails: [],
    svc_get_guardrails: [],
    svc_test_guardrails: [],
    svc_create_upstream: ["project", "prefix", "url"],
    svc_list_upstreams: ["project"],
    svc_list_upstream_tools: ["upstream_id"],
    svc_update_upstream: ["upstream_id"],
    svc_refresh_upstream: ["upstream_id"],
    svc_delete_upstream: ["upstream_id"],
    svc_create_webhook: ["project", "name", "url", "events"],
    svc_list_webhooks: ["project"],
    svc_update_webhook: ["webhook_id"],
    svc_set_webhook_active: ["webhook_id", "is_active"],
    svc_rotate_webhook_secret: ["webhook_id"],
    svc_delete_webhook: ["webhook_id"],
    svc_test_webhook: ["webhook_id"],
    svc_list_deliveries: ["webhook_id"],
    svc_redeliver: ["delivery_id"],
    svc_create_oauth_connection: ["project", "name", "token_url", "client_id", "client_secret", "grant"],
    svc_list_oauth_connections: ["project"],
    svc_update_oauth_connection: ["connection_id"],
    svc_delete_oauth_connection: ["connection_id"],
    svc_query_gateway_log: [],
    svc_query_audit_log: [],
    svc_query_metrics: ["since", "until", "bucket"],
    svc_get_usage: [],
    svc_export_backup: [],
    svc_apply_config: ["document"],
  };

  describe("Control Plane: POST /control/mcp, MCP as above", () => {
    test("initialize, ping, notifications, batches, and errors of the envelope", async () => {
      const post = async (body: unknown) =>
        await world().ask("/control/mcp", { token: world().product.adminKey, body });
      expect((await post({ jsonrpc: "2.0", id: 1, method: "initialize" })).body["result"]).toEqual({
        protocolVersion: "2024-11-05",
        capabilities: { tools: {} },
        serverInfo: { name: expect.stringMatching(/^Gatehouse/), version: "0.1.0" },
      });
      expect((await post({ jsonrpc: "2.0", method: "notifications/initialized" })).status).toBe(204);
      const batch = await post([
        { jsonrpc: "2.0", id: 1, method: "ping" },
        { jsonrpc: "2.0", method: "ping" },
      ]);
      expect(batch.body).toEqual([{ jsonrpc: "2.0", id: 1, result: {} }]);
      const broken = await post("{");
      expect([broken.status, broken.body]).toMatchObject([400, { id: null, error: { code: -32_700 } }]);
      expect((await post([])).body).toMatchObject({ id: null, error: { code: -32_600 } });
      expect((await post({ jsonrpc: "2.0", id: 1, method: "x" })).body).toMatchObject({ error: { code: -32_601 } });
      const get = await world().ask("/control/mcp", { method: "GET", token: world().product.adminKey });
      expect([get.status, get.headers.allow]).toEqual([405, "POST"]);
    });

    test("a result is content[0].text, JSON text, and the same object as structuredContent", async () => {
      const { result } = await world().control.request("tools/call", {
        name: "svc_get_project",
        arguments: { project },
      });
      const { content, structuredContent, isError } = result as {
        content: Fields[];
        structuredContent: unknown;
        isError: unknown;
      };
      expect(content).toHaveLength(1);
      expect(content[0]?.["type"]).toBe("text");
      expect(JSON.parse(String(content[0]?.["text"]))).toEqual(structuredContent);
      expect(isError).toBe(false);
    });

    test("Unknown tool: <name>", async () => {
      await expectRefusal("svc_no_such", {}, "Unknown tool: svc_no_such");
    });

    test("svc_get_system: every service, the router first, says its version, runtime, host and start", async () => {
      const { services } = await run<{ services: Fields[] }>("svc_get_system");
      expect(new Set(services.map(({ name }) => name))).toEqual(new Set(processNames));
      expect(services[0]).toMatchObject({ name: "router", state: "ready" });
      const [version, runtime] = ["0.1.0", `Node ${process.versions.node}`];
      const said = { version, runtime, host: hostname(), started_at: anInstant };
      for (const service of services) expect(service).toMatchObject(said);
    });
  });

  describe("Control Plane: tools/list gives every tool with a full JSON schema and a description", () => {
    test.each(Object.entries(operations))("%s", async (name, required) => {
      const tool = tools.get(name);
      expect(tool).toMatchObject({
        name,
        description: expect.stringMatching(/\w{3}/),
        inputSchema: { type: "object" },
      });
      const schema = tool?.["inputSchema"] as { properties: Record<string, Fields>; required?: string[] };
      expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining([...required]));
      expect(schema.required ?? []).toEqual(expect.arrayContaining([...required]));
      for (const [argument, property] of Object.entries(schema.properties))
        expect([argument, Object.keys(property).length > 0]).toEqual([argument, true]);
      if (required[0] !== undefined)
        await expectRefusal(name, {}, `Missing required argument: ${schema.required?.[0]}`);
    });
  });

  describe("Control Plane messages", () => {
    const withProject = Object.entries(operations).filter(([, required]) => required[0] === "project");

    const usable: Json = {
      name: "n",
      scopes: ["chat"],
      slug: "s",
      prefix: "p",
      url: "https://example.com/",
      events: ["token.created"],
      token_url: "https://example.com/t",
      client_id: "c",
      client_secret: "s",
      grant: "client_credentials",
    };

    test.each(withProject)("Project not found: <uuid> (%s)", async (name, required) => {
      for (const unknown of [randomUUID(), "not-a-uuid"]) {
        const args = Object.fromEntries(required.map((argument) => [argument, usable[argument]]));
        await expectRefusal(name, { ...args, project: unknown }, `Project not found: ${unknown}`);
      }
    });

    test.each([
      "svc_set_guardrails",
      "svc_get_guardrails",
      "svc_get_usage",
      "svc_query_gateway_log",
      "svc_query_audit_log",
    ])("Project not found: <uuid> (%s, where the project is optional)", async (name) => {
      const unknown = randomUUID();
      await expectRefusal(name, { project: unknown }, `Project not found: ${unknown}`);
    });

    test.each([
      "svc_get_endpoint",
      "svc_update_endpoint",
      "svc_set_endpoint_active",
      "svc_delete_endpoint",
      "svc_get_guardrails",
    ])("Endpoint not found: <uuid> (%s)", async (name) => {
      for (const unknown of [randomUUID(), "not-a-uuid"])
        await expectRefusal(
          name,
          { endpoint: unknown, ...(name.includes("active") && { is_active: true }) },
          `Endpoint not found: ${unknown}`,
        );
    });

    test.each(["svc_rotate_token", "svc_revoke_token", "svc_delete_token"])(
      "Token not found: <id> (%s)",
      async (name) => {
        await expectRefusal(name, { token_id: 987_654 }, "Token not found: 987654");
      },
    );

    test("Invalid project_type: <value>", async () => {
      await expectRefusal(
        "svc_create_project",
        { name: "n", project_type: "chatbot" },
        "Invalid project_type: chatbot",
      );
    });

    test("Unknown scope(s): <scopes>", async () => {
      await expectRefusal("svc_create_token", { project, name: "n", scopes: ["chat", "fly"] }, "Unknown scope(s): fly");
      await expectRefusal(
        "svc_create_token",
        { project, name: "n", scopes: ["fly", "mcp", "swim"] },
        "Unknown scope(s): fly, swim",
      );
    });

    test("<field> must be boolean", async () => {
      const { uuid: endpoint } = await world().ownEndpoint();
      await expectRefusal("svc_set_endpoint_active", { endpoint, is_active: "yes" }, "is_active must be boolean");
      await expectRefusal("svc_set_endpoint_active", { endpoint, is_active: 1 }, "is_active must be boolean");
      await expectRefusal(
        "svc_update_endpoint",
        { endpoint, streaming_enabled: "true" },
        "streaming_enabled must be boolean",
      );
      await expectRefusal("svc_set_provider_enabled", { provider: world().primaryName, enabled: null }, /enabled/);
      await expectRefusal(
        "svc_set_provider_enabled",
        { provider: world().primaryName, enabled: "no" },
        "enabled must be boolean",
      );
    });

    test.each<[string, Json, RegExp]>([
      ["svc_create_project", { name: 7, project_type: "ai_gateway" }, /name/],
      ["svc_create_project", { name: "", project_type: "ai_gateway" }, /name/],
      [
        "svc_create_project",
        { name: "n", project_type: "ai_gateway", rate_limit_per_minute: -1 },
        /rate_limit_per_minute/,
      ],
      [
        "svc_create_project",
        { name: "n", project_type: "ai_gateway", rate_limit_per_hour: 1.5 },
        /rate_limit_per_hour/,
      ],
      ["svc_rotate_token", { token_id: "7" }, /token_id/],
      ["svc_create_provider", { name: "p", kind: "skynet" }, /kind|skynet/],
      ["svc_create_credential", { provider: "no-such-provider", name: "n", api_key: "k" }, /no-such-provider/],
      ["svc_set_provider_enabled", { provider: "no-such-provider", enabled: true }, /no-such-provider/],
      ["svc_set_credential_active", { credential_id: 987_654, is_active: true }, /987654/],
      ["svc_get_usage", { month: "January" }, /month/],
      ["svc_query_audit_log", { since: "yesterday" }, /since/],
      ["svc_list_projects", { limit: 0 }, /limit/],
      ["svc_list_projects", { limit: "many" }, /limit/],
      ["svc_list_projects", { cursor: "not-a-cursor" }, /cursor/],
    ])("a wrong argument is named: %s %o", async (name, args, message) => {
      await expectRefusal(name, args, message);
    });

    test("a refused creation leaves no object", async () => {
      const slug = uniqueName("half");
      const targets = [{ provider: "no-such-provider", model: "m" }];
      await expectRefusal("svc_create_endpoint", { project, slug, targets }, /no-such-provider/);
      const { endpoints } = await run<{ endpoints: Fields[] }>("svc_list_endpoints", { project });
      expect(endpoints.map((item) => item["slug"])).not.toContain(slug);
    });
  });

  describe("Control Plane: projects", () => {
    test("create, get, list, update, delete, and the shape of a project", async () => {
      const name = uniqueName("shape");
      const made = await run("svc_create_project", { name, project_type: "ai_gateway" });
      expect(made).toMatchObject({
        id: anId,
        uuid: aUuid,
        name,
        project_type: "ai_gateway",
        rate_limit_per_minute: 600,
        rate_limit_per_hour: 20_000,
        created_at: anInstant,
      });
      expect(Number.isInteger(made["id"])).toBe(true);
      expect(await run("svc_get_project", { project: made["uuid"] })).toMatchObject(made);
      const updated = await run("svc_update_project", {
        project: made["uuid"],
        name: `${name}-2`,
        rate_limit_per_minute: null,
      });
      expect(updated).toMatchObject({
        uuid: made["uuid"],
        name: `${name}-2`,
        rate_limit_per_minute: null,
        rate_limit_per_hour: 20_000,
      });
      const { projects } = await run<{ projects: Fields[] }>("svc_list_projects", { limit: 200 });
      expect(projects.find((item) => item["uuid"] === made["uuid"])).toMatchObject({ name: `${name}-2` });
      await run("svc_delete_project", { project: made["uuid"] });
      await expectRefusal("svc_get_project", { project: made["uuid"] }, `Project not found: ${String(made["uuid"])}`);
    });

    test("limits given at creation are stored", async () => {
      const limits = { rate_limit_per_minute: 5, rate_limit_per_hour: null };
      expect(await run("svc_create_project", { name: "n", project_type: "mcp_gateway", ...limits })).toMatchObject(
        limits,
      );
    });

    test("a deleted project takes its tokens and endpoints with it", async () => {
      const { project: gone, path, token, uuid: endpoint } = await world().ownEndpoint();
      await run("svc_delete_project", { project: gone });
      await expect
        .poll(async () => (await world().ask(path, { token, body: { message: "x" } })).status, { timeout: 250 })
        .toBe(401);
      await expectRefusal("svc_get_endpoint", { endpoint }, `Endpoint not found: ${endpoint}`);
    });
  });

  describe("Control Plane: tokens", () => {
    test("the shape of a token; its plaintext once, and it mints a new row every call", async () => {
      const args = { project, name: "app", scopes: ["chat", "models"] };
      const first = await run("svc_create_token", args);
      expect(first).toMatchObject({
        id: anId,
        name: "app",
        scopes: ["chat", "models"],
        is_active: true,
        environment: "live",
        project,
        created_at: anInstant,
        last_used_at: null,
        expires_at: null,
        token: expect.stringMatching(/^svc_live_/),
      });
      const second = await run("svc_create_token", args);
      expect(second["id"]).not.toBe(first["id"]);
      expect(second["token"]).not.toBe(first["token"]);
      const { tokens } = await run<{ tokens: Fields[] }>("svc_list_tokens", { project, limit: 200 });
      const listed = tokens.filter(({ id }) => id === first["id"] || id === second["id"]);
      expect(listed).toHaveLength(2);
      for (const item of listed) expect(item).not.toHaveProperty("token");
      expect(JSON.stringify(tokens)).not.toContain(String(first["token"]));
      expect(await run("svc_get_token", { token_id: first["id"] })).toEqual(listed[0]);
    });

    test("environment test gives svc_test_; expires_at and limits are kept", async () => {
      const expires_at = new Date(Date.now() + 86_400_000).toISOString();
      const made = await run("svc_create_token", {
        project,
        name: "t",
        scopes: [],
        environment: "test",
        expires_at,
        rate_limit_per_minute: 3,
        rate_limit_per_hour: 4,
      });
      expect(made).toMatchObject({
        environment: "test",
        token: expect.stringMatching(/^svc_test_/),
        scopes: [],
        rate_limit_per_minute: 3,
        rate_limit_per_hour: 4,
      });
      expect(new Date(String(made["expires_at"])).toISOString()).toBe(expires_at);
      await expectRefusal(
        "svc_create_token",
        { project, name: "t", scopes: [], environment: "staging" },
        /environment/,
      );
      await expectRefusal("svc_create_token", { project, name: "t", scopes: [], expires_at: "soon" }, /expires_at/);
      await expectRefusal("svc_create_token", { project, name: "t", scopes: "chat" }, /scopes/);
    });

    test("rotation gives a new plaintext with each call; revocation is idempotent; deletion removes", async () => {
      const made = await world().newToken(project);
      const [one, two] = [
        await run("svc_rotate_token", { token_id: made.id }),
        await run("svc_rotate_token", { token_id: made.id }),
      ];
      expect(one).toMatchObject({ token: expect.stringMatching(/^svc_live_/) });
      expect(new Set([made.token, one["token"], two["token"]]).size).toBe(3);
      await run("svc_revoke_token", { token_id: made.id });
      await run("svc_revoke_token", { token_id: made.id });
      const listed = async () => {
        const { tokens } = await run<{ tokens: Fields[] }>("svc_list_tokens", { project, limit: 200 });
        return tokens.find(({ id }) => id === made.id);
      };
      expect(await listed()).toMatchObject({ is_active: false });
      await run("svc_delete_token", { token_id: made.id });
      expect(await listed()).toBeUndefined();
      await expectRefusal("svc_delete_token", { token_id: made.id }, `Token not found: ${made.id}`);
    });

    test("last_used_at is set by use", async () => {
      const fixture = await world().ownEndpoint();
      world().primary.play(answer("ok"));
      await world().ask(fixture.path, { token: fixture.token, body: { message: "x" } });
      await expect
        .poll(
          async () =>
            (await run<{ tokens: Fields[] }>("svc_list_tokens", { project: fixture.project })).tokens[0]?.[
              "last_used_at"
            ],
          { timeout: 10_000 },
        )
        .toMatch(instant);
    });
  });

  describe("Control Plane: providers and credentials", () => {
    test.each(["openai", "anthropic", "google", "azure-openai", "bedrock", "mistral", "openai-compatible", "mock"])(
      "kind %s",
      async (kind) => {
        const name = uniqueName("kind");
        const made = await run("svc_create_provider", { name, kind, base_url: "https://models.example.com/v1" });
        expect(made).toMatchObject({ name, kind });
        const { providers } = await run<{ providers: Fields[] }>("svc_list_providers", { limit: 200 });
        expect(providers.find((item) => item["name"] === name)).toMatchObject({ name, kind });
      },
    );

    test("the mock kind answers by itself; a name may have spaces", async () => {
      const provider = uniqueName("Mock provider no.");
      await run("svc_create_provider", { name: provider, kind: "mock" });
      const { path, token } = await world().ownEndpoint({ targets: [{ provider, model: "m" }] });
      const reply = await world().ask(path, { token, body: { message: "Hello" } });
      expect([reply.status, reply.body]).toMatchObject([
        200,
        { ok: true, content: expect.stringMatching(/./), finish_reason: "stop" },
      ]);
    });

    test("enabled and disabled; a name is taken once", async () => {
      const name = await world().anotherProvider(world().primary);
      const disabled = await run("svc_set_provider_enabled", { provider: name, enabled: false });
      expect(Object.values(disabled)).toContain(false);
      await run("svc_set_provider_enabled", { provider: name, enabled: false });
      await expectRefusal("svc_create_provider", { name, kind: "mock" }, new RegExp(name));
    });

    test("a credential is shown without its key", async () => {
      const provider = await world().anotherProvider(world().primary);
      const made = await run("svc_create_credential", { provider, name: "main", api_key: "sk-very-secret-key" });
      expect(made).toMatchObject({ id: anId, provider, name: "main", is_active: true });
      const listed = await run<{ credentials: Fields[] }>("svc_list_credentials", { provider });
      expect(listed.credentials).toMatchObject([{ id: made["id"], name: "main", is_active: true }]);
      expect(JSON.stringify([made, listed])).not.toContain("very-secret");
      const credential = { credential_id: made["id"] };
      expect(await run("svc_set_credential_active", { ...credential, is_active: false })).toMatchObject({
        is_active: false,
      });
      await run("svc_delete_credential", credential);
      expect((await run<{ credentials: Fields[] }>("svc_list_credentials", { provider })).credentials).toEqual([]);
    });
  });

  describe("Control Plane: endpoints", () => {
    const settings = {
      description: "d",
      system_prompt: "p",
      parameters: { temperature: 0.5 },
      streaming_enabled: true,
      expose_as_mcp_tool: true,
      max_request_tokens: 100,
      monthly_budget_usd: 12.345678,
      input_schema: { type: "object" },
      output_schema: { type: "object", required: ["a"] },
      timeout_ms: 5_000,
      first_token_timeout_ms: 2_000,
      idle_timeout_ms: 1_000,
      mid_stream: "continue",
    };

    test.each(["ai_gateway", "ai_wrapper"])(
      "shape for %s: uuid, slug, project, is_active and the arguments of its type",
      async (type) => {
        const fixture = await world().newProject({ type });
        const targets = [
          {
            provider: world().primaryName,
            model: "m",
            input_price_per_million: 0.15,
            output_price_per_million: 0.6,
            retries: 1,
          },
        ];
        const made = await run("svc_create_endpoint", { project: fixture.project, slug: "a-1", targets, ...settings });
        const shape = { uuid: aUuid, slug: "a-1", project: fixture.project, is_active: true, targets, ...settings };
        expect(made).toMatchObject(shape);
        const endpoint = made["uuid"];
        expect(await run("svc_get_endpoint", { endpoint })).toMatchObject(shape);
        expect(
          (await run<{ endpoints: Fields[] }>("svc_list_endpoints", { project: fixture.project })).endpoints,
        ).toMatchObject([shape]);
        expect(
          await run("svc_update_endpoint", { endpoint, description: "e", monthly_budget_usd: null }),
        ).toMatchObject({
          ...shape,
          description: "e",
          monthly_budget_usd: null,
        });
        for (const is_active of [false, false, true, true])
          expect(await run("svc_set_endpoint_active", { endpoint, is_active })).toMatchObject({ is_active });
        await run("svc_delete_endpoint", { endpoint });
        await expectRefusal("svc_get_endpoint", { endpoint }, `Endpoint not found: ${String(endpoint)}`);
      },
    );

    test("shape for api_gateway", async () => {
      const fixture = await world().newProject({ type: "api_gateway", scopes: ["proxy"] });
      const args = { upstream_url: `${upstream.url}/base`, allowed_methods: ["GET", "POST"], timeout_ms: 5_000 };
      const made = await run("svc_create_endpoint", { project: fixture.project, slug: "api", ...args });
      expect(made).toMatchObject({ uuid: aUuid, slug: "api", project: fixture.project, is_active: true, ...args });
      expect(
        (await run<{ endpoints: Fields[] }>("svc_list_endpoints", { project: fixture.project })).endpoints,
      ).toMatchObject([{ slug: "api", ...args }]);
    });

    test("slugs: [a-z0-9][a-z0-9-]{0,62}, and none of the reserved", async () => {
      const targets = [{ provider: world().primaryName, model: "m" }];
      for (const slug of ["chat", "mcp", "v1", "", "-a", "A", "a_b", "a b", "a/b", "ä", "a".repeat(64)])
        await expectRefusal("svc_create_endpoint", { project, slug, targets }, /slug/i);
      for (const slug of ["0", "a-", "chats", `x${"a".repeat(62)}`])
        expect(await run("svc_create_endpoint", { project, slug, targets })).toMatchObject({ slug });
      await expectRefusal("svc_create_endpoint", { project, slug: "chats", targets }, /chats/);
    });

    test.each<[string, Json, RegExp]>([
      ["no targets", {}, /targets/],
      ["targets empty", { targets: [] }, /targets/],
      ["a target without a model", { targets: [{ provider: "p" }] }, /model/],
      ["a negative budget", { monthly_budget_usd: -1 }, /monthly_budget_usd/],
      ["a budget that is no number", { monthly_budget_usd: "10" }, /monthly_budget_usd/],
      ["a token cap that is no integer", { max_request_tokens: 1.5 }, /max_request_tokens/],
      ["an input schema that is no schema", { input_schema: { type: "nonsense" } }, /input_schema/],
      ["an output schema that is no object", { output_schema: "x" }, /output_schema/],
    ])("a wrong argument is named: %s", async (_name, args, message) => {
      const targets =
        args["targets"] ?? (message.source === "targets" ? undefined : [{ provider: world().primaryName, model: "m" }]);
      await expectRefusal(
        "svc_create_endpoint",
        { project, slug: uniqueName("bad"), ...args, ...(targets !== undefined && { targets }) },
        message,
      );
    });
  });

  describe("Control Plane: guardrails", () => {
    test("set, get, test", async () => {
      const { uuid: endpoint } = await world().ownEndpoint();
      const policy = {
        keywords: ["falcon"],
        pii: { mode: "block" },
        prompt_injection: { mode: "block", threshold: "strict" },
        max_content_length: 100,
        apply_to_output: true,
      };
      const set = await run("svc_set_guardrails", { endpoint, ...policy });
      expect(set).toMatchObject(policy);
      expect(await run("svc_get_guardrails", { endpoint })).toMatchObject(policy);
      expect(await run("svc_test_guardrails", { endpoint, text: "quiet words" })).toMatchObject({
        blocked: false,
        findings: [],
      });
      const text = "to ada@example.com";
      expect(await run("svc_test_guardrails", { endpoint, text })).toMatchObject({
        blocked: true,
        message: "Request blocked: E-Mail detected in input.",
        findings: [{ detector: expect.any(String), label: "E-Mail", start: 3, end: text.length }],
      });
      await expectRefusal("svc_set_guardrails", { endpoint, pii: { mode: "shred" } }, /mode/);
      await expectRefusal(
        "svc_set_guardrails",
        { endpoint, prompt_injection: { mode: "block", threshold: "loud" } },
        /threshold/,
      );
      await expectRefusal("svc_set_guardrails", { endpoint, max_content_length: -1 }, /max_content_length/);
    });
  });

  describe("Control Plane: upstreams and OAuth connections", () => {
    test("an upstream is shown without its token", async () => {
      const { project: gateway } = await world().newProject({ type: "mcp_gateway" });
      const made = await run("svc_create_upstream", {
        project: gateway,
        prefix: "up",
        url: `${upstream.url}/mcp`,
        bearer_token: "upstream-secret",
      });
      expect(made).toMatchObject({ id: anId, prefix: "up", url: `${upstream.url}/mcp` });
      const listed = await run<{ upstreams: Fields[] }>("svc_list_upstreams", { project: gateway });
      expect(listed.upstreams).toMatchObject([{ id: made["id"], prefix: "up" }]);
      const updated = await run("svc_update_upstream", { upstream_id: made["id"], url: `${upstream.url}/other` });
      expect(updated).toMatchObject({ id: made["id"], url: `${upstream.url}/other` });
      const refreshed = await run("svc_refresh_upstream", { upstream_id: made["id"] });
      expect(JSON.stringify([made, listed, updated, refreshed])).not.toContain("upstream-secret");
      await run("svc_delete_upstream", { upstream_id: made["id"] });
      await expectRefusal("svc_refresh_upstream", { upstream_id: made["id"] }, new RegExp(String(made["id"])));
    });

    test("an OAuth connection is shown without its secrets", async () => {
      const { project: api } = await world().newProject({ type: "api_gateway" });
      const made = await run("svc_create_oauth_connection", {
        project: api,
        name: "crm",
        token_url: `${upstream.url}/token`,
        client_id: "id",
        client_secret: "client-secret-1",
        grant: "refresh_token",
        refresh_token: "refresh-secret-1",
        scopes: ["read"],
      });
      expect(made).toMatchObject({
        id: anId,
        name: "crm",
        token_url: `${upstream.url}/token`,
        client_id: "id",
        grant: "refresh_token",
      });
      const listed = await run("svc_list_oauth_connections", { project: api });
      expect(JSON.stringify([made, listed])).not.toMatch(/client-secret-1|refresh-secret-1/);
      expect(JSON.stringify(listed)).toContain("crm");
      await run("svc_delete_oauth_connection", { connection_id: made["id"] });
      expect(JSON.stringify(await run("svc_list_oauth_connections", { project: api }))).not.toContain("crm");
      await expectRefusal(
        "svc_create_oauth_connection",
        { project: api, name: "x", token_url: upstream.url, client_id: "c", client_secret: "s", grant: "implicit" },
        /grant/,
      );
    });
  });

  describe("Control Plane: usage", () => {
    test("the shape of usage: requests, tokens, cost per endpoint", async () => {
      world().primary.play(answer("ok"));
      const targets = [
        { provider: world().primaryName, model: "m", input_price_per_million: 1_000, output_price_per_million: 2_000 },
      ];
      const fixture = await world().ownEndpoint({ targets });
      for (let times = 0; times < 2; times += 1)
        await world().ask(fixture.path, { token: fixture.token, body: { message: "x" } });
      const line = { requests: 2, prompt_tokens: 14, completion_tokens: 6, cost_usd: 0.026 };
      await expect
        .poll(async () => await run("svc_get_usage", { project: fixture.project }), { timeout: 5_000 })
        .toMatchObject({
          month: new Date().toISOString().slice(0, 7),
          endpoints: [{ endpoint: fixture.uuid, slug: fixture.slug, ...line }],
          total: line,
        });
      expect(await run("svc_get_usage", { endpoint: fixture.uuid })).toMatchObject({ total: line });
      expect(await run("svc_get_usage", { project: fixture.project, month: "2020-01" })).toMatchObject({
        month: "2020-01",
        endpoints: [],
        total: { requests: 0, cost_usd: 0 },
      });
    });
  });

  describe("Control Plane: every list takes limit (default 50, at most 200) and cursor", () => {
    const made = async (kind: string): Promise<Json> => {
      const { project: own } = await world().newProject({ type: kind });
      return { project: own };
    };
    const lists: readonly {
      readonly list: string;
      readonly member: string;
      readonly of: () => Promise<Json>;
      readonly make: (args: Json, index: number) => Promise<unknown>;
      /** Items present at the end; default: the three created ones. */
      readonly atLeast?: number;
    }[] = [
      {
        list: "svc_list_projects",
        member: "projects",
        of: async () => await Promise.resolve({}),
        make: async () => await world().newProject(),
      },
      {
        list: "svc_list_tokens",
        member: "tokens",
        of: async () => await made("ai_gateway"),
        make: async ({ project: own }) => await world().newToken(String(own)),
      },
      {
        list: "svc_list_providers",
        member: "providers",
        of: async () => await Promise.resolve({}),
        make: async () => await world().anotherProvider(world().primary),
      },
      {
        list: "svc_list_credentials",
        member: "credentials",
        of: async () => ({ provider: await world().anotherProvider(world().primary) }),
        make: async ({ provider }, index) =>
          await run("svc_create_credential", { provider, name: `c${index}`, api_key: "sk-some-key" }),
      },
      {
        list: "svc_list_endpoints",
        member: "endpoints",
        of: async () => await made("ai_gateway"),
        make: async ({ project: own }, index) =>
          await run("svc_create_endpoint", {
            project: own,
            slug: `e${index}`,
            targets: [{ provider: world().primaryName, model: "m" }],
          }),
      },
      {
        list: "svc_list_endpoints",
        member: "endpoints",
        of: async () => await made("api_gateway"),
        make: async ({ project: own }, index) =>
          await run("svc_create_endpoint", {
            project: own,
            slug: `e${index}`,
            upstream_url: upstream.url,
            allowed_methods: ["GET"],
          }),
      },
      {
        list: "svc_list_upstreams",
        member: "upstreams",
        of: async () => await made("mcp_gateway"),
        make: async ({ project: own }, index) =>
          await run("svc_create_upstream", { project: own, prefix: `u${index}`, url: upstream.url }),
      },
      {
        list: "svc_list_oauth_connections",
        member: "oauth_connections",
        of: async () => await made("api_gateway"),
        make: async ({ project: own }, index) =>
          await run("svc_create_oauth_connection", {
            project: own,
            name: `o${index}`,
            token_url: upstream.url,
            client_id: "c",
            client_secret: "s",
            grant: "client_credentials",
          }),
      },
      {
        list: "svc_list_webhooks",
        member: "webhooks",
        of: async () => await made("ai_gateway"),
        make: async ({ project: own }, index) =>
          await run("svc_create_webhook", {
            project: own,
            name: `w${index}`,
            url: upstream.url,
            events: ["token.created"],
          }),
      },
      {
        list: "svc_query_audit_log",
        member: "entries",
        of: async () => await made("ai_gateway"),
        make: async ({ project: own }) => await world().newToken(String(own)),
        // Entries arrive shortly after their change; the project and its first token have entries as well.
        atLeast: 5,
      },
    ];

    test.each(lists)("$list", async ({ list, member, of, make, atLeast = 3 }) => {
      const args = await of();
      for (let index = 0; index < 3; index += 1) await make(args, index);
      const page = async (more: Json) => {
        const reply = await run(list, { ...args, ...more });
        expect(Object.keys(reply)).toContain(member);
        return { items: reply[member] as readonly Fields[], next: reply["next_cursor"] };
      };
      await expect.poll(async () => (await page({})).items.length, { timeout: 3_000 }).toBeGreaterThanOrEqual(atLeast);
      const whole = (await page({ limit: 200 })).items;
      const walked: Fields[] = [];
      let cursor: unknown;
      do {
        const { items, next } = await page({ limit: 2, ...(typeof cursor === "string" && { cursor }) });
        expect(items.length).toBeLessThanOrEqual(2);
        walked.push(...items);
        cursor = next;
      } while (typeof cursor === "string" && walked.length < 300);
      expect(walked).toEqual(whole);
      expect((await refusal(list, { ...args, limit: 201 })).message).toMatch(/limit/);
    });
  });

  describe("Control Plane: limit", () => {
    test("is 50 where it is absent", async () => {
      const { entries, next_cursor: next } = await run<{ entries: Fields[]; next_cursor: unknown }>(
        "svc_query_audit_log",
      );
      expect([entries.length, typeof next]).toEqual([50, "string"]);
    });
  });

  describe("Control Plane: the configuration as one document", () => {
    test("svc_export_backup gives the configuration without secrets; svc_apply_config gives a plan of changes", async () => {
      const { document } = await run<{ document: unknown }>("svc_export_backup");
      const text = JSON.stringify(document);
      expect(text).toContain(world().primaryName);
      expect(text).not.toMatch(/svc_(live|test|admin)_\w{8}/);
      const again = await run("svc_apply_config", { document, dry_run: true });
      expect(again).toMatchObject({ changes: [] });
      await expectRefusal("svc_apply_config", { document: { nonsense: true }, dry_run: true }, /./);
    });
  });

  describe("Control Plane: a change is in force on every data-plane route within 250 ms", () => {
    test("creating, changing, deactivating, revoking, limiting, guarding", async () => {
      world().primary.play(answer("ok"));
      const fixture = await world().ownEndpoint();
      const said = async (body: unknown = { message: "falcon" }) =>
        await world().ask(fixture.path, { token: fixture.token, body });
      const soon = { timeout: 250, interval: 20 };
      await expect.poll(async () => (await said()).status, soon).toBe(200);
      await run("svc_update_endpoint", {
        endpoint: fixture.uuid,
        input_schema: { type: "object", required: ["zebra"] },
      });
      await expect.poll(async () => (await said()).body["error"], soon).toMatch(/zebra/);
      await run("svc_update_endpoint", { endpoint: fixture.uuid, input_schema: null });
      await expect.poll(async () => (await said()).status, soon).toBe(200);
      await run("svc_set_guardrails", { project: fixture.project, keywords: ["falcon"] });
      await expect
        .poll(async () => (await said()).body["error"], soon)
        .toBe("Request blocked: keyword 'falcon' detected in input.");
      await run("svc_set_guardrails", { project: fixture.project, keywords: [] });
      await expect.poll(async () => (await said()).status, soon).toBe(200);
      await run("svc_update_project", { project: fixture.project, rate_limit_per_minute: 1 });
      await expect.poll(async () => (await said()).status, soon).toBe(429);
      await run("svc_update_project", { project: fixture.project, rate_limit_per_minute: null });
      await expect.poll(async () => (await said()).status, soon).toBe(200);
      await run("svc_revoke_token", { token_id: fixture.tokenId });
      await expect.poll(async () => (await said()).body["error"], soon).toBe("Invalid or revoked token.");
    });
  });
}
