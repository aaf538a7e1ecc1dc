import { randomUUID } from "node:crypto";
import { createTestDatabase, type TestDatabase } from "@gatehouse/postgres/testing";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newProject, type ProxyKit, startProxyKit } from "./proxy-kit.ts";

let database: TestDatabase;
let kit: ProxyKit;
let project: string;

beforeAll(async () => {
  database = await createTestDatabase();
  kit = await startProxyKit({ database });
  project = kit.principal.project.uuid;
});

afterAll(async () => {
  await kit.close();
  await database.drop();
});

const weather = { upstream_url: "http://127.0.0.1/v2", allowed_methods: ["get", "POST"] };
const newSlug = () => `s-${randomUUID().slice(0, 8)}`;

async function create(further: object = {}): Promise<{ readonly uuid: string; readonly [field: string]: unknown }> {
  return await kit.admin.call("svc_create_endpoint", { project, slug: newSlug(), ...weather, ...further });
}

describe("endpoints of an api_gateway project", () => {
  test("are shown in the contract's form", async () => {
    expect(await create({ slug: "weather" })).toEqual({
      uuid: expect.any(String),
      slug: "weather",
      project,
      is_active: true,
      upstream_url: "http://127.0.0.1/v2",
      allowed_methods: ["GET", "POST"],
      auth: { type: "none" },
      timeout_ms: null,
      description: null,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
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
    [{ type: "none" }, { type: "none" }],
  ])("do not show the secret of auth %o", async (auth, shown) => {
    const endpoint = await create({ auth });
    expect(endpoint["auth"]).toEqual(shown);
    expect(JSON.stringify(endpoint)).not.toContain("s3cret");
  });

  test("are changed in what is named, null takes a setting away, and only changes are recorded", async () => {
    const { uuid: endpoint } = await create({ timeout_ms: 500, description: "d" });
    const change = { endpoint, timeout_ms: null, allowed_methods: ["delete"] };
    const changed = await kit.admin.call("svc_update_endpoint", change);
    expect(changed).toMatchObject({ allowed_methods: ["DELETE"], timeout_ms: null, description: "d" });
    expect(await kit.admin.call("svc_update_endpoint", { endpoint })).toEqual(changed);
    expect(await kit.admin.call("svc_update_endpoint", { ...change, description: "d" })).toEqual(changed);
    const auth = { type: "header", name: "X-Key", value: "v" };
    await kit.admin.call("svc_update_endpoint", { endpoint, auth, slug: null });
    expect(await updatesOf(endpoint)).toEqual([["allowed_methods", "timeout_ms"], ["auth"]]);
  });

  test.each([
    { type: "header", name: "X-Key", value: "v" },
    { type: "basic", username: "ann", password: "p" },
  ])("keep the credentials of auth %o from another host", async (auth) => {
    const { uuid: endpoint, upstream_url: present } = await create({ auth });
    const change = async (given: object) => await kit.admin.call("svc_update_endpoint", { endpoint, ...given });
    const upstream_url = "https://elsewhere.example/";
    const message =
      "upstream_url: the stored auth would be sent to another host. Give auth again with the new upstream_url.";
    await expect(change({ upstream_url })).rejects.toMatchObject({ code: "invalid_argument", message });
    const path = new URL("/other", String(present)).href;
    expect(await change({ upstream_url: path })).toMatchObject({ upstream_url: path });
    expect(await change({ upstream_url, auth })).toMatchObject({ upstream_url });
    expect(await change({ upstream_url: path, auth: { type: "none" } })).toMatchObject({ upstream_url: path });
    expect(await change({ upstream_url })).toMatchObject({ upstream_url });
  });

  test("are switched, shown, listed and deleted, by a uuid in either case", async () => {
    const { uuid: endpoint } = await create();
    const off = { endpoint, is_active: false };
    expect(await kit.admin.call("svc_set_endpoint_active", off)).toMatchObject({ uuid: endpoint, is_active: false });
    const shown = await kit.admin.call("svc_get_endpoint", { endpoint: endpoint.toUpperCase() });
    expect(shown).toMatchObject({ uuid: endpoint, is_active: false });
    expect(await kit.admin.endpoints()).toContainEqual(shown);
    expect(await kit.admin.findProject("svc_get_endpoint", endpoint)).toBe(project);
    expect(await kit.admin.call("svc_delete_endpoint", { endpoint })).toMatchObject({ uuid: endpoint, deleted: true });
    const gone = { code: "not_found", message: `Endpoint not found: ${endpoint}` };
    await expect(kit.admin.call("svc_get_endpoint", { endpoint })).rejects.toMatchObject(gone);
    await expect(kit.admin.findProject("svc_get_endpoint", endpoint)).rejects.toMatchObject(gone);
  });

  test.each([
    [{ upstream_url: undefined }, "Missing required argument: upstream_url"],
    [{ upstream_url: "ftp://example.com" }, "upstream_url must be an http or https URL"],
    [{ upstream_url: "https://example.com/?a=1" }, "upstream_url must not have a query or a fragment"],
    [{ allowed_methods: undefined }, "Missing required argument: allowed_methods"],
    [{ allowed_methods: [] }, "allowed_methods must have from 1 to 7 items"],
    [{ allowed_methods: ["GET", "TRACE"] }, "Invalid allowed_methods[1]: TRACE"],
    [{ allowed_methods: "GET" }, "allowed_methods must be array"],
    [{ auth: "none" }, "auth must be object"],
    [{ auth: { type: "digest" } }, "Invalid auth.type: digest"],
    [{ auth: { type: "none", value: "x" } }, "Unknown argument: auth.value"],
    [{ auth: { type: "header", name: "X-Key" } }, "Missing required argument: auth.value"],
    [{ auth: { type: "header", name: "Host", value: "x" } }, "auth.name must not be 'Host': the gateway sets it"],
    [
      { auth: { type: "header", name: "X-Key", value: "x".repeat(8_193) } },
      "auth.value must have at most 8192 characters",
    ],
    [{ auth: { type: "basic", username: "ann" } }, "Missing required argument: auth.password"],
    [
      { auth: { type: "basic", username: "a:b", password: "" } },
      "auth.username must not contain ':' or control characters",
    ],
    [{ auth: { type: "basic", username: "ann", password: "a\nb" } }, "auth.password must not have control characters"],
    [{ auth: { type: "oauth", connection_id: "1" } }, "auth.connection_id must be integer"],
    [{ auth: { type: "oauth", connection_id: 0 } }, "OAuth connection not found: 0"],
    [{ auth: { type: "oauth", connection_id: 1e12 } }, "OAuth connection not found: 1000000000000"],
    [{ auth: { type: "basic", username: "", password: "" } }, "auth.username must not be empty where auth.password is"],
    [{ timeout_ms: 0 }, "timeout_ms must be from 1 to 600000"],
    [{ timeout_ms: 600_001 }, "timeout_ms must be from 1 to 600000"],
    [{ slug: "v1" }, "slug must not be one of chat, mcp, v1"],
    [{ timeout: 5 }, "Unknown argument: timeout. Did you mean 'timeout_ms'?"],
  ])("are refused with %o", async (wrong, message) => {
    await expect(create(wrong)).rejects.toMatchObject({ code: "invalid_argument", message });
  });

  test("belong to projects of one type", async () => {
    const other = { ...newProject(), projectType: "mcp_gateway" } as const;
    const kitOfOther = await startProxyKit({ database, project: other });
    const message = "Projects of type mcp_gateway cannot have endpoints in this version.";
    await expect(kitOfOther.admin.call("svc_create_endpoint", { project: other.uuid })).rejects.toMatchObject({
      message,
    });
    await expect(kitOfOther.admin.call("svc_create_oauth_connection", {})).rejects.toMatchObject({
      message: "Projects of type mcp_gateway cannot have OAuth connections; api_gateway projects can.",
    });
    expect(await kitOfOther.admin.call("svc_list_oauth_connections", { project: other.uuid })).toEqual({
      oauth_connections: [],
      next_cursor: null,
    });
    await kitOfOther.close();
  });
});

/** The changed arguments of each update of an endpoint, in order. */
async function updatesOf(endpoint: string): Promise<unknown[]> {
  const sql = new pg.Client({ connectionString: database.url });
  await sql.connect();
  const { rows } = await sql.query<{ changed: unknown }>(
    `SELECT body::jsonb->'metadata'->'changed' AS changed FROM api_proxy.audit_outbox
      WHERE body::jsonb->>'event' = 'endpoint.updated' AND body::jsonb->'metadata'->>'endpoint' = $1 ORDER BY seq`,
    [endpoint],
  );
  await sql.end();
  return rows.map(({ changed }) => changed);
}
