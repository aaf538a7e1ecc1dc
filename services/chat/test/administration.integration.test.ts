import { randomUUID } from "node:crypto";
import { openDatabase } from "@gatehouse/database";
import { isGatewayError } from "@gatehouse/errors";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { Secret } from "@gatehouse/vault";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startWrapper, type WrapperHarness } from "./wrapper-harness.ts";

let chat: WrapperHarness;
let project: string;

beforeAll(async () => {
  chat = await startWrapper();
  project = chat.projectUuid;
  await run("svc_create_provider", { name: "mock", kind: "mock" });
});
afterAll(async () => await chat.stop());

type Given = Readonly<Record<string, unknown>>;

async function run<Result = Given>(name: string, given: Given, projectType = "ai_gateway"): Promise<Result> {
  return await chat.admin.call<Result>(name, given, { id: 7, uuid: project, name: "Shop", projectType });
}

async function refusal(name: string, given: Given): Promise<string> {
  try {
    return `not refused: ${JSON.stringify(await run(name, given))}`;
  } catch (err) {
    if (!isGatewayError(err)) throw err;
    return err.message;
  }
}

const targets = [{ provider: "mock", model: "mock-1" }];
const newName = (letter: string) => `${letter}-${randomUUID().slice(0, 8)}`;
const create = async (given: Given = {}) =>
  await run<{ uuid: string }>("svc_create_endpoint", { project, slug: newName("e"), targets, ...given });

describe("providers", () => {
  test("can be named by name or id, and have the contract's form", async () => {
    const given = { name: "house-llm", kind: "openai-compatible", base_url: "http://llm.internal:8000/v1" };
    const provider = await run<{ id: number }>("svc_create_provider", given);
    expect(provider).toEqual({ id: expect.any(Number), ...given, enabled: true, created_at: expect.any(String) });
    const off = { provider: "house-llm", enabled: false };
    expect(await run("svc_set_provider_enabled", off)).toEqual({ ...provider, enabled: false });
    expect(await run("svc_set_provider_enabled", { provider: provider.id, enabled: true })).toEqual(provider);
    const { providers } = await run<{ providers: object[] }>("svc_list_providers", { limit: 200 });
    expect(providers).toContainEqual(provider);
  });

  test("of Azure can be saved with the version of its interface", async () => {
    const base_url = "https://house.openai.azure.com?api-version=2024-10-21";
    const made = await run("svc_create_provider", { name: "azure", kind: "azure-openai", base_url });
    expect(made).toMatchObject({ base_url });
    const other = { name: "not-azure", kind: "openai", base_url };
    expect(await refusal("svc_create_provider", other)).toBe(
      "base_url must not have a query; only that of azure-openai may have one",
    );
    expect(await refusal("svc_update_provider", { provider: "azure", kind: "openai" })).toBe(
      "base_url must not have a query; only that of azure-openai may have one",
    );
  });

  test("are changed in place, and null restores the public address", async () => {
    const given = { name: newName("p"), kind: "openai", base_url: "https://models.example.com/v1" };
    const made = await run("svc_create_provider", given);
    const change = { provider: given.name, base_url: "https://models.example.com/v2" };
    expect(await run("svc_update_provider", change)).toEqual({ ...made, base_url: change.base_url });
    expect(await run("svc_update_provider", { ...change, base_url: null })).toEqual({ ...made, base_url: null });
    expect(await run("svc_update_provider", { provider: given.name })).toEqual({ ...made, base_url: null });
    expect(await refusal("svc_update_provider", { provider: given.name, name: "other" })).toBe(
      "Unknown argument: name",
    );
    expect(await refusal("svc_update_provider", { provider: given.name, kind: "openai-compatible" })).toBe(
      "Missing required argument: base_url",
    );
  });

  test("are deleted once no endpoint names them", async () => {
    const provider = newName("p");
    await run("svc_create_provider", { name: provider, kind: "mock" });
    await run("svc_create_credential", { provider, name: "main", api_key: "sk-0123456789abcdef" });
    const named = [...targets, { provider, model: "m" }];
    const slug = newName("e");
    const { uuid: endpoint } = await create({ slug, targets: named });
    expect(await refusal("svc_delete_provider", { provider })).toBe(
      `Provider ${provider} is named by targets of endpoints '${slug}'; give those other targets first`,
    );
    await run("svc_update_endpoint", { endpoint, targets });
    expect(await run("svc_delete_provider", { provider })).toMatchObject({ name: provider, deleted: true });
    expect(await refusal("svc_delete_provider", { provider })).toBe(`Provider not found: ${provider}`);
    expect(await refusal("svc_update_endpoint", { endpoint, targets: named })).toBe(`Provider not found: ${provider}`);
  });

  test("are never deleted while an endpoint that uses them is created", async () => {
    for (let round = 0; round < 10; round += 1) {
      const provider = newName("p");
      await run("svc_create_provider", { name: provider, kind: "mock" });
      const slug = newName("e");
      const outcomes = await Promise.allSettled([
        create({ slug, targets: [{ provider, model: "m" }] }),
        run("svc_delete_provider", { provider }),
      ]);
      expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    }
  });

  test("show their health with null for unknown values", async () => {
    const { providers } = await run<{ providers: object[] }>("svc_get_provider_health", {});
    expect(providers).toContainEqual({
      provider: "mock",
      enabled: true,
      credential_id: null,
      credential: null,
      state: "closed",
      consecutive_failures: 0,
      last_failure: null,
      last_failure_at: null,
      last_success_at: null,
      open_until: null,
      resting_until: null,
      models: [],
    });
  });

  test.each([
    [{ kind: "mock" }, "Missing required argument: name"],
    [{ name: "x" }, "Missing required argument: kind"],
    [{ name: "x", kind: "llama" }, "Invalid kind: llama"],
    [{ name: "42", kind: "mock" }, "name must not consist of digits only"],
    [{ name: " a", kind: "mock" }, /^name must be 1 to 63 characters of letters/],
    [{ name: "x".repeat(64), kind: "mock" }, "name must have at most 63 characters"],
    [{ name: "x", kind: "mock", base_url: "file:///etc/passwd" }, "base_url must be an http or https URL"],
    [{ name: "x", kind: "mock", base_url: 5 }, "base_url must be string or null"],
    [{ name: "x", kind: "openai", base_url: "http://169.254.169.254/" }, /^base_url must not be this address\./],
    [{ name: "mock", kind: "mock" }, "Provider already exists: mock"],
  ])("are not created with %j: %s", async (given, message) => {
    expect(await refusal("svc_create_provider", given)).toMatch(message);
  });

  test.each([
    [{ enabled: true }, "Missing required argument: provider"],
    [{ provider: "mock" }, "Missing required argument: enabled"],
    [{ provider: "mock", enabled: "yes" }, "enabled must be boolean"],
    [{ provider: 1.5, enabled: true }, "provider must be string or integer"],
    [{ provider: 1e12, enabled: true }, "Provider not found: 1000000000000"],
    [{ provider: "nobody", enabled: true }, "Provider not found: nobody"],
  ])("are not switched by %j: %s", async (given, message) => {
    expect(await refusal("svc_set_provider_enabled", given)).toBe(message);
  });
});

describe("credentials", () => {
  const api_key = "sk-0123456789abcdef";

  test("show only the end of their key", async () => {
    const provider = newName("p");
    await run("svc_create_provider", { name: provider, kind: "mock" });
    const created = await run<{ id: number }>("svc_create_credential", { provider, name: "main", api_key });
    const shown = { id: expect.any(Number), provider, name: "main", is_active: true, hint: "cdef", reference: null };
    expect(created).toEqual({ ...shown, created_at: expect.any(String), warning: null });
    const { warning: _, ...credential } = { warning: null, ...created };
    const off = { credential_id: credential.id, is_active: false };
    expect(await run("svc_set_credential_active", off)).toEqual({ ...credential, is_active: false });
    const listed = await run("svc_list_credentials", { provider });
    expect(listed).toEqual({ credentials: [{ ...credential, is_active: false }], next_cursor: null });
    const deleted = await run("svc_delete_credential", { credential_id: credential.id });
    expect(deleted).toMatchObject({ id: credential.id, deleted: true });
    for (const credential_id of [credential.id, 1e10]) {
      expect(await refusal("svc_delete_credential", { credential_id })).toBe(`Credential not found: ${credential_id}`);
    }
  });

  test("are stored sealed, and a replaced key is used at once", async () => {
    const provider = await chat.provider("openai-compatible", `${chat.upstreamUrl}/v1`);
    const slug = await chat.alias({ provider });
    const { credentials } = await run<{ credentials: { id: number }[] }>("svc_list_credentials", { provider });
    const credential_id = credentials[0]?.id;
    const change = { credential_id, api_key: "sk-the-next-key-5678" };
    expect(await run("svc_update_credential", change)).toEqual({ ...credentials[0], hint: "5678", warning: null });
    expect(JSON.stringify(await rowsOf("credentials"))).not.toContain("sk-");
    await expect
      .poll(async () => {
        chat.play((res) => void res.writeHead(400).end("{}"));
        await chat.postTo(slug, { message: "hi" });
        return chat.received[0]?.headers["authorization"];
      })
      .toBe("Bearer sk-the-next-key-5678");
  });

  test.each([
    [{ api_key: "a b" }, "api_key must be visible ASCII characters without spaces"],
    [{ api_key: "x".repeat(10_001) }, "api_key must have at most 10000 characters"],
    [{ name: " " }, "name must not be empty"],
    [{ credential_id: 987_654 }, "Credential not found: 987654"],
  ])("are not changed by %j: %s", async (given, message) => {
    const { id } = await run<{ id: number }>("svc_create_credential", { provider: "mock", name: "n", api_key });
    expect(await refusal("svc_update_credential", { credential_id: id, ...given })).toBe(message);
  });
});

const everything = {
  targets: [{ provider: "mock", model: "m", input_price_per_million: 0.15, output_price_per_million: 0, retries: 2 }],
  description: "Answers.\nKindly.",
  system_prompt: "Be brief.",
  parameters: { temperature: 0.2, stop: ["\n"], nested: { deep: [null, true] } },
  streaming_enabled: true,
  expose_as_mcp_tool: true,
  max_request_tokens: 1_000,
  max_response_tokens: 500,
  monthly_budget_usd: 10.000_001,
  input_schema: { type: "object" },
  output_schema: { type: "object", properties: { a: { type: "string" } } },
  timeout_ms: 30_000,
  first_token_timeout_ms: 10_000,
  idle_timeout_ms: 5_000,
  mid_stream: "hold",
  hold_tokens: 40,
  allowed_parameters: ["models"],
};

describe("endpoints", () => {
  test("have their arguments, and null for absent ones", async () => {
    expect(await create({ slug: "plain" })).toEqual({
      uuid: expect.any(String),
      slug: "plain",
      project,
      is_active: true,
      targets: [{ ...targets[0], input_price_per_million: null, output_price_per_million: null, retries: null }],
      description: null,
      system_prompt: null,
      parameters: null,
      streaming_enabled: false,
      expose_as_mcp_tool: false,
      max_request_tokens: null,
      max_response_tokens: null,
      monthly_budget_usd: null,
      input_schema: null,
      output_schema: null,
      timeout_ms: null,
      allowed_parameters: [],
      first_token_timeout_ms: null,
      idle_timeout_ms: null,
      mid_stream: "error",
      hold_tokens: null,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
  });

  test.each([
    ["ai_gateway", {}, false],
    ["ai_gateway", { streaming_enabled: true }, true],
    ["ai_wrapper", {}, true],
    ["ai_wrapper", { streaming_enabled: null }, true],
    ["ai_wrapper", { streaming_enabled: false }, false],
  ])("of an %s project made with %j may stream: %s", async (projectType, given, expected) => {
    const args = { project, slug: newName("e"), targets, ...given };
    const made = await run("svc_create_endpoint", args, projectType);
    expect(made).toMatchObject({ streaming_enabled: expected });
  });

  test("return every argument as given, and null removes it", async () => {
    const { uuid: endpoint } = await create(everything);
    const created = await run("svc_get_endpoint", { endpoint: endpoint.toUpperCase() });
    expect(created).toMatchObject(everything);
    const stored = (await rowsOf("endpoints")).find((row) => row["uuid"] === endpoint);
    expect(stored?.["monthly_budget_micros"]).toBe("10000001");
    const { targets: same, streaming_enabled: _s, expose_as_mcp_tool: _e, mid_stream: _m, ...optional } = everything;
    const nothing = Object.fromEntries(Object.keys(optional).map((key) => [key, null]));
    const cleared = await run("svc_update_endpoint", { endpoint, ...nothing });
    const expected = { ...nothing, allowed_parameters: [], streaming_enabled: true, mid_stream: "hold", targets: same };
    expect(cleared).toMatchObject(expected);
  });

  test("keep arguments that an update omits, and repeat an update without effect", async () => {
    const { uuid: endpoint } = await create(everything);
    const change = { endpoint, monthly_budget_usd: 0, streaming_enabled: false, slug: null };
    const updated = await run("svc_update_endpoint", change);
    expect(updated).toMatchObject({ ...everything, monthly_budget_usd: 0, streaming_enabled: false });
    expect(await run("svc_update_endpoint", { endpoint })).toEqual(updated);
    const { mid_stream: _m, streaming_enabled: _s, monthly_budget_usd: _b, ...same } = everything;
    expect(await run("svc_update_endpoint", { endpoint, ...same })).toEqual(updated);
  });

  test("are switched, listed and deleted, and say which project they are in", async () => {
    const own = randomUUID();
    const { uuid: endpoint } = await run<{ uuid: string }>("svc_create_endpoint", { project: own, slug: "e", targets });
    for (const _ of [1, 2]) {
      const off = await run("svc_set_endpoint_active", { endpoint, is_active: false });
      expect(off).toMatchObject({ uuid: endpoint, is_active: false });
    }
    const shown = await run("svc_get_endpoint", { endpoint });
    expect(await run("svc_list_endpoints", { project: own })).toEqual({ endpoints: [shown], next_cursor: null });
    expect(await chat.admin.findProject("svc_get_endpoint", endpoint)).toBe(own);
    expect(await run("svc_delete_endpoint", { endpoint })).toMatchObject({ uuid: endpoint, deleted: true });
    expect(await refusal("svc_get_endpoint", { endpoint })).toBe(`Endpoint not found: ${endpoint}`);
  });

  test("are listed in pages that contain each of them once", async () => {
    const own = randomUUID();
    for (const slug of ["s0", "s1", "s2", "s3", "s4"])
      await run("svc_create_endpoint", { project: own, slug, targets });
    interface Page {
      readonly endpoints: { readonly slug: string }[];
      readonly next_cursor: string | null;
    }
    const first = await run<Page>("svc_list_endpoints", { project: own, limit: 3 });
    const second = await run<Page>("svc_list_endpoints", { project: own, limit: 3, cursor: first.next_cursor });
    expect([...first.endpoints, ...second.endpoints].map(({ slug }) => slug)).toEqual(["s0", "s1", "s2", "s3", "s4"]);
    expect(second.next_cursor).toBeNull();
    expect(await refusal("svc_list_endpoints", { project: own, limit: 201 })).toBe("limit must be from 1 to 200");
  });

  test("belong to projects of two types", async () => {
    const made = run("svc_create_endpoint", { project, slug: "e" }, "mcp_gateway");
    await expect(made).rejects.toThrow("Projects of type mcp_gateway cannot have endpoints in this version.");
  });

  test.each<[Given, string | RegExp]>([
    [{ slug: undefined }, "Missing required argument: slug"],
    [{ targets: undefined }, "Missing required argument: targets"],
    [{ slug: 5 }, "slug must be string"],
    [{ slug: "Upper" }, "slug must match ^[a-z0-9][a-z0-9-]{0,62}$"],
    [{ slug: "a\r\nx-evil: 1" }, /^slug must match/],
    [{ slug: "a".repeat(64) }, "slug must have at most 63 characters"],
    [{ slug: "chat" }, "slug must not be one of chat, mcp, v1"],
    [{ targets: [] }, "targets must have from 1 to 16 items"],
    [{ targets: Array.from({ length: 17 }, () => targets[0]) }, "targets must have from 1 to 16 items"],
    [{ targets: {} }, "targets must be array"],
    [{ targets: ["mock"] }, "targets[0] must be object"],
    [{ targets: [targets[0], { provider: "mock" }] }, "Missing required argument: targets[1].model"],
    [
      { targets: [{ provider: "mock", model: "m", input_price_per_million: -1 }] },
      "targets[0].input_price_per_million must be from 0 to 1000000",
    ],
    [{ targets: [{ ...targets[0], retries: 6 }] }, "targets[0].retries must be from 0 to 5"],
    [{ targets: [{ ...targets[0], retry: 1 }] }, "Unknown argument: targets[0].retry. Did you mean 'retries'?"],
    [{ targets: [{ provider: "nobody", model: "m" }] }, "Provider not found: nobody"],
    [{ description: "x".repeat(4_001) }, "description must have at most 4000 characters"],
    [{ system_prompt: "\0" }, "system_prompt must not have control characters"],
    [{ system_prompt: "x".repeat(200_001) }, "system_prompt must have at most 200000 characters"],
    [{ parameters: [] }, "parameters must be object or null"],
    [{ parameters: { stream: true } }, "parameters must not contain 'stream': the gateway sets it"],
    [{ parameters: { a: "\u0000" } }, "parameters must not have NUL characters or unpaired surrogates"],
    [{ input_schema: { "\ud800": 1 } }, "input_schema must not have NUL characters or unpaired surrogates"],
    [{ input_schema: { a: "x".repeat(70_000) } }, "input_schema must have at most 65536 characters as JSON text"],
    [{ output_schema: "x" }, "output_schema must be object or null"],
    [{ streaming_enabled: "true" }, "streaming_enabled must be boolean"],
    [{ expose_as_mcp_tool: 1 }, "expose_as_mcp_tool must be boolean"],
    [{ max_request_tokens: 10_000_001 }, "max_request_tokens must be from 1 to 10000000"],
    [{ max_response_tokens: 0 }, "max_response_tokens must be from 1 to 10000000"],
    [{ monthly_budget_usd: -0.01 }, "monthly_budget_usd must be from 0 to 1000000000"],
    [{ monthly_budget_usd: 0.000_000_1 }, "monthly_budget_usd must have at most 6 decimals"],
    [{ monthly_budget_usd: "10" }, "monthly_budget_usd must be number or null"],
    [{ monthly_budget: 10 }, "Unknown argument: monthly_budget. Did you mean 'monthly_budget_usd'?"],
    [{ timeout_ms: 0 }, "timeout_ms must be from 1 to 600000"],
    [{ timeout_ms: 600_001 }, "timeout_ms must be from 1 to 600000"],
    [{ timeout_ms: 1.5 }, "timeout_ms must be integer or null"],
    [{ first_token_timeout_ms: 600_001 }, "first_token_timeout_ms must be from 1 to 600000"],
    [{ mid_stream: "stop" }, "Invalid mid_stream: stop"],
    [{ mid_stream: "hold", hold_tokens: 0 }, "hold_tokens must be from 1 to 100000"],
    [{ hold_tokens: 40 }, /^hold_tokens needs mid_stream hold, not error/],
    [{ allowed_parameters: [""] }, "allowed_parameters[0] must not be empty"],
    [{ allowed_parameters: ["model"] }, "allowed_parameters must not contain 'model': the gateway sets it"],
  ])("are not created with %j: %s", async (given, message) => {
    const refused = await refusal("svc_create_endpoint", { project, slug: newName("e"), targets, ...given });
    if (typeof message === "string") expect(refused).toBe(message);
    else expect(refused).toMatch(message);
  });

  test.each(["svc_get_endpoint", "svc_update_endpoint", "svc_set_endpoint_active", "svc_delete_endpoint"])(
    "%s refuses a missing endpoint",
    async (name) => {
      const needed = name === "svc_set_endpoint_active" ? { is_active: true } : {};
      for (const endpoint of ["", "e", randomUUID(), "\0", "x".repeat(300)]) {
        const shown = endpoint.length > 200 ? `${endpoint.slice(0, 200)}…` : endpoint;
        expect(await refusal(name, { endpoint, ...needed })).toBe(`Endpoint not found: ${shown}`);
      }
      expect(await refusal(name, {})).toBe("Missing required argument: endpoint");
      expect(await refusal(name, { endpoint: 5, ...needed })).toBe("endpoint must be string");
    },
  );
});

test("the usage of a deleted endpoint has no slug", async () => {
  const { uuid: endpoint, slug } = await run<{ uuid: string; slug: string }>("svc_create_endpoint", {
    project,
    slug: newName("e"),
    targets,
  });
  const month = "2020-02";
  const { log } = createSilentTelemetry();
  const database = openDatabase({ url: new Secret(chat.databaseUrl), schema: "chat", connectionsMax: 1, log });
  const spent = "INSERT INTO budget_ledgers (endpoint_uuid, month, project_uuid, requests) VALUES ($1, $2, $3, 1)";
  await database.pool.query(spent, [endpoint, month, project]);
  await database.close();
  expect(await run("svc_get_usage", { project, month })).toMatchObject({ endpoints: [{ endpoint, slug }] });
  await run("svc_delete_endpoint", { endpoint });
  expect(await run("svc_get_usage", { project, month })).toMatchObject({ endpoints: [{ endpoint, slug: null }] });
});

test("usage is shown by month, and refused for an unknown endpoint", async () => {
  const { uuid: endpoint } = await create();
  const none = { requests: 0, prompt_tokens: 0, completion_tokens: 0, cost_usd: 0 };
  expect(await run("svc_get_usage", { endpoint, month: "2020-01" })).toEqual({
    month: "2020-01",
    endpoints: [],
    total: none,
  });
  expect(await run("svc_get_usage", { endpoint, month: "2020-01", group_by: "user" })).toEqual({
    month: "2020-01",
    endpoints: [],
    users: [],
    total: none,
  });
  expect(await refusal("svc_get_usage", { month: "2020-13" })).toBe("month must have the form YYYY-MM");
  expect(await refusal("svc_get_usage", { endpoint: "x" })).toBe("Endpoint not found: x");
});

const awkward = fc.oneof(
  fc.constantFrom<unknown>(null, "", " ", "\0", "\ud800", "x".repeat(9_000), -0, 1e300, -1, 2_147_483_648, 1.5, 9e15),
  fc.constantFrom<unknown>([], [[]], {}, { a: null }, "__proto__", "mock", true, 1, targets, [null, {}]),
  fc.jsonValue({ maxDepth: 3 }),
);

test("no arguments cause an internal error: each call succeeds or is refused", async () => {
  const names = ["svc_create_provider", "svc_update_provider", "svc_delete_provider", "svc_list_credentials"];
  names.push("svc_create_credential", "svc_update_credential", "svc_create_endpoint", "svc_update_endpoint");
  names.push("svc_list_endpoints", "svc_get_usage", "svc_set_endpoint_active");
  const { uuid: endpoint } = await create();
  const operations = await Promise.all(
    names.map(async (name) => {
      const { inputSchema } = await chat.admin.describe(name);
      return { name, members: Object.keys(inputSchema["properties"] as object) };
    }),
  );
  const call = fc.constantFrom(...operations).chain(({ name, members }) =>
    fc.record({
      name: fc.constant(name),
      given: fc.dictionary(fc.constantFrom(...members, "extra"), awkward, { noNullPrototype: true, maxKeys: 8 }),
    }),
  );
  await fc.assert(
    fc.asyncProperty(call, async ({ name, given }) => {
      // Valid project and endpoint, so that more of the other arguments are checked.
      const args = {
        ...given,
        ...("project" in given ? { project } : {}),
        ...("endpoint" in given ? { endpoint } : {}),
      };
      await run(name, args).catch((err: unknown) => {
        if (!isGatewayError(err)) throw err;
        expect([name, err.code]).toEqual([
          name,
          expect.stringMatching(/^(invalid_argument|not_found|already_exists)$/),
        ]);
      });
    }),
    { numRuns: 400 },
  );
});

async function rowsOf(table: "credentials" | "endpoints"): Promise<Readonly<Record<string, unknown>>[]> {
  const { log } = createSilentTelemetry();
  const url = new Secret(chat.databaseUrl);
  const stored = openDatabase({ url, schema: "chat", connectionsMax: 1, log });
  const { rows } = await stored.pool.query<Record<string, unknown>>(`SELECT * FROM ${table}`);
  await stored.close();
  return rows;
}
