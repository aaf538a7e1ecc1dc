import { randomUUID } from "node:crypto";
import { createResealer, openDatabase, type OpenDatabase } from "@gatehouse/database";
import { createTestDatabase, type TestDatabase } from "@gatehouse/postgres/testing";
import {
  createSessionStore,
  sealedPlaceholders,
  sessionBounds,
  type SessionKey,
  type SessionPlaceholder,
  type SessionStore,
} from "@gatehouse/sessions";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { deriveKeyring, Secret } from "@gatehouse/vault";
import { afterAll, beforeAll, expect, test } from "vitest";

const { log } = createSilentTelemetry();
const keyring = deriveKeyring(new Secret("x".repeat(32)), "test");
let testDatabase: TestDatabase;
let databases: OpenDatabase[];
let replicas: SessionStore[];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  databases = [0, 1].map(() =>
    openDatabase({ url: new Secret(testDatabase.url), schema: "chat", connectionsMax: 5, log }),
  );
  await databases[0]?.migrate(new URL("../prisma/migrations", import.meta.url));
  replicas = databases.map((database) => createSessionStore(database, log, keyring));
});

afterAll(async () => {
  await Promise.all(databases.map(async (database) => await database.close()));
  await testDatabase.drop();
});

const never = new AbortController().signal;
let tokens = 0;

async function newEndpoint(): Promise<string> {
  const uuid = randomUUID();
  await query(
    "INSERT INTO chat.endpoints (uuid, project_uuid, slug, targets, updated_at) VALUES ($1::uuid, $2, $3, '[]', now())",
    [uuid, randomUUID(), uuid],
  );
  return uuid;
}

async function newKey(): Promise<SessionKey> {
  return { tokenId: ++tokens, endpointUuid: await newEndpoint(), sessionUuid: randomUUID() };
}

function replica(index: number): SessionStore {
  const found = replicas[index];
  if (found === undefined) throw new Error("no such replica");
  return found;
}

async function historyOf(key: SessionKey): Promise<readonly string[]> {
  const turn = await replica(0).takeTurn(key, never);
  await turn.abandon();
  return turn.history.map(({ content }) => String(content));
}

async function say(key: SessionKey, ...contents: string[]): Promise<void> {
  const turn = await replica(0).takeTurn(key, never);
  await turn.commit(contents.map((content, index) => ({ role: index % 2 === 0 ? "user" : "assistant", content })));
}

async function query(text: string, values: readonly unknown[] = []): Promise<readonly Record<string, unknown>[]> {
  const result = await databases[0]?.pool.query<Record<string, unknown>>(text, [...values]);
  return result?.rows ?? [];
}

test("messages are available to the next call, in order", async () => {
  const key = await newKey();
  await say(key, "q1", "a1");
  await say(key, "q2", "a2");
  expect(await historyOf(key)).toEqual(["q1", "a1", "q2", "a2"]);
});

const mails = [
  { label: "E-Mail 1", value: 'ann"@example.org' },
  { label: "E-Mail 2", value: "bob@example.org" },
];
const sayHello = [{ role: "user", content: "[E-Mail 1], [E-Mail 2]" }];

async function placeholdersOf(key: SessionKey, store = replica(1)): Promise<readonly SessionPlaceholder[]> {
  const turn = await store.takeTurn(key, never);
  await turn.abandon();
  return turn.placeholders;
}

const mapsOf = async (key: SessionKey) =>
  await query(
    "SELECT p.* FROM chat.session_placeholders p JOIN chat.sessions s ON s.id = session_id WHERE session_uuid = $1",
    [key.sessionUuid],
  );

test("values of placeholders are available to the next call, and sealed at rest", async () => {
  const key = await newKey();
  await (await replica(0).takeTurn(key, never)).commit(sayHello, mails.slice(0, 1));
  expect(await placeholdersOf(key)).toEqual(mails.slice(0, 1));
  await (await replica(0).takeTurn(key, never)).commit(sayHello, mails);
  await say(key, "a turn that brings none");
  expect(await placeholdersOf(key)).toEqual(mails);
  expect(await historyOf(key)).toEqual(
    [...sayHello, ...sayHello].map(({ content }) => content).concat("a turn that brings none"),
  );
  const stored = await mapsOf(key);
  expect(stored).toHaveLength(1);
  expect(JSON.stringify(stored)).not.toMatch(/example|E-Mail/);
  expect(await placeholdersOf({ ...key, tokenId: key.tokenId + 1_000 })).toEqual([]);
});

test("values of placeholders are deleted with their session, and when it expires", async () => {
  const [deleted, expired] = [await newKey(), await newKey()];
  for (const key of [deleted, expired]) await (await replica(0).takeTurn(key, never)).commit(sayHello, mails);
  await query("DELETE FROM chat.sessions WHERE session_uuid = $1", [deleted.sessionUuid]);
  await query("UPDATE chat.sessions SET expires_at = now() - interval '1 s' WHERE session_uuid = $1", [
    expired.sessionUuid,
  ]);
  expect(await placeholdersOf(expired)).toEqual([]);
  const left = "SELECT FROM chat.session_placeholders WHERE session_id NOT IN (SELECT id FROM chat.sessions)";
  expect([await mapsOf(deleted), await mapsOf(expired), await query(left)]).toEqual([[], [], []]);
});

test("a turn that is lost or abandoned stores no values", async () => {
  const key = await newKey();
  const dead = await replica(0).takeTurn(key, never);
  await query("UPDATE chat.sessions SET turn_until = now() - interval '1 s' WHERE session_uuid = $1", [
    key.sessionUuid,
  ]);
  await (await replica(1).takeTurn(key, never)).commit(sayHello);
  await dead.commit(sayHello, mails);
  expect([await placeholdersOf(key), await mapsOf(key)]).toEqual([[], []]);
});

test("a session keeps its first values, up to the bound of their bytes", async () => {
  const key = await newKey();
  const many = Array.from({ length: 1_000 }, (_, index) => ({ label: `Name ${index + 1}`, value: "é".repeat(500) }));
  await (await replica(0).takeTurn(key, never)).commit(sayHello, many);
  const kept = await placeholdersOf(key);
  expect(kept).toEqual(many.slice(0, kept.length));
  const bytes = kept.reduce((sum, { label, value }) => sum + Buffer.byteLength(label + value), 0);
  expect(bytes).toBeLessThanOrEqual(sessionBounds.placeholderBytesMax);
  expect(bytes).toBeGreaterThan(sessionBounds.placeholderBytesMax - 1_100);
});

test("values are sealed again under a new key, and a session whose key is lost continues without them", async () => {
  const key = await newKey();
  await (await replica(0).takeTurn(key, never)).commit(sayHello, mails);
  const next = { currentId: "next", keys: new Map([["next", Buffer.alloc(32, 1)]]) };
  const both = { currentId: next.currentId, keys: new Map([...next.keys, ...keyring.keys]) };
  const [database] = databases;
  if (database === undefined) throw new Error("no database");
  const withNext = createSessionStore(database, log, next);
  expect(await placeholdersOf(key, withNext)).toEqual([]);
  // A map that this replica cannot open must not be overwritten.
  const turn = await withNext.takeTurn(key, never);
  await turn.commit(sayHello, [{ label: "E-Mail 3", value: "cy@example.org" }]);
  expect(await placeholdersOf(key)).toEqual(mails);
  const columns = [sealedPlaceholders];
  await createResealer(database, both, columns, createSilentTelemetry()).run();
  expect(await placeholdersOf(key, withNext)).toEqual(mails);
  expect(await placeholdersOf(key)).toEqual([]);
  expect(await historyOf(key)).toHaveLength(2);
});

test("values that are moved to another session in the database do not open there", async () => {
  const [from, to] = [await newKey(), await newKey()];
  await (await replica(0).takeTurn(from, never)).commit(sayHello, mails);
  await say(to, "a session without values");
  await query(
    `UPDATE chat.session_placeholders SET session_id = (SELECT id FROM chat.sessions WHERE session_uuid = $2)
      WHERE session_id = (SELECT id FROM chat.sessions WHERE session_uuid = $1)`,
    [from.sessionUuid, to.sessionUuid],
  );
  expect(await placeholdersOf(to)).toEqual([]);
});

test("the same id under another token or endpoint is another session", async () => {
  const key = await newKey();
  await say(key, "secret", "answer");
  expect(await historyOf({ ...key, tokenId: key.tokenId + 1_000 })).toEqual([]);
  expect(await historyOf({ ...key, endpointUuid: await newEndpoint() })).toEqual([]);
  expect(await historyOf(key)).toHaveLength(2);
});

test("a turn that is abandoned stores nothing, and a session that was never used leaves no row", async () => {
  const key = await newKey();
  await (await replica(0).takeTurn(key, never)).abandon();
  expect(await query("SELECT FROM chat.sessions WHERE session_uuid = $1", [key.sessionUuid])).toHaveLength(0);
});

test("calls on one session take turns, on one replica and across replicas", async () => {
  const key = await newKey();
  let running = 0;
  const call = async (index: number) => {
    const turn = await replica(index % 2).takeTurn(key, never);
    running += 1;
    expect(running).toBe(1);
    const position = turn.history.length;
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    await turn.commit([{ role: "user", content: String(position) }]);
  };
  await Promise.all(Array.from({ length: 8 }, async (_, index) => await call(index)));
  expect(await historyOf(key)).toEqual(["0", "1", "2", "3", "4", "5", "6", "7"]);
});

test("the turn of a dead replica expires, and its late messages are not stored", async () => {
  const key = await newKey();
  const dead = await replica(0).takeTurn(key, never);
  await query("UPDATE chat.sessions SET turn_until = now() - interval '1 s' WHERE session_uuid = $1", [
    key.sessionUuid,
  ]);
  const next = await replica(1).takeTurn(key, never);
  await next.commit([{ role: "user", content: "alive" }]);
  await dead.commit([{ role: "user", content: "ghost" }]);
  expect(await historyOf(key)).toEqual(["alive"]);
});

test("a call that is aborted while it waits leaves the queue to the next", async () => {
  const key = await newKey();
  const first = await replica(0).takeTurn(key, never);
  const abort = new AbortController();
  const waiting = replica(1).takeTurn(key, abort.signal);
  abort.abort();
  await expect(waiting).rejects.toMatchObject({ code: "cancelled" });
  await first.commit([{ role: "user", content: "x" }]);
  expect(await historyOf(key)).toEqual(["x"]);
});

test("a call aborted while another of its process has the turn does not wait for it", async () => {
  const key = await newKey();
  const first = await replica(0).takeTurn(key, never);
  const abort = new AbortController();
  const waiting = replica(0).takeTurn(key, abort.signal);
  const next = replica(0).takeTurn(key, never);
  abort.abort();
  await expect(waiting).rejects.toMatchObject({ code: "cancelled" });
  let isNext = false;
  void next.then(() => (isNext = true));
  await new Promise(setImmediate);
  expect(isNext).toBe(false);
  await first.commit([{ role: "user", content: "x" }]);
  const turn = await next;
  expect(turn.history).toHaveLength(1);
  await turn.abandon();
});

const contentsOf = async (key: SessionKey) =>
  await query(
    `SELECT content, octet_length(content) AS bytes FROM chat.session_messages m
       JOIN chat.sessions s ON s.id = m.session_id WHERE session_uuid = $1 ORDER BY m.id`,
    [key.sessionUuid],
  );

test("a session stores and loads its newest messages, up to its bound of bytes", async () => {
  const key = await newKey();
  const part = "ä".repeat(sessionBounds.bytesMax / 10);
  for (let index = 0; index < 8; index++) await say(key, `${part}${index}`, `a${index}`);
  const kept = await contentsOf(key);
  expect(kept.reduce((sum, { bytes }) => sum + Number(bytes), 0)).toBeLessThanOrEqual(sessionBounds.bytesMax);
  expect((await historyOf(key)).map((text) => text.slice(-1))).toEqual(["3", "4", "4", "5", "5", "6", "6", "7", "7"]);
});

test("stored messages beyond the bounds are not loaded", async () => {
  const key = await newKey();
  await say(key, "old", "answer");
  await query(
    `INSERT INTO chat.session_messages (session_id, role, content)
     SELECT id, 'user', repeat('x', $2::int) FROM chat.sessions WHERE session_uuid = $1`,
    [key.sessionUuid, sessionBounds.bytesMax],
  );
  expect((await historyOf(key)).map(({ length }) => length)).toEqual([sessionBounds.bytesMax]);
});

test("a turn larger than the session's bound replaces all earlier messages", async () => {
  const key = await newKey();
  await say(key, "q1", "a1");
  await say(key, "x".repeat(sessionBounds.bytesMax + 1), "a2");
  expect(await historyOf(key)).toEqual(["a2"]);
  await say(key, "q3", "a3");
  expect(await historyOf(key)).toEqual(["a2", "q3", "a3"]);
});

test("a turn of more messages than a session may have is stored in part", async () => {
  const key = await newKey();
  await say(key, ...Array.from({ length: 500 }, (_, index) => String(index)));
  const kept = await contentsOf(key);
  expect([kept.length, kept[0]?.["content"]]).toEqual([sessionBounds.messagesMax, "400"]);
});

test("sessions are deleted with their endpoint and token, also during a call", async () => {
  const [ofEndpoint, ofToken] = [await newKey(), await newKey()];
  for (const key of [ofEndpoint, ofToken]) await say(key, "q", "a");
  const turns = await Promise.all([ofEndpoint, ofToken].map(async (key) => await replica(0).takeTurn(key, never)));
  await query("DELETE FROM chat.endpoints WHERE uuid = $1", [ofEndpoint.endpointUuid]);
  await replica(1).forgetTokens([ofToken.tokenId]);
  for (const turn of turns) await turn.commit([{ role: "user", content: "late" }]);
  expect([await contentsOf(ofEndpoint), await contentsOf(ofToken)]).toEqual([[], []]);
  await expect(replica(0).takeTurn(ofEndpoint, never)).rejects.toMatchObject({ code: "endpoint_not_found" });
});

test("only the newest messages are kept", async () => {
  const key = await newKey();
  for (let index = 0; index < 60; index++) await say(key, `q${index}`, `a${index}`);
  const history = await historyOf(key);
  expect([history.length, history[0], history.at(-1)]).toEqual([sessionBounds.messagesMax, "q10", "a59"]);
  const rows = await query(
    "SELECT FROM chat.session_messages m JOIN chat.sessions s ON s.id = m.session_id WHERE session_uuid = $1",
    [key.sessionUuid],
  );
  expect(rows).toHaveLength(sessionBounds.messagesMax);
});

test("an expired session begins empty, and the sweeper deletes those that are not used again", async () => {
  const [back, gone] = [await newKey(), await newKey()];
  await say(back, "old", "words");
  await say(gone, "old", "words");
  await query("UPDATE chat.sessions SET expires_at = now() - interval '1 s' WHERE session_uuid = ANY($1)", [
    [back.sessionUuid, gone.sessionUuid],
  ]);
  await say(back, "new", "words");
  expect(await historyOf(back)).toEqual(["new", "words"]);
  expect(await replica(0).sweep()).toBe(1);
  expect(await query("SELECT FROM chat.sessions WHERE session_uuid = $1", [gone.sessionUuid])).toHaveLength(0);
});
