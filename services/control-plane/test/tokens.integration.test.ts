import { checksumHolds, hashToken } from "@gatehouse/principal";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { refusal, run, startControlPlane, type TestControlPlane } from "./control-plane.ts";

interface Token {
  readonly id: number;
  readonly token: string;
  readonly [field: string]: unknown;
}

let plane: TestControlPlane;
let now = new Date("2030-01-01T00:00:00Z");

beforeAll(async () => {
  plane = await startControlPlane({ wallNow: () => now.getTime() });
});

afterAll(async () => {
  await plane.stop();
});

async function createProject(args: object = {}): Promise<{ uuid: string; id: number }> {
  return await run(plane.service, "svc_create_project", { name: "Shop", project_type: "ai_gateway", ...args });
}

async function createToken(project: string, args: object = {}): Promise<Token> {
  return await run<Token>(plane.service, "svc_create_token", { project, name: "web", scopes: ["chat"], ...args });
}

async function resolve(token: string) {
  return (await plane.principals.resolveToken({ tokenHash: hashToken(token) })).principal;
}

test("a created token resolves to its principal, with its project and limits", async () => {
  const project = await createProject({ rate_limit_per_hour: null });
  const created = await createToken(project.uuid, { scopes: ["mcp", "chat", "mcp"], rate_limit_per_minute: 5 });
  expect(checksumHolds(created.token)).toBe(true);
  expect(await resolve(created.token)).toEqual({
    tokenId: created.id,
    tokenName: "web",
    environment: "live",
    scopes: ["mcp", "chat"],
    expiresAt: undefined,
    tokenRateLimits: { perMinute: 5, perHour: undefined },
    project: {
      id: project.id,
      uuid: project.uuid,
      name: "Shop",
      projectType: "ai_gateway",
      rateLimits: { perMinute: 600, perHour: undefined },
    },
  });
});

test.each(["0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"])("%s can be stored as an expiry", async (moment) => {
  const { uuid } = await createProject();
  const { id } = await createToken(uuid, { expires_at: moment });
  expect(await run(plane.service, "svc_get_token", { token_id: id })).toMatchObject({ expires_at: moment });
});

test("a token's fields are those of the contract", async () => {
  const { uuid } = await createProject();
  const { token, ...fields } = await createToken(uuid, {
    environment: "test",
    expires_at: "2031-01-01T00:00:00+01:00",
  });
  expect(token).toMatch(/^svc_test_[0-9A-Za-z]{36}$/);
  expect(fields).toEqual({
    id: expect.any(Number),
    name: "web",
    scopes: ["chat"],
    is_active: true,
    environment: "test",
    project: uuid,
    rate_limit_per_minute: null,
    rate_limit_per_hour: null,
    user_rate_limit_per_minute: null,
    user_monthly_budget_usd: null,
    endpoints: null,
    tools: null,
    networks: null,
    created_at: expect.stringMatching(/^20.*Z$/),
    last_used_at: null,
    expires_at: "2030-12-31T23:00:00.000Z",
  });
});

test("unknown tokens and hashes of another length resolve to no principal", async () => {
  expect(await resolve("svc_live_nobody")).toBeUndefined();
  expect((await plane.principals.resolveToken({ tokenHash: Buffer.alloc(0) })).principal).toBeUndefined();
  expect((await plane.principals.resolveToken({ tokenHash: Buffer.alloc(1_000) })).principal).toBeUndefined();
});

test("rotation keeps the id, and only the newest plaintext works", async () => {
  const { uuid } = await createProject();
  const first = await createToken(uuid, { environment: "test" });
  const second = await run<Token>(plane.service, "svc_rotate_token", { token_id: first.id });
  const third = await run<Token>(plane.service, "svc_rotate_token", { token_id: first.id });
  expect([second.id, third.id]).toEqual([first.id, first.id]);
  expect(third.token).toMatch(/^svc_test_/);
  expect(await resolve(first.token)).toBeUndefined();
  expect(await resolve(second.token)).toBeUndefined();
  expect((await resolve(third.token))?.tokenId).toBe(first.id);
});

test("name, limits and expiry can be changed; the plaintext and what is not named stay", async () => {
  const { uuid } = await createProject();
  const { id, token } = await createToken(uuid, { rate_limit_per_minute: 5, rate_limit_per_hour: 50 });
  const change = async (changes: object) => await run(plane.service, "svc_update_token", { token_id: id, ...changes });
  const renamed = { id, name: "app", scopes: ["chat"], rate_limit_per_minute: 5, rate_limit_per_hour: null };
  expect(await change({ name: "app", rate_limit_per_hour: null })).toMatchObject(renamed);
  expect(await resolve(token)).toMatchObject({
    tokenName: "app",
    tokenRateLimits: { perMinute: 5, perHour: undefined },
    expiresAt: undefined,
  });
  expect(await change({ expires_at: "2030-01-01T00:00:00Z" })).toMatchObject({
    ...renamed,
    expires_at: "2030-01-01T00:00:00.000Z",
  });
  expect(await resolve(token)).toBeUndefined();
  expect(await change({ expires_at: null })).toMatchObject({ ...renamed, expires_at: null });
  expect((await resolve(token))?.tokenId).toBe(id);
});

test("a token is shown by its id as the list shows it, revoked too, and never its plaintext", async () => {
  const { uuid } = await createProject();
  const { id, token } = await createToken(uuid);
  const { tokens } = await run<{ tokens: object[] }>(plane.service, "svc_list_tokens", { project: uuid });
  const shown = await run(plane.service, "svc_get_token", { token_id: id });
  expect(shown).toEqual(tokens[0]);
  expect(JSON.stringify(shown)).not.toContain(token);
  await run(plane.service, "svc_revoke_token", { token_id: id });
  expect(await run(plane.service, "svc_get_token", { token_id: id })).toMatchObject({ id, is_active: false });
});

test("a revoked token cannot be changed", async () => {
  const { uuid } = await createProject();
  const { id } = await createToken(uuid);
  await run(plane.service, "svc_revoke_token", { token_id: id });
  expect(await refusal(plane.service, "svc_update_token", { token_id: id, name: "app" })).toBe(
    `-32602 Token is revoked: ${id}. Create a new token instead.`,
  );
});

test("revocation is final and repeatable", async () => {
  const { uuid } = await createProject();
  const { id, token } = await createToken(uuid);
  expect(await run(plane.service, "svc_revoke_token", { token_id: id })).toMatchObject({ id, is_active: false });
  expect(await run(plane.service, "svc_revoke_token", { token_id: id })).toMatchObject({ id, is_active: false });
  expect(await resolve(token)).toBeUndefined();
  expect(await refusal(plane.service, "svc_rotate_token", { token_id: id })).toBe(
    `-32602 Token is revoked: ${id}. Create a new token instead.`,
  );
});

test("an expired token resolves to no principal and cannot be rotated, until it gets a later expiry", async () => {
  const { uuid } = await createProject();
  const { id, token } = await createToken(uuid, { expires_at: "2030-01-01T00:00:01Z" });
  expect((await resolve(token))?.expiresAt).toEqual(new Date("2030-01-01T00:00:01Z"));
  now = new Date("2030-01-01T00:00:01Z");
  expect(await resolve(token)).toBeUndefined();
  const problem = `-32602 Token has expired: ${id}. Give it a later expires_at first, or create a new token.`;
  expect(await refusal(plane.service, "svc_rotate_token", { token_id: id })).toBe(problem);
  expect(await run(plane.service, "svc_get_token", { token_id: id })).toMatchObject({ is_active: true });
  await run(plane.service, "svc_update_token", { token_id: id, expires_at: "2030-01-01T00:00:02Z" });
  expect((await resolve(token))?.expiresAt).toEqual(new Date("2030-01-01T00:00:02Z"));
  await run(plane.service, "svc_rotate_token", { token_id: id });
  expect(await resolve(token)).toBeUndefined();
});

test("a deleted token is not found any more", async () => {
  const { uuid } = await createProject();
  const { id, token } = await createToken(uuid);
  expect(await run(plane.service, "svc_delete_token", { token_id: id })).toMatchObject({ id, deleted: true });
  expect(await resolve(token)).toBeUndefined();
  expect(await refusal(plane.service, "svc_delete_token", { token_id: id })).toBe(`-32602 Token not found: ${id}`);
  expect(await run(plane.service, "svc_list_tokens", { project: uuid })).toEqual({ tokens: [], next_cursor: null });
});

test("the time of last use is written asynchronously", async () => {
  const { uuid } = await createProject();
  const { token } = await createToken(uuid);
  const replica = await startControlPlane({
    databaseUrl: plane.databaseUrl,
    wallNow: () => Date.parse("2030-05-05T05:05:05Z"),
  });
  await replica.principals.resolveToken({ tokenHash: hashToken(token) });
  // Stopping writes pending uses.
  await replica.stop();
  const { tokens } = await run<{ tokens: object[] }>(plane.service, "svc_list_tokens", { project: uuid });
  expect(tokens).toMatchObject([{ last_used_at: "2030-05-05T05:05:05.000Z" }]);
});

test.each([
  [{}, "Missing required argument: project"],
  [{ project: "PROJECT" }, "Missing required argument: name"],
  [{ project: "PROJECT", name: "t" }, "Missing required argument: scopes"],
  [{ project: "PROJECT", name: "t", scopes: null }, "Missing required argument: scopes"],
  [{ project: "nonsense", name: "t", scopes: [] }, "Project not found: nonsense"],
  [
    { project: "00000000-0000-4000-8000-000000000000", name: "t", scopes: [] },
    "Project not found: 00000000-0000-4000-8000-000000000000",
  ],
  [{ project: "a\u0000b", name: "t", scopes: [] }, "Project not found: a\u0000b"],
  [{ project: 7, name: "t", scopes: [] }, "project must be string"],
  [{ project: "PROJECT", name: 7, scopes: [] }, "name must be string"],
  [{ project: "PROJECT", name: " ", scopes: [] }, "name must not be empty"],
  [{ project: "PROJECT", name: "a\u0000", scopes: [] }, "name must not have control characters"],
  [{ project: "PROJECT", name: "\ud800", scopes: [] }, "name must not have control characters"],
  [{ project: "PROJECT", name: "x".repeat(201), scopes: [] }, "name must have at most 200 characters"],
  [{ project: "PROJECT", name: "t", scopes: "chat" }, "scopes must be array"],
  [{ project: "PROJECT", name: "t", scopes: [1] }, "scopes[0] must be string"],
  [{ project: "PROJECT", name: "t", scopes: ["admin", "chat", "root"] }, "Unknown scope(s): admin, root"],
  [
    { project: "PROJECT", name: "t", scopes: Array.from({ length: 17 }, () => "chat") },
    "scopes must have from 0 to 16 items",
  ],
  [{ project: "PROJECT", name: "t", scopes: [], environment: "prod" }, "Invalid environment: prod"],
  [{ project: "PROJECT", name: "t", scopes: [], expires_at: 5 }, "expires_at must be string or null"],
  [
    { project: "PROJECT", name: "t", scopes: [], expires_at: "9999-12-31T23:59:59-01:00" },
    "expires_at must be a timestamp such as 2027-01-31T12:00:00Z; the day must exist, in a year from 1 to 9999 (UTC)",
  ],
  [
    { project: "PROJECT", name: "t", scopes: [], expires_at: "soon" },
    "expires_at must be a timestamp such as 2027-01-31T12:00:00Z; the day must exist, in a year from 1 to 9999 (UTC)",
  ],
  [
    { project: "PROJECT", name: "t", scopes: [], expires_at: "2031-02-30T00:00:00Z" },
    "expires_at must be a timestamp such as 2027-01-31T12:00:00Z; the day must exist, in a year from 1 to 9999 (UTC)",
  ],
  [
    { project: "PROJECT", name: "t", scopes: [], rate_limit_per_minute: 0 },
    "rate_limit_per_minute must be from 1 to 1000000000",
  ],
  [
    { project: "PROJECT", name: "t", scopes: [], rate_limit_per_hour: "5" },
    "rate_limit_per_hour must be integer or null",
  ],
  [
    { project: "PROJECT", name: "t", scopes: [], rate_limit_per_hour: 1.5 },
    "rate_limit_per_hour must be integer or null",
  ],
])("creating a token with %j is refused: %s", async (args, message) => {
  const { uuid } = await createProject();
  const given = "project" in args && args.project === "PROJECT" ? { ...args, project: uuid } : args;
  expect(await refusal(plane.service, "svc_create_token", given)).toBe(`-32602 ${message}`);
});

test.each([
  [{}, "Missing required argument: token_id"],
  [{ token_id: "1" }, "token_id must be integer"],
  [{ token_id: 1.5 }, "token_id must be integer"],
  [{ token_id: true }, "token_id must be integer"],
  [{ token_id: 0 }, "Token not found: 0"],
  [{ token_id: -1 }, "Token not found: -1"],
  [{ token_id: 2_147_483_647 }, "Token not found: 2147483647"],
  [{ token_id: 2_147_483_648 }, "Token not found: 2147483648"],
  [{ token_id: 1e300 }, "Token not found: 1e+300"],
])("each operation on the token %j is refused: %s", async (args, message) => {
  for (const name of [
    "svc_get_token",
    "svc_update_token",
    "svc_rotate_token",
    "svc_revoke_token",
    "svc_delete_token",
  ]) {
    expect(await refusal(plane.service, name, args)).toBe(`-32602 ${message}`);
  }
});

test("rotations at the same time leave one plaintext that works", async () => {
  const { uuid } = await createProject();
  const { id } = await createToken(uuid);
  const rotated = await Promise.all(
    Array.from({ length: 4 }, async () => await run<Token>(plane.service, "svc_rotate_token", { token_id: id })),
  );
  const answers = await Promise.all(rotated.map(async ({ token }) => await resolve(token)));
  expect(answers.filter((principal) => principal !== undefined)).toHaveLength(1);
});

test("the database holds no plaintext", async () => {
  const { uuid } = await createProject();
  const { token } = await createToken(uuid);
  const client = new pg.Client({ connectionString: plane.databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ row: string }>(
    "SELECT row_to_json(t)::text AS row FROM control_plane.access_tokens t",
  );
  await client.end();
  const body = token.slice("svc_live_".length);
  expect(rows.length).toBeGreaterThan(0);
  for (const { row } of rows) expect(row).not.toContain(body);
});
