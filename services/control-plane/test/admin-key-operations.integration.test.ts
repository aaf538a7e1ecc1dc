import { createTestDatabase, type TestDatabase } from "@gatehouse/postgres/testing";
import { hashToken, mintAdminKey } from "@gatehouse/principal";
import { Secret } from "@gatehouse/vault";
import { afterAll, beforeAll, expect, test } from "vitest";
import { refusal, run, startControlPlane, type TestControlPlane } from "./control-plane.ts";

interface Key {
  readonly id: number;
  readonly name: string;
  readonly key: string;
  readonly [field: string]: unknown;
}

const environmentKey = mintAdminKey().reveal();
let database: TestDatabase;
let plane: TestControlPlane;
let now = new Date("2030-01-01T00:00:00Z");

beforeAll(async () => {
  database = await createTestDatabase();
  plane = await start();
});

afterAll(async () => {
  await plane.stop();
  await database.drop();
});

async function start(isEnabled = true): Promise<TestControlPlane> {
  const config = { adminKey: new Secret(environmentKey), adminKeyEnabled: isEnabled };
  return await startControlPlane({ databaseUrl: database.url, config, wallNow: () => now.getTime() });
}

const create = async (args: object) =>
  await run<Key>(plane.service, "svc_create_admin_key", { role: "owner", ...args });
const refused = async (name: string, args: object) => await refusal(plane.service, name, args);

async function resolve(key: string) {
  return (await plane.principals.resolveAdminKey({ keyHash: hashToken(key), ipAddress: "::1" })).adminKey;
}

test("a created key has its role, projects and expiry, and its plaintext is shown once", async () => {
  const project = await run<{ uuid: string }>(plane.service, "svc_create_project", {
    name: "Shop",
    project_type: "ai_gateway",
  });
  const expiresAt = "2030-02-01T00:00:00.000Z";
  const projects = [project.uuid.toUpperCase(), project.uuid];
  const { key, ...shown } = await create({ name: "robot", role: "viewer", projects, expires_at: expiresAt });
  expect(key).toMatch(/^svc_admin_[0-9A-Za-z]{36}$/);
  expect(shown).toEqual({
    id: expect.any(Number),
    name: "robot",
    role: "viewer",
    projects: [project.uuid],
    source: "administrator",
    is_active: true,
    created_at: expect.any(String),
    last_used_at: null,
    expires_at: expiresAt,
  });
  expect(await resolve(key)).toEqual({
    id: shown.id,
    name: "robot",
    role: "viewer",
    projects: { uuids: [project.uuid] },
    expiresAt: new Date(expiresAt),
  });
  const { admin_keys: listed } = await run<{ admin_keys: Key[] }>(plane.service, "svc_list_admin_keys", {});
  expect(listed.map(({ name, source }) => [name, source])).toEqual([
    ["environment", "environment"],
    ["robot", "administrator"],
  ]);
  expect(JSON.stringify(listed)).not.toContain(key);
  now = new Date(expiresAt);
  expect(await resolve(key)).toBeUndefined();
  expect(await refused("svc_rotate_admin_key", { admin_key_id: shown.id })).toBe(
    `-32602 Admin key has expired: ${shown.id}. Create a new one instead.`,
  );
});

test.each([
  [{}, "-32602 Missing required argument: name"],
  [{ name: "a" }, "-32602 Missing required argument: role"],
  [{ name: "a", role: "root" }, "-32602 Invalid role: root"],
  [{ name: "a", role: "viewer", projects: [] }, expect.stringMatching(/^-32602 projects must/)],
  [{ name: "a", role: "viewer", projects: ["x"] }, "-32602 Project not found: x"],
  [
    { name: "a", role: "viewer", projects: ["00000000-0000-0000-0000-000000000000"] },
    "-32602 Project not found: 00000000-0000-0000-0000-000000000000",
  ],
  [{ name: "a", role: "viewer", expires_at: "2000-01-01T00:00:00Z" }, "-32602 expires_at must lie in the future"],
  [
    { name: "robot", role: "owner" },
    "-32602 An admin key named robot, or with a name that looks like it, exists already, or did. Choose another name.",
  ],
  [
    { name: "environment", role: "owner" },
    "-32602 name must not be environment or initial, as the gateway names its own keys, nor look like these",
  ],
  [
    { name: "initial", role: "owner" },
    "-32602 name must not be environment or initial, as the gateway names its own keys, nor look like these",
  ],
])("svc_create_admin_key with %j is refused", async (args, message) => {
  expect(await refused("svc_create_admin_key", args)).toEqual(message);
});

test.each(["Environment", "INITIAL", "\u0435nvironment", "in\u0456tial", "lnitial", "\u0131nitial", "Environrnent"])(
  "the name %j, which looks like that of the gateway's own key, is refused",
  async (name) => {
    const message = await refused("svc_create_admin_key", { name, role: "owner" });
    expect(message).toMatch(/^-32602 name must not be environment or initial/);
  },
);

test("a name that differs from another key's in case or look-alike letters only is refused", async () => {
  await create({ name: "Operator" });
  for (const name of ["operator", "\u041eperator", "OPERATOR", "0perator"]) {
    expect(await refused("svc_create_admin_key", { name, role: "viewer" })).toBe(
      "-32602 An admin key named Operator, or with a name that looks like it, exists already, or did. Choose another name.",
    );
  }
  expect(await create({ name: "Operator 2" })).toMatchObject({ name: "Operator 2" });
});

const unseen = [
  "\u3164",
  "\u2800",
  "\u034f",
  "\ufe0f",
  "\u17b4",
  "\u180b",
  "\uffa0",
  "\u1160",
  "\u{e0100}",
  "\u{1d159}",
];

test.each([
  " environment",
  "environ\u200bment",
  "environment\u00a0",
  "the  environment",
  ...unseen.map((character) => `environment${character}`),
])("the name %j, which looks like another, is refused", async (name) => {
  const message = await refused("svc_create_admin_key", { name, role: "owner" });
  expect(message).toMatch(/^-32602 name must not begin or end with white space/);
});

test("a name in another form of Unicode is the same name", async () => {
  expect(await create({ name: "Rene\u0301" })).toMatchObject({ name: "Ren\u00e9" });
  const again = await refused("svc_create_admin_key", { name: "Ren\u00e9", role: "viewer" });
  expect(again).toContain("exists already, or did");
});

test("a rotated key has another plaintext, and a revoked key no longer works", async () => {
  const { id, key } = await create({ name: "rotated" });
  const { key: next } = await run<Key>(plane.service, "svc_rotate_admin_key", { admin_key_id: id });
  expect([await resolve(key), (await resolve(next))?.id]).toEqual([undefined, id]);
  const { session, sessionId } = await plane.principals.openSession({ adminKeyId: id, keyHash: hashToken(next) });
  expect(session?.adminKey?.name).toBe("rotated");
  for (const _time of [1, 2]) {
    expect(await run(plane.service, "svc_revoke_admin_key", { admin_key_id: id })).toMatchObject({ is_active: false });
  }
  expect(await resolve(next)).toBeUndefined();
  expect((await plane.principals.resolveSession({ sessionHash: hashToken(sessionId) })).session).toBeUndefined();
  expect(await refused("svc_rotate_admin_key", { admin_key_id: id })).toBe(
    `-32602 Admin key is revoked: ${id}. Create a new one instead.`,
  );
  expect(await refused("svc_create_admin_key", { name: "rotated", role: "owner" })).toContain("exists already, or did");
});

test("a rotation ends the key's console sessions", async () => {
  const { id, key } = await create({ name: "signed-in" });
  const { sessionId } = await plane.principals.openSession({ adminKeyId: id, keyHash: hashToken(key) });
  await run<Key>(plane.service, "svc_rotate_admin_key", { admin_key_id: id });
  expect((await plane.principals.resolveSession({ sessionHash: hashToken(sessionId) })).session).toBeUndefined();
});

test("the environment's key is neither rotated nor revoked here", async () => {
  const id = (await resolve(environmentKey))?.id;
  for (const name of ["svc_rotate_admin_key", "svc_revoke_admin_key"]) {
    expect(await refused(name, { admin_key_id: id })).toContain("comes from the environment");
  }
});

test.each([0, 999_999, 2_147_483_648])("admin key %d is unknown", async (id) => {
  for (const name of ["svc_rotate_admin_key", "svc_revoke_admin_key"]) {
    expect(await refused(name, { admin_key_id: id })).toBe(`-32602 Admin key not found: ${id}`);
  }
});

test("the environment's key can be switched off once another owner exists, who cannot be revoked then", async () => {
  await plane.stop();
  const alone = await createTestDatabase();
  const config = { adminKey: new Secret(environmentKey), adminKeyEnabled: false };
  await expect(startControlPlane({ databaseUrl: alone.url, config })).rejects.toThrow("no other owner exists");
  await alone.drop();
  plane = await start();
  const { id } = await create({ name: "alice" });
  for (const { id: other, name } of (await run<{ admin_keys: Key[] }>(plane.service, "svc_list_admin_keys", {}))
    .admin_keys) {
    if (name !== "alice" && name !== "environment") {
      await run(plane.service, "svc_revoke_admin_key", { admin_key_id: other });
    }
  }
  await plane.stop();
  plane = await start(false);
  expect(await resolve(environmentKey)).toBeUndefined();
  expect(await refused("svc_revoke_admin_key", { admin_key_id: id })).toContain("is the last owner's");
  const heir = await create({ name: "bob", expires_at: "2031-01-01T00:00:00Z" });
  expect(await refused("svc_revoke_admin_key", { admin_key_id: id })).toContain("is the last owner's");
  await run(plane.service, "svc_revoke_admin_key", { admin_key_id: heir.id });
});
