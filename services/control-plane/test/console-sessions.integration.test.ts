import { createTestDatabase, type TestDatabase } from "@gatehouse/postgres/testing";
import { hashToken, mintAdminKey, type Principal } from "@gatehouse/principal";
import { Secret } from "@gatehouse/vault";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sessionsPerKeyMax, userAgentLengthMax } from "../src/domain/console-session.ts";
import { admin, type RpcAnswer, run, send, startControlPlane, type TestControlPlane } from "./control-plane.ts";

const minuteMs = 60_000;
const bounds = { idleMs: 10 * minuteMs, lifeMs: 60 * minuteMs };
const key = mintAdminKey().reveal();
let database: TestDatabase;
let plane: TestControlPlane;
let nowMs = Date.parse("2026-11-22T12:00:00Z");

beforeAll(async () => {
  database = await createTestDatabase();
  plane = await start();
});

afterAll(async () => {
  await plane.stop();
  await database.drop();
});

async function start(): Promise<TestControlPlane> {
  const config = { adminKey: new Secret(key), sessions: bounds };
  return await startControlPlane({ databaseUrl: database.url, config, wallNow: () => nowMs });
}

/** Stopping writes pending uses. */
async function restart(): Promise<void> {
  await plane.stop();
  plane = await start();
}

async function adminKeyId(): Promise<number> {
  const { adminKey } = await plane.principals.resolveAdminKey({ keyHash: hashToken(key), ipAddress: "::1" });
  return adminKey?.id ?? 0;
}

async function open(shown = key) {
  const request = { adminKeyId: await adminKeyId(), keyHash: hashToken(shown), ipAddress: "::1", userAgent: "Firefox" };
  return await plane.principals.openSession(request);
}

const find = async (sessionId: string) =>
  (await plane.principals.resolveSession({ sessionHash: hashToken(sessionId) })).session;

test("a session acts as its key's administrator until it ends", async () => {
  const { session, sessionId } = await open();
  expect(sessionId).toMatch(/^[\w-]{43}$/);
  expect(session?.adminKey).toMatchObject({ name: "environment", role: "owner" });
  expect(await find(sessionId)).toEqual(session);
  expect(await find(`${sessionId.slice(0, -1)}_`)).toBeUndefined();
  await plane.principals.endSession({ sessionId: session?.id ?? 0, ipAddress: "::1" });
  expect(await find(sessionId)).toBeUndefined();
  await plane.principals.endSession({ sessionId: session?.id ?? 0, ipAddress: "::1" });
});

test("a key that was replaced after its check opens no session", async () => {
  expect(await open(mintAdminKey().reveal())).toEqual({ session: undefined, sessionId: "" });
});

test("an unused session ends, and a used one lasts at most its life", async () => {
  const idle = await open();
  const used = await open();
  nowMs += bounds.idleMs - 1;
  expect((await find(used.sessionId))?.expiresAt?.getTime()).toBe(nowMs + 1);
  await restart();
  nowMs += 2;
  expect(await find(idle.sessionId)).toBeUndefined();
  for (let index = 0; index < 6; index += 1) {
    expect(await find(used.sessionId)).toBeDefined();
    await restart();
    nowMs += bounds.idleMs - 2;
  }
  expect(await find(used.sessionId)).toBeUndefined();
});

test("the number of sessions of a key is bounded: the oldest end", async () => {
  const sessions = [];
  for (let index = 0; index <= sessionsPerKeyMax; index += 1) sessions.push((await open()).sessionId);
  const [oldest = "", second = ""] = sessions;
  expect([await find(oldest), (await find(second)) === undefined]).toEqual([undefined, false]);
});

test("the least recently used sessions end: an old one in use stays", async () => {
  const sessions = [];
  for (let index = 0; index < sessionsPerKeyMax; index += 1) sessions.push((await open()).sessionId);
  const [first = "", second = "", third = ""] = sessions;
  nowMs += minuteMs;
  expect(await find(first)).toBeDefined();
  await restart();
  await open();
  expect(await find(first)).toBeDefined();
  expect(await find(second)).toBeUndefined();
  expect(await find(third)).toBeDefined();
});

test("a long User-Agent is truncated", async () => {
  const request = { adminKeyId: await adminKeyId(), keyHash: hashToken(key), ipAddress: "::1" };
  const { session } = await plane.principals.openSession({ ...request, userAgent: "x".repeat(100_000) });
  expect(session).toBeDefined();
  expect(userAgentLengthMax).toBeLessThan(1_000);
});

test("an owner sees and ends all sessions, and others their own", async () => {
  const robot = await run<{ id: number; key: string }>(plane.service, "svc_create_admin_key", {
    name: "robot",
    role: "viewer",
  });
  const openFor = async () =>
    await plane.principals.openSession({ adminKeyId: robot.id, keyHash: hashToken(robot.key), ipAddress: "::1" });
  const [one, two, owners] = [await openFor(), await openFor(), await open()];
  const viewer = { kind: "admin", adminKeyId: robot.id, name: "robot", role: "viewer", projects: [] } as const;
  const as = async (principal: Principal, name: string, args: object) => {
    const params = { name, arguments: args };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    const { result, error } = JSON.parse((await send(plane.service, { body, principal })).text) as RpcAnswer;
    const listed = result?.structuredContent?.["console_sessions"] as { id: number; name: string }[] | undefined;
    return error?.message ?? listed?.map(({ id }) => id);
  };
  const ids = [one, two].map(({ session }) => session?.id);
  expect(await as(viewer, "svc_list_console_sessions", {})).toEqual(ids);
  expect(await as(admin, "svc_list_console_sessions", { limit: 200 })).toEqual(
    expect.arrayContaining([...ids, owners.session?.id]),
  );
  const theirs = owners.session?.id ?? 0;
  expect(await as(viewer, "svc_end_console_session", { session_id: theirs })).toBe(
    `Console session not found: ${theirs}`,
  );
  const ownersKey = owners.session?.adminKey?.id ?? 0;
  const keyNotFound = (id: number) => `Admin key not found: ${id}`;
  expect(await as(viewer, "svc_end_console_session", { admin_key_id: ownersKey })).toBe(keyNotFound(ownersKey));
  for (const id of [987_654, 0, 1e12]) {
    for (const who of [viewer, admin]) {
      expect(await as(who, "svc_end_console_session", { admin_key_id: id })).toBe(keyNotFound(id));
    }
    const message = `Console session not found: ${id}`;
    expect(await as(admin, "svc_end_console_session", { session_id: id })).toBe(message);
  }
  expect(await as(viewer, "svc_end_console_session", {})).toContain("Missing required argument: session_id or");
  expect(await find(owners.sessionId)).toBeDefined();
  expect(await as(viewer, "svc_end_console_session", { session_id: ids[0] })).toEqual([ids[0]]);
  expect(await as(admin, "svc_end_console_session", { admin_key_id: robot.id })).toEqual([ids[1]]);
  expect(await as(admin, "svc_end_console_session", { admin_key_id: robot.id })).toEqual([]);
  expect(await as(viewer, "svc_end_console_session", { admin_key_id: robot.id })).toEqual([]);
  expect([await find(one.sessionId), await find(two.sessionId)]).toEqual([undefined, undefined]);
});

test("a replaced key in the environment ends the sessions of the former", async () => {
  const { sessionId } = await open();
  expect(await find(sessionId)).toBeDefined();
  const adminKey = new Secret(mintAdminKey().reveal());
  const replica = await startControlPlane({ databaseUrl: plane.databaseUrl, config: { adminKey } });
  expect(await find(sessionId)).toBeUndefined();
  await replica.stop();
});
