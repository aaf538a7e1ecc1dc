import { ChatAdminServiceDefinition } from "@gatehouse/proto/chat";
import { openRpcChannel, startRpcServer } from "@gatehouse/rpc";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { Secret } from "@gatehouse/vault";
import { afterAll, beforeAll, expect, test } from "vitest";
import { refusal, run, startControlPlane, type TestControlPlane } from "./control-plane.ts";
import { createFakeChat } from "./fake-chat.ts";

let plane: TestControlPlane;
let project: string;

beforeAll(async () => {
  plane = await startControlPlane();
  project = await createProject("ai_gateway");
  await run(plane.service, "svc_create_provider", { name: "mock", kind: "mock" });
});

afterAll(async () => {
  await plane.stop();
});

async function createProject(projectType: string): Promise<string> {
  const created = await run<{ uuid: string }>(plane.service, "svc_create_project", {
    name: "p",
    project_type: projectType,
  });
  return created.uuid;
}

const targets = [{ provider: "mock", model: "mock-1" }];
const noEndpoint = "00000000-0000-4000-8000-000000000000";

test("a provider can be named by its name or its id", async () => {
  const provider = await run<{ id: number }>(plane.service, "svc_create_provider", {
    name: "house-llm",
    kind: "openai-compatible",
    base_url: "http://llm.internal:8000/v1",
  });
  expect(provider).toEqual({
    id: expect.any(Number),
    name: "house-llm",
    kind: "openai-compatible",
    base_url: "http://llm.internal:8000/v1",
    enabled: true,
    created_at: expect.any(String),
  });
  const byName = { provider: "house-llm", enabled: false };
  expect(await run(plane.service, "svc_set_provider_enabled", byName)).toEqual({ ...provider, enabled: false });
  const byId = { provider: provider.id, enabled: true };
  expect(await run(plane.service, "svc_set_provider_enabled", byId)).toEqual(provider);
  const { providers } = await run<{ providers: object[] }>(plane.service, "svc_list_providers", {});
  expect(providers).toContainEqual(provider);
});

test("a provider's health is shown with times as text and null for what is not known", async () => {
  const { providers } = await run<{ providers: object[] }>(plane.service, "svc_get_provider_health", {});
  expect(providers).toContainEqual({
    provider: "mock",
    enabled: true,
    credential_id: null,
    credential: null,
    state: "open",
    consecutive_failures: 5,
    last_failure: "status_503",
    last_failure_at: "1970-01-01T00:00:01.000Z",
    open_until: null,
    resting_until: null,
  });
});

test.each([
  [{ kind: "mock" }, "Missing required argument: name"],
  [{ name: "x" }, "Missing required argument: kind"],
  [{ name: "x", kind: "llama" }, "Invalid kind: llama"],
  [{ name: "42", kind: "mock" }, "name must not consist of digits only"],
  [{ name: "x", kind: "mock", base_url: "file:///etc/passwd" }, "base_url must be an http or https URL"],
  [{ name: "x", kind: "mock", base_url: 5 }, "base_url must be string"],
  [{ name: "mock", kind: "mock" }, "Provider already exists: mock"],
])("creating a provider with %j is refused: %s", async (args, message) => {
  expect(await refusal(plane.service, "svc_create_provider", args)).toBe(`-32602 ${message}`);
});

test.each([
  [{ enabled: true }, "Missing required argument: provider"],
  [{ provider: "mock" }, "Missing required argument: enabled"],
  [{ provider: "mock", enabled: "yes" }, "enabled must be boolean"],
  [{ provider: "mock", enabled: 1 }, "enabled must be boolean"],
  [{ provider: 1.5, enabled: true }, "provider must be string or integer"],
  [{ provider: 1e12, enabled: true }, "Provider not found: 1000000000000"],
  [{ provider: "nobody", enabled: true }, "Provider not found: nobody"],
])("switching a provider with %j is refused: %s", async (args, message) => {
  expect(await refusal(plane.service, "svc_set_provider_enabled", args)).toBe(`-32602 ${message}`);
});

test("a credential shows the end of its key only", async () => {
  const apiKey = "sk-0123456789abcdef";
  const credential = await run<{ id: number }>(plane.service, "svc_create_credential", {
    provider: "mock",
    name: "main",
    api_key: apiKey,
  });
  expect(credential).toEqual({
    id: expect.any(Number),
    provider: "mock",
    name: "main",
    is_active: true,
    hint: "cdef",
    created_at: expect.any(String),
  });
  expect(plane.chat.apiKeys).toContain(apiKey);
  const off = { credential_id: credential.id, is_active: false };
  expect(await run(plane.service, "svc_set_credential_active", off)).toEqual({ ...credential, is_active: false });
  const listed = await run(plane.service, "svc_list_credentials", { provider: "mock" });
  expect(listed).toEqual({ credentials: [{ ...credential, is_active: false }], next_cursor: null });
  expect(JSON.stringify(listed)).not.toContain(apiKey);
  const deleted = await run(plane.service, "svc_delete_credential", { credential_id: credential.id });
  expect(deleted).toMatchObject({ id: credential.id, deleted: true });
  expect(await refusal(plane.service, "svc_delete_credential", { credential_id: credential.id })).toBe(
    `-32602 Credential not found: ${credential.id}`,
  );
  expect(await refusal(plane.service, "svc_delete_credential", { credential_id: 1e10 })).toBe(
    "-32602 Credential not found: 10000000000",
  );
});

test("an endpoint has its arguments and what is not set is null", async () => {
  const endpoint = await run(plane.service, "svc_create_endpoint", { project, slug: "plain", targets });
  expect(endpoint).toEqual({
    uuid: expect.any(String),
    slug: "plain",
    project,
    is_active: true,
    targets: [{ ...targets[0], input_price_per_million: null, output_price_per_million: null, retries: 0 }],
    description: null,
    system_prompt: null,
    parameters: null,
    streaming_enabled: false,
    expose_as_mcp_tool: false,
    max_request_tokens: null,
    monthly_budget_usd: null,
    input_schema: null,
    output_schema: null,
    timeout_ms: null,
    allowed_parameters: [],
    first_token_timeout_ms: null,
    idle_timeout_ms: null,
    mid_stream: "error",
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
});

test.each([
  ["ai_gateway", {}, false],
  ["ai_gateway", { streaming_enabled: true }, true],
  ["ai_wrapper", {}, true],
  ["ai_wrapper", { streaming_enabled: null }, true],
  ["ai_wrapper", { streaming_enabled: false }, false],
])("an endpoint of an %s project made with %j may stream: %s", async (projectType, given, expected) => {
  const args = { project: await createProject(projectType), slug: "stream", targets, ...given };
  expect(await run(plane.service, "svc_create_endpoint", args)).toMatchObject({ streaming_enabled: expected });
});

const everything = {
  slug: "full",
  targets: [{ provider: "mock", model: "m", input_price_per_million: 0.15, output_price_per_million: 0, retries: 2 }],
  description: "Answers.\nKindly.",
  system_prompt: "Be brief.",
  parameters: { temperature: 0.2, stop: ["\n"], nested: { deep: [null, true] } },
  streaming_enabled: true,
  expose_as_mcp_tool: true,
  max_request_tokens: 1_000,
  monthly_budget_usd: 10.000_001,
  input_schema: { type: "object" },
  output_schema: { type: "object", properties: { a: { type: "string" } } },
  timeout_ms: 30_000,
  first_token_timeout_ms: 10_000,
  idle_timeout_ms: 5_000,
  mid_stream: "hold",
};

test("every argument of an endpoint comes back as it went in, and null takes it away", async () => {
  const created = await run<{ uuid: string }>(plane.service, "svc_create_endpoint", { project, ...everything });
  expect(created).toMatchObject(everything);
  expect(plane.chat.endpoints.get(created.uuid)?.definition?.monthlyBudgetMicros).toBe(10_000_001);
  const {
    slug,
    targets: _targets,
    streaming_enabled: _s,
    expose_as_mcp_tool: _e,
    mid_stream: _m,
    ...optional
  } = everything;
  const nothing = Object.fromEntries(Object.keys(optional).map((key) => [key, null]));
  const cleared = await run(plane.service, "svc_update_endpoint", { endpoint: created.uuid, ...nothing });
  expect(cleared).toMatchObject({ ...nothing, slug, streaming_enabled: true, targets: everything.targets });
});

test("an endpoint is the same when the chat service is in another process", async () => {
  const internalKey = new Secret("test-internal-key");
  const { log } = createSilentTelemetry();
  const fake = createFakeChat();
  const server = await startRpcServer({ bindings: [fake.binding], internalKey, log, address: "127.0.0.1:0" });
  const channel = openRpcChannel({
    address: `127.0.0.1:${server.port}`,
    service: "control-plane",
    internalKey,
    timeoutMs: 5_000,
  });
  const client = channel.client(ChatAdminServiceDefinition);
  const remote = await startControlPlane({ databaseUrl: plane.databaseUrl, chatClient: () => client });
  await run(remote.service, "svc_create_provider", { name: "mock", kind: "mock" });
  const created = await run<{ uuid: string }>(remote.service, "svc_create_endpoint", { project, ...everything });
  expect(created).toMatchObject(everything);
  const change = {
    endpoint: created.uuid,
    parameters: null,
    monthly_budget_usd: 1_000_000_000,
    max_request_tokens: null,
  };
  const updated = await run(remote.service, "svc_update_endpoint", change);
  const { endpoint: _endpoint, ...expected } = change;
  expect(updated).toMatchObject({ ...everything, ...expected });
  const missing = { endpoint: noEndpoint, is_active: true };
  expect(await refusal(remote.service, "svc_set_endpoint_active", missing)).toBe(
    `-32602 Endpoint not found: ${noEndpoint}`,
  );
  await server.stop(1_000);
  expect(await refusal(remote.service, "svc_list_providers", {})).toMatch(
    /^-32603 A service (is not available|did not answer in time)\./,
  );
  channel.close();
  await remote.stop();
});

test("an update leaves what it does not name", async () => {
  const created = await run<{ uuid: string }>(plane.service, "svc_create_endpoint", {
    project,
    ...everything,
    slug: "kept",
  });
  const change = { endpoint: created.uuid, monthly_budget_usd: 0, streaming_enabled: false, slug: null };
  const updated = await run(plane.service, "svc_update_endpoint", change);
  expect(updated).toMatchObject({ ...everything, slug: "kept", monthly_budget_usd: 0, streaming_enabled: false });
  expect(await run(plane.service, "svc_update_endpoint", { endpoint: created.uuid })).toEqual(updated);
});

test("an endpoint is switched, shown, listed and deleted", async () => {
  const own = await createProject("ai_wrapper");
  const { uuid } = await run<{ uuid: string }>(plane.service, "svc_create_endpoint", {
    project: own,
    slug: "e",
    targets,
  });
  const off = { endpoint: uuid, is_active: false };
  expect(await run(plane.service, "svc_set_endpoint_active", off)).toMatchObject({ uuid, is_active: false });
  expect(await run(plane.service, "svc_set_endpoint_active", off)).toMatchObject({ uuid, is_active: false });
  const shown = await run(plane.service, "svc_get_endpoint", { endpoint: uuid.toUpperCase() });
  expect(await run(plane.service, "svc_list_endpoints", { project: own })).toEqual({
    endpoints: [shown],
    next_cursor: null,
  });
  expect(await run(plane.service, "svc_delete_endpoint", { endpoint: uuid })).toMatchObject({ uuid, deleted: true });
  expect(await refusal(plane.service, "svc_get_endpoint", { endpoint: uuid })).toBe(
    `-32602 Endpoint not found: ${uuid}`,
  );
});

test.each(["mcp_gateway"])("a project of type %s has no endpoints in this version", async (projectType) => {
  const own = await createProject(projectType);
  const message = `-32602 Projects of type ${projectType} cannot have endpoints in this version.`;
  expect(await refusal(plane.service, "svc_create_endpoint", { project: own, slug: "e" })).toBe(message);
  expect(await refusal(plane.service, "svc_list_endpoints", { project: own })).toBe(message);
});

test.each([
  [{}, "Missing required argument: slug"],
  [{ slug: "e" }, "Missing required argument: targets"],
  [{ slug: 5, targets }, "slug must be string"],
  [{ slug: "Upper", targets }, "slug must match ^[a-z0-9][a-z0-9-]{0,62}$"],
  [{ slug: "a".repeat(64), targets }, "slug must have at most 63 characters"],
  [{ slug: "chat", targets }, "slug must not be one of chat, mcp, v1"],
  [{ slug: "e", targets: [] }, "targets must have from 1 to 16 items"],
  [{ slug: "e", targets: {} }, "targets must be array"],
  [{ slug: "e", targets: ["mock"] }, "targets[0] must be object"],
  [{ slug: "e", targets: [targets[0], { provider: "mock" }] }, "Missing required argument: targets[1].model"],
  [
    { slug: "e", targets: [{ provider: "mock", model: "m", input_price_per_million: -1 }] },
    "targets[0].input_price_per_million must be from 0 to 1000000",
  ],
  [{ slug: "e", targets: [{ provider: "nobody", model: "m" }] }, "Provider not found: nobody"],
  [{ slug: "e", targets, parameters: [] }, "parameters must be object"],
  [
    { slug: "e", targets, parameters: { a: "\u0000" } },
    "parameters must not have NUL characters or unpaired surrogates",
  ],
  [
    { slug: "e", targets, input_schema: { "\ud800": 1 } },
    "input_schema must not have NUL characters or unpaired surrogates",
  ],
  [
    { slug: "e", targets, input_schema: { a: "x".repeat(300_000) } },
    "input_schema must have at most 262144 characters as JSON text",
  ],
  [{ slug: "e", targets, output_schema: "x" }, "output_schema must be object"],
  [{ slug: "e", targets, streaming_enabled: "true" }, "streaming_enabled must be boolean"],
  [{ slug: "e", targets, expose_as_mcp_tool: 1 }, "expose_as_mcp_tool must be boolean"],
  [{ slug: "e", targets, max_request_tokens: 2_147_483_648 }, "max_request_tokens must be from 1 to 2147483647"],
  [{ slug: "e", targets, monthly_budget_usd: -0.01 }, "monthly_budget_usd must be from 0 to 1000000000"],
  [{ slug: "e", targets, monthly_budget_usd: 0.000_000_1 }, "monthly_budget_usd must have at most 6 decimals"],
  [{ slug: "e", targets, monthly_budget_usd: "10" }, "monthly_budget_usd must be number"],
  [{ slug: "e", targets, timeout_ms: 0 }, "timeout_ms must be from 1 to 3600000"],
])("creating an endpoint with %j is refused: %s", async (args, message) => {
  expect(await refusal(plane.service, "svc_create_endpoint", { project, ...args })).toBe(`-32602 ${message}`);
});

test.each([
  ["svc_get_endpoint", {}],
  ["svc_update_endpoint", { description: "d" }],
  ["svc_set_endpoint_active", { is_active: true }],
  ["svc_delete_endpoint", {}],
])("%s refuses an endpoint that is not there", async (name, others) => {
  for (const endpoint of ["", "e", noEndpoint]) {
    const args = { endpoint, ...others };
    expect(await refusal(plane.service, name, args)).toBe(`-32602 Endpoint not found: ${endpoint}`);
  }
  expect(await refusal(plane.service, name, {})).toBe("-32602 Missing required argument: endpoint");
  expect(await refusal(plane.service, name, { endpoint: 5, ...others })).toBe("-32602 endpoint must be string");
});

test.each([
  [{ is_active: "true" }, "is_active must be boolean"],
  [{ is_active: 0 }, "is_active must be boolean"],
  [{}, "Missing required argument: is_active"],
])("switching an endpoint with %j is refused: %s", async (args, message) => {
  expect(await refusal(plane.service, "svc_set_endpoint_active", { endpoint: noEndpoint, ...args })).toBe(
    `-32602 ${message}`,
  );
});
