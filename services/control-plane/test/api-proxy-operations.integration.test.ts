import { connectLocally } from "@gatehouse/rpc";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { refusal, run, startControlPlane, type TestControlPlane } from "./control-plane.ts";
import { createFakeApiProxy, type FakeApiProxy } from "./fake-api-proxy.ts";

let plane: TestControlPlane;
let apiProxy: FakeApiProxy;
let project: string;

beforeAll(async () => {
  apiProxy = createFakeApiProxy();
  plane = await startControlPlane({ peers: { apiProxy: connectLocally(apiProxy.binding) } });
  const made = await run(plane.service, "svc_create_project", { name: "Acme", project_type: "api_gateway" });
  project = String(made["uuid"]);
});

afterAll(async () => await plane.stop());

const weather = { slug: "weather", upstream_url: "https://api.example.com/v2", allowed_methods: ["get", "POST"] };

async function create(further: object = {}): Promise<{ readonly uuid: string }> {
  return await run(plane.service, "svc_create_endpoint", { project, ...weather, ...further });
}

describe("endpoints of an api_gateway project", () => {
  test("are shown in the contract's form, and name who made them", async () => {
    expect(await create()).toEqual({
      uuid: expect.any(String),
      slug: "weather",
      project,
      is_active: true,
      upstream_url: "https://api.example.com/v2",
      allowed_methods: ["GET", "POST"],
      auth: { type: "none" },
      timeout_ms: null,
      description: null,
      created_at: "2026-11-21T08:00:00.000Z",
      updated_at: "2026-11-21T08:00:00.000Z",
    });
    expect(apiProxy.origins.at(-1)).toMatchObject({ actor: "admin_key:initial", project: { uuid: project } });
  });

  test.each([
    [
      { type: "header", name: "X-Api-Key", value: "s3cret" },
      { type: "header", name: "X-Api-Key" },
    ],
    [
      { type: "basic", username: "ann", password: "s3cret" },
      { type: "basic", username: "ann" },
    ],
    [
      { type: "oauth", connection_id: 7 },
      { type: "oauth", connection_id: 7 },
    ],
    [{ type: "none" }, { type: "none" }],
  ])("keep the secret of auth %o to themselves", async (auth, shown) => {
    const endpoint = await create({ auth });
    expect(endpoint).toMatchObject({ auth: shown });
    expect(JSON.stringify(endpoint)).not.toContain("s3cret");
    expect(JSON.stringify(apiProxy.auths.at(-1))).toContain("value" in auth || "password" in auth ? "s3cret" : "");
  });

  test("are changed in what is named, and null takes a setting away", async () => {
    const { uuid } = await create({ timeout_ms: 500, description: "d" });
    const change = { endpoint: uuid, timeout_ms: null, allowed_methods: ["delete"] };
    expect(await run(plane.service, "svc_update_endpoint", change)).toMatchObject({
      ...weather,
      allowed_methods: ["DELETE"],
      timeout_ms: null,
      description: "d",
    });
    expect(await run(plane.service, "svc_update_endpoint", { endpoint: uuid })).toMatchObject({ description: "d" });
  });

  test("are switched, shown, listed and deleted like any other", async () => {
    const { uuid } = await create();
    const off = { endpoint: uuid, is_active: false };
    expect(await run(plane.service, "svc_set_endpoint_active", off)).toMatchObject({ uuid, is_active: false });
    expect(await run(plane.service, "svc_get_endpoint", { endpoint: uuid })).toMatchObject({ uuid, is_active: false });
    const { endpoints } = await run(plane.service, "svc_list_endpoints", { project });
    expect(endpoints).toContainEqual(expect.objectContaining({ uuid }));
    await run(plane.service, "svc_delete_endpoint", { endpoint: uuid });
    expect(await refusal(plane.service, "svc_get_endpoint", { endpoint: uuid })).toBe(
      `-32602 Endpoint not found: ${uuid}`,
    );
  });

  test.each([
    [{ upstream_url: undefined }, "Missing required argument: upstream_url"],
    [{ upstream_url: "ftp://example.com" }, "upstream_url must be an http or https URL"],
    [{ allowed_methods: undefined }, "Missing required argument: allowed_methods"],
    [{ allowed_methods: [] }, "allowed_methods must have from 1 to 7 items"],
    [{ allowed_methods: ["GET", "TRACE"] }, "Invalid allowed_methods[1]: TRACE"],
    [{ allowed_methods: "GET" }, "allowed_methods must be array"],
    [{ auth: "none" }, "auth must be object"],
    [{ auth: { type: "digest" } }, "Invalid auth.type: digest"],
    [{ auth: { type: "header", name: "X-Key" } }, "Missing required argument: auth.value"],
    [{ auth: { type: "basic", username: "ann" } }, "Missing required argument: auth.password"],
    [{ auth: { type: "oauth", connection_id: "1" } }, "auth.connection_id must be integer"],
    [{ timeout_ms: 0 }, "timeout_ms must be from 1 to 600000"],
    [{ slug: "v1" }, "slug must not be one of chat, mcp, v1"],
  ])("are refused with %o", async (wrong, message) => {
    const args = { project, ...weather, ...wrong };
    expect(await refusal(plane.service, "svc_create_endpoint", args)).toBe(`-32602 ${message}`);
  });
});

describe("OAuth connections", () => {
  const connection = {
    name: "crm",
    token_url: "https://login.example.com/token",
    client_id: "gate",
    client_secret: "s3cret",
    grant: "client_credentials",
    scopes: ["read"],
  };

  test("are made, listed and deleted without showing a secret", async () => {
    const { client_secret: _secret, ...shown } = connection;
    const made = await run(plane.service, "svc_create_oauth_connection", { project, ...connection });
    const state = { status: "connected", last_error: null, expires_at: "2026-11-21T08:00:00.000Z" };
    const expected = { id: 1, project, ...shown, ...state, created_at: "2026-11-21T08:00:00.000Z" };
    expect(made).toEqual(expected);
    const listed = await run(plane.service, "svc_list_oauth_connections", { project });
    expect(listed).toEqual({ oauth_connections: [expected], next_cursor: null });
    expect(await run(plane.service, "svc_delete_oauth_connection", { connection_id: 1 })).toEqual({
      ...expected,
      deleted: true,
    });
  });

  test("are refused by what is wrong", async () => {
    const refused = async (wrong: object) =>
      await refusal(plane.service, "svc_create_oauth_connection", { project, ...connection, ...wrong });
    expect(await refused({ grant: "password" })).toBe("-32602 Invalid grant: password");
    expect(await refused({ client_secret: undefined })).toBe("-32602 Missing required argument: client_secret");
    expect(await refused({ scopes: "read" })).toBe("-32602 scopes must be array");
    const other = await run(plane.service, "svc_create_project", { name: "AI", project_type: "ai_gateway" });
    expect(await refused({ project: other.uuid })).toBe(
      "-32602 Projects of type ai_gateway cannot have OAuth connections; api_gateway projects can.",
    );
    expect(await refusal(plane.service, "svc_delete_oauth_connection", { connection_id: 99 })).toBe(
      "-32602 OAuth connection not found: 99",
    );
  });
});
