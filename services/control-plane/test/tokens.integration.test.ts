import { checksumHolds, hashToken } from "@gatehouse/principal";
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
  plane = await startControlPlane({ now: () => now });
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
    created_at: expect.stringMatching(/^20.*Z$/),
    last_used_at: null,
    expires_at: "2030-12-31T23:00:00.000Z",
  });
});

test("unknown tokens and hashes of another length resolve to nobody", async () => {
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

test("an expired token resolves to nobody and cannot be rotated", async () => {
  const { uuid } = await createProject();
  const { id, token } = await createToken(uuid, { expires_at: "2030-01-01T00:00:01Z" });
  expect((await resolve(token))?.expiresAt).toEqual(new Date("2030-01-01T00:00:01Z"));
  now = new Date("2030-01-01T00:00:01Z");
  expect(await resolve(token)).toBeUndefined();
  expect(await refusal(plane.service, "svc_rotate_token", { token_id: id })).toContain("Token has expired");
});

test("a deleted token is gone", async () => {
  const { uuid } = await createProject();
  const { id, token } = await createToken(uuid);
  expect(await run(plane.service, "svc_delete_token", { token_id: id })).toMatchObject({ id, deleted: true });
  expect(await resolve(token)).toBeUndefined();
  expect(await refusal(plane.service, "svc_delete_token", { token_id: id })).toBe(`-32602 Token not found: ${id}`);
  expect(await run(plane.service, "svc_list_tokens", { project: uuid })).toEqual({ tokens: [], next_cursor: null });
});

test("the time of last use is written away from the question", async () => {
  const own = await startControlPlane({ now: () => new Date("2030-05-05T05:05:05Z") });
  const { uuid } = await run<{ uuid: string }>(own.service, "svc_create_project", {
    name: "a",
    project_type: "ai_gateway",
  });
  const { token } = await run<Token>(own.service, "svc_create_token", { project: uuid, name: "t", scopes: [] });
  await own.principals.resolveToken({ tokenHash: hashToken(token) });
  // Stopping writes what is left; a second replica on the same database shows it.
  const reader = await startControlPlane({ databaseUrl: own.databaseUrl });
  await own.service.stop();
  const { tokens } = await run<{ tokens: object[] }>(reader.service, "svc_list_tokens", { project: uuid });
  expect(tokens).toMatchObject([{ last_used_at: "2030-05-05T05:05:05.000Z" }]);
  await reader.stop();
});
