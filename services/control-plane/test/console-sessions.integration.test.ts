import { hashToken, mintAdminKey } from "@gatehouse/principal";
import { createTestDatabase, type TestDatabase } from "@gatehouse/postgres/testing";
import { Secret } from "@gatehouse/vault";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sessionsPerKeyMax, userAgentLengthMax } from "../src/domain/console-session.ts";
import { startControlPlane, type TestControlPlane } from "./control-plane.ts";

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
  return await startControlPlane({ databaseUrl: database.url, config, now: () => new Date(nowMs) });
}

/** Uses are written as the service stops, if not before. */
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

test("a session is its key's administrator, until it ends", async () => {
  const { session, sessionId } = await open();
  expect(sessionId).toMatch(/^[\w-]{43}$/);
  expect(session?.adminKey).toMatchObject({ name: "environment", role: "owner" });
  expect(await find(sessionId)).toEqual(session);
  expect(await find(`${sessionId.slice(0, -1)}_`)).toBeUndefined();
  await plane.principals.endSession({ sessionId: session?.id ?? 0, ipAddress: "::1" });
  expect(await find(sessionId)).toBeUndefined();
  await plane.principals.endSession({ sessionId: session?.id ?? 0, ipAddress: "::1" });
});

test("a key that was replaced since it was checked opens nothing", async () => {
  expect(await open(mintAdminKey().reveal())).toEqual({ session: undefined, sessionId: "" });
});

test("a session that is not used ends, and one that is used lasts no longer than its life", async () => {
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

test("one key has a bounded number of sessions: the oldest give way", async () => {
  const sessions = [];
  for (let index = 0; index <= sessionsPerKeyMax; index += 1) sessions.push((await open()).sessionId);
  const [oldest = "", second = ""] = sessions;
  expect([await find(oldest), (await find(second)) === undefined]).toEqual([undefined, false]);
});

test("what the browser calls itself is cut", async () => {
  const request = { adminKeyId: await adminKeyId(), keyHash: hashToken(key), ipAddress: "::1" };
  const { session } = await plane.principals.openSession({ ...request, userAgent: "x".repeat(100_000) });
  expect(session).toBeDefined();
  expect(userAgentLengthMax).toBeLessThan(1_000);
});

test("another key in the environment ends the sessions of the one before", async () => {
  const { sessionId } = await open();
  expect(await find(sessionId)).toBeDefined();
  const adminKey = new Secret(mintAdminKey().reveal());
  const replica = await startControlPlane({ databaseUrl: plane.databaseUrl, config: { adminKey } });
  expect(await find(sessionId)).toBeUndefined();
  await replica.stop();
});
