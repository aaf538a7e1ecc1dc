import { randomUUID } from "node:crypto";
import { createTestDatabase, type TestDatabase } from "@gatehouse/postgres/testing";
import { hashToken, type Principal } from "@gatehouse/principal";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { idempotencyKeyName } from "../src/operations/call-key.ts";
import { admin, bodyOf, type RpcAnswer, send, startControlPlane, type TestControlPlane } from "./control-plane.ts";
import { startKilledPlane } from "./killed-plane.ts";

let database: TestDatabase;
let plane: TestControlPlane;
/** Another replica. */
let other: TestControlPlane;
let client: pg.Client;
const logged: string[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  const silent = createSilentTelemetry();
  const write = (...args: unknown[]) => void logged.push(JSON.stringify(args));
  const log = { ...silent.log, debug: write, info: write, warn: write, error: write } as unknown as typeof silent.log;
  plane = await startControlPlane({ databaseUrl: database.url, telemetry: { ...silent, log } });
  other = await startControlPlane({ databaseUrl: database.url });
  client = new pg.Client(database.url);
  await client.connect();
});

afterAll(async () => {
  await client.end();
  await plane.stop();
  await other.stop();
  await database.drop();
});

interface Asked {
  readonly name?: string;
  readonly args: unknown;
  readonly key?: unknown;
  readonly by?: Principal;
  readonly of?: TestControlPlane;
}

async function ask({ name = "svc_create_project", args, key, by = admin, of = plane }: Asked): Promise<RpcAnswer> {
  return JSON.parse((await send(of.service, { body: bodyOf(name, args, key), principal: by })).text) as RpcAnswer;
}

const viewer: Principal = { kind: "admin", adminKeyId: 1, name: "initial", role: "viewer", projects: null };
const token = (owner: string, name: string) => ({ project: owner, name, scopes: ["chat"] });
const project = (name: string) => ({ name, project_type: "ai_gateway" });
const uuidOf = ({ result, error }: RpcAnswer) => {
  if (error !== undefined) throw new Error(error.message);
  return String(result?.structuredContent?.["uuid"]);
};

async function count(sql: string, ...values: unknown[]): Promise<number> {
  const { rows } = await client.query<{ n: number }>(`SELECT count(*)::int AS n FROM control_plane.${sql}`, values);
  return rows[0]?.n ?? 0;
}

const projectsNamed = async (name: string) => await count("projects WHERE name = $1", name);
const events = async (event: string, name: string) =>
  await count("audit_outbox WHERE body LIKE $1 AND body LIKE $2", `%"${event}"%`, `%${name}%`);

test("a repetition with the same key gets the first answer, and changes nothing", async () => {
  const key = randomUUID();
  const first = await ask({ args: project("once"), key });
  const again = await ask({ args: project("once"), key });
  expect(again).toEqual(first);
  expect(uuidOf(first)).toMatch(/^[0-9a-f-]{36}$/);
  expect(await projectsNamed("once")).toBe(1);
  expect(await events("project.created", "once")).toBe(1);
  // The order of arguments and the replica may differ.
  const reordered = { project_type: "ai_gateway", name: "once" };
  expect(await ask({ args: reordered, key, of: other })).toEqual(first);
});

test("calls without a key run each time", async () => {
  const first = await ask({ args: project("each") });
  expect(uuidOf(await ask({ args: project("each") }))).not.toBe(uuidOf(first));
  expect(await projectsNamed("each")).toBe(2);
});

test("a token's plaintext is in the repeated answer too, and works", async () => {
  const owner = uuidOf(await ask({ args: project("tokens") }));
  const asked = { name: "svc_create_token", args: token(owner, "t"), key: randomUUID() };
  const [first, again] = [await ask(asked), await ask(asked)];
  const text = String(first.result?.structuredContent?.["token"]);
  expect(again.result?.structuredContent).toMatchObject({ token: text });
  expect((await plane.principals.resolveToken({ tokenHash: hashToken(text) })).principal).toBeDefined();
  const id = first.result?.structuredContent?.["id"];
  const rotation = { name: "svc_rotate_token", args: { token_id: id }, key: randomUUID() };
  const [rotated, rotatedAgain] = [await ask(rotation), await ask(rotation)];
  expect(rotatedAgain).toEqual(rotated);
  const next = String(rotated.result?.structuredContent?.["token"]);
  expect(next).not.toBe(text);
  expect((await plane.principals.resolveToken({ tokenHash: hashToken(next) })).principal).toBeDefined();
});

test("the same key with other arguments is refused", async () => {
  const key = randomUUID();
  await ask({ args: project("mine"), key });
  const { error } = await ask({ args: project("other"), key });
  expect(error).toMatchObject({ code: -32602, message: expect.stringContaining("with other arguments") as string });
  expect(await projectsNamed("other")).toBe(0);
});

test("the same key of another caller, or for another operation, is independent", async () => {
  const key = randomUUID();
  const first = await ask({ args: project("shared"), key });
  const stranger = { ...admin, adminKeyId: 2, name: "second" } as const;
  const theirs = await ask({ args: project("shared"), key, by: stranger });
  expect(uuidOf(theirs)).not.toBe(uuidOf(first));
  const admins = await ask({ name: "svc_create_admin_key", args: { name: "same key", role: "viewer" }, key });
  expect(admins.error).toBeUndefined();
  expect(await projectsNamed("shared")).toBe(2);
});

test("a caller who has lost the right to the operation does not get its answer", async () => {
  const key = randomUUID();
  await ask({ args: project("lost"), key });
  const { result, error } = await ask({ args: project("lost"), key, by: viewer });
  expect(result).toBeUndefined();
  expect(error?.message).toContain("Not allowed");
});

test("a key that has expired is free again, and its row is taken over", async () => {
  const key = randomUUID();
  const first = await ask({ args: project("day"), key });
  const expire = "UPDATE control_plane.answered_calls SET expires_at = clock_timestamp() - interval '1 second'";
  await client.query(expire);
  const second = await ask({ args: project("next day"), key });
  expect(uuidOf(second)).not.toBe(uuidOf(first));
  expect(await ask({ args: project("next day"), key })).toEqual(second);
});

test("a refused call does not use up its key", async () => {
  const key = randomUUID();
  const early = { name: "svc_create_token", args: token(randomUUID(), "t"), key };
  expect((await ask(early)).error?.message).toContain("Project not found");
  expect((await ask({ args: { name: "", project_type: "ai_gateway" }, key })).error).toBeDefined();
  expect((await ask({ args: project("mended"), key })).error).toBeUndefined();
  // A refusal inside the transaction, which is rolled back.
  const name = `taken ${randomUUID()}`;
  const make = { name: "svc_create_admin_key", args: { name, role: "viewer" } };
  await ask(make);
  const kept = randomUUID();
  expect((await ask({ ...make, key: kept })).error?.message).toContain(name);
  const renamed = { ...make, args: { name: `${name} 2`, role: "viewer" }, key: kept };
  expect((await ask(renamed)).error).toBeUndefined();
});

test("of 20 concurrent calls under one key, on two replicas, one runs and all get its answer", async () => {
  const key = randomUUID();
  const answers = await Promise.all(
    Array.from({ length: 20 }, async (_, i) => await ask({ args: project("many"), key, of: i % 2 ? plane : other })),
  );
  // The replica that loses the race may ask for a repetition.
  const made = answers.filter(({ error }) => error === undefined);
  expect(made.length).toBe(20);
  expect(new Set(made.map(uuidOf)).size).toBe(1);
  expect(await projectsNamed("many")).toBe(1);
  expect(await events("project.created", `"many"`)).toBe(1);
});

test("a change whose process is killed between commit and answer is made once", async () => {
  const doomed = await startKilledPlane(database.url);
  const owner = uuidOf(await ask({ args: project("killed") }));
  const asked = { name: "svc_create_token", args: token(owner, "orphan"), key: randomUUID() };
  await doomed.armAfterCommit();
  await expect(doomed.post(bodyOf(asked.name, asked.args, asked.key))).rejects.toThrow("fetch failed");
  await doomed.exited;
  expect(await count("access_tokens WHERE name = 'orphan'")).toBe(1);
  const { result } = await ask(asked);
  expect(await count("access_tokens WHERE name = 'orphan'")).toBe(1);
  const text = String(result?.structuredContent?.["token"]);
  expect((await plane.principals.resolveToken({ tokenHash: hashToken(text) })).principal).toBeDefined();
});

test("a change whose process is killed before the commit is made by the repetition, once", async () => {
  const doomed = await startKilledPlane(database.url);
  const key = randomUUID();
  await client.query("BEGIN; LOCK TABLE control_plane.audit_outbox IN EXCLUSIVE MODE");
  const lost = doomed.post(bodyOf("svc_create_project", project("unborn"), key)).catch(() => "lost");
  const blocked = async () => {
    const waits = "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'control_plane.audit_outbox'::regclass";
    return (await client.query(waits)).rowCount;
  };
  await expect.poll(blocked, { timeout: 10_000 }).toBeGreaterThan(0);
  await doomed.kill();
  await client.query("COMMIT");
  expect(await lost).toBe("lost");
  const first = await ask({ args: project("unborn"), key });
  expect(await ask({ args: project("unborn"), key })).toEqual(first);
  expect(await projectsNamed("unborn")).toBe(1);
});

test("keys and answers are in no log or audit event, and sealed at rest", async () => {
  const key = randomUUID();
  const owner = uuidOf(await ask({ args: project("secret") }));
  const asked = { name: "svc_create_token", args: token(owner, "hidden"), key };
  const { result } = await ask(asked);
  const text = String(result?.structuredContent?.["token"]);
  await ask({ ...asked, args: token(owner, "conflict") });
  const { rows: calls } = await client.query("SELECT * FROM control_plane.answered_calls");
  const { rows: outbox } = await client.query("SELECT body FROM control_plane.audit_outbox");
  const kept = JSON.stringify([calls, outbox, logged]);
  expect(logged.join()).toContain("svc_create_token");
  for (const secret of [key, text, text.slice(10)]) expect(kept).not.toContain(secret);
});

test("a key that is too short, or not a string, is refused", async () => {
  for (const key of ["short", "x".repeat(201), `${"x".repeat(40)} `, 7, null, "ä".repeat(40)]) {
    const { error } = await ask({ args: project("weak"), key });
    expect(error).toMatchObject({
      code: -32602,
      message: expect.stringContaining("32 to 200 visible ASCII") as string,
    });
  }
  expect(await projectsNamed("weak")).toBe(0);
});

test("an operation without idempotency refuses a key, and tools/list names those that accept one", async () => {
  const { error } = await ask({ name: "svc_list_projects", args: {}, key: randomUUID() });
  expect(error?.message).toContain("svc_list_projects takes no idempotency key");
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const { result } = JSON.parse((await send(plane.service, { body })).text) as RpcAnswer;
  const names = [
    "svc_create_project",
    "svc_create_token",
    "svc_rotate_token",
    "svc_create_issuer",
    "svc_create_admin_key",
    "svc_rotate_admin_key",
  ];
  expect(result).toMatchObject({ _meta: { [idempotencyKeyName]: names } });
});
