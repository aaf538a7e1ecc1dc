import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startPostgres } from "@gatehouse/postgres";
import {
  type FreezablePostgres,
  startFreezablePostgres,
  startPgBouncer,
  unpackPgBouncer,
} from "@gatehouse/postgres/testing";
import { deriveKeyring, type Keyring, Secret } from "@gatehouse/vault";
import pg from "pg";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createSpillPart } from "../src/index.ts";
import { reportParts, reportTimeoutMs } from "../src/part.ts";
import { killPrograms, runProgram } from "./program.ts";
import { createServiceWorld, type ServiceWorld } from "./service-world.ts";

let world: ServiceWorld;
beforeAll(async () => void (world = await createServiceWorld()));
afterEach(killPrograms);
afterAll(async () => await world.stop());

/** `/readyz` answers within a second; the rest is for a busy machine. */
const answeredWithinMs = 2_000;
/** A supervisor kills a process that takes longer; the rest is for a busy machine. */
const stoppedWithinMs = 10_000;

async function ask(url: string, path: "/healthz" | "/readyz") {
  const startedAt = performance.now();
  const reply = await fetch(url + path);
  const body = (await reply.json()) as { readonly ok: boolean; readonly problems: readonly string[] };
  return { status: reply.status, body, ms: performance.now() - startedAt };
}

const programEnv = (url: string) => ({
  DATABASE_URL: url,
  MIGRATIONS: new URL(`file://${join(world.folder, "migrations")}`).href,
  SPILL_FOLDER: join(world.folder, "spill"),
  LOG_LEVEL: "debug",
});

test("a service waits for Postgres: it is live, reports the reason, and is ready when Postgres is", async () => {
  const folder = { dataDir: join(world.folder, "pg"), logFile: join(world.folder, "pg.log"), throwaway: true };
  const first = await startPostgres(folder);
  await first.stop();
  const program = runProgram("./stored-program.ts", programEnv(first.url));
  const url = await program.url("the start waits for it");
  expect(await ask(url, "/healthz")).toMatchObject({ status: 200, body: { ok: true, starting: true } });
  const waiting = await ask(url, "/readyz");
  expect(waiting).toMatchObject({
    status: 503,
    body: { ok: false, problems: ["starting: the database is not available (ECONNREFUSED)"] },
  });
  const again = await startPostgres({ ...folder, port: first.port });
  try {
    await program.url("chat is ready.");
    await expect.poll(async () => (await ask(url, "/readyz")).status, { timeout: 10_000 }).toBe(200);
    expect((await ask(url, "/healthz")).body).toEqual({ ok: true });
    program.child.kill("SIGTERM");
    expect(await program.exit()).toBe(0);
  } finally {
    await again.stop();
  }
}, 90_000);

test("a signal during a waiting start exits with 0", async () => {
  const program = runProgram("./stored-program.ts", programEnv("postgresql://nobody@127.0.0.1:1/none"));
  await program.url("the start waits for it");
  program.child.kill("SIGTERM");
  expect(await program.exit()).toBe(0);
}, 60_000);

test("a missing database, or a wrong password, ends the start with 2 and names the setting", async () => {
  const wrong = new URL(world.url);
  wrong.pathname = "/no_such_database";
  const { exit, output } = runProgram("./stored-program.ts", programEnv(wrong.href));
  expect(await exit()).toBe(2);
  expect(output.stderr).toContain("DATABASE_URL is refused by Postgres");
  expect(output.stderr).toContain("no_such_database");
  expect(output.stderr).not.toContain(new URL(world.url).password || "no password");
}, 60_000);

test("a role without rights ends the start with 2 and advice", async () => {
  const client = new pg.Client({ connectionString: world.url });
  await client.connect();
  await client.query("CREATE ROLE stranger LOGIN PASSWORD 'p'");
  await client.end();
  const url = Object.assign(new URL(world.url), { username: "stranger", password: "p" });
  const { exit, output } = runProgram("./stored-program.ts", programEnv(url.href));
  expect(await exit()).toBe(2);
  expect(output.stderr).toContain("DATABASE_URL names a role without the rights of the service (permission denied");
  expect(output.stderr).toContain("gatehouse migrate");
}, 60_000);

test("settings with missing files are named, without problems that follow from them", async () => {
  const gone = join(world.folder, "gone");
  const env = { ...programEnv(world.url), DATABASE_URL: "", DATABASE_URL_FILE: gone, GATEHOUSE_TRUST_FILE: gone };
  const { exit, output } = runProgram("./stored-program.ts", { ...env, GATEHOUSE_TRUST: "" });
  expect(await exit()).toBe(2);
  const wrong = output.stderr.match(/(?<=- )[A-Z_]+/g);
  expect(wrong).toEqual(["DATABASE_URL_FILE", "GATEHOUSE_TRUST_FILE"]);
}, 60_000);

test("a pooler that shares sessions ends the start with 2 and names the setting", async ({ skip }) => {
  const folder = await unpackPgBouncer();
  if (folder === undefined) {
    skip("No PgBouncer can be had.");
    return;
  }
  const pooler = await startPgBouncer(folder, world.url, "transaction");
  try {
    const { exit, output } = runProgram("./stored-program.ts", programEnv(pooler.url));
    expect(await exit()).toBe(2);
    expect(output.stderr).toContain("DATABASE_URL leads to a pooler that shares sessions");
  } finally {
    await pooler.stop();
    await rm(folder, { recursive: true });
  }
}, 60_000);

test("a spill folder that cannot be written ends the start and names the setting; afterwards it is a notice", async () => {
  const file = join(world.folder, "a-file");
  await writeFile(file, "");
  const refused = { ...programEnv(world.url), SPILL_FOLDER: join(file, "spill"), NATS_URL: "nats://127.0.0.1:1" };
  const program = runProgram("./stored-program.ts", refused);
  expect(await program.exit()).toBe(2);
  expect(program.output.stderr).toContain("SPILL_FOLDER must be a folder that this process can write to");

  const folder = join(world.folder, "later");
  const part = createSpillPart(folder, "chat");
  await part.start?.();
  expect(await reportParts([part])).toEqual({ ready: true, problems: [] });
  await rm(folder, { recursive: true });
  await writeFile(folder, "");
  expect(await reportParts([part])).toEqual({
    ready: true,
    problems: [`the spill folder ${folder} cannot be written (EEXIST)`],
  });
}, 60_000);

test("a spill folder that two processes of a service share is a notice of both, until one ends", async () => {
  const env = { ...programEnv(world.url), SPILL_FOLDER: join(world.folder, "shared"), NATS_URL: "nats://127.0.0.1:1" };
  const one = runProgram("./stored-program.ts", env);
  const first = await one.url("chat is ready.");
  const other = runProgram("./stored-program.ts", env);
  const second = await other.url("chat is ready.");
  const sharing = async (url: string) =>
    (await ask(url, "/readyz")).body.problems.filter((problem) => problem.includes("is also used by process"));
  await expect
    .poll(async () => await sharing(first), { timeout: 10_000 })
    .toEqual([expect.stringContaining(`process ${other.child.pid} of chat`)]);
  await expect
    .poll(async () => await sharing(second), { timeout: 10_000 })
    .toEqual([expect.stringContaining(`process ${one.child.pid} of chat`)]);
  one.child.kill("SIGKILL");
  await expect.poll(async () => await sharing(second), { timeout: 10_000 }).toEqual([]);
}, 90_000);

test("a part that hangs is named within the bound, and the others report", async () => {
  const startedAt = performance.now();
  const hanging = { name: "the hanging part", problems: async () => await new Promise<never>(() => {}) };
  const missing = Object.assign(new Error('relation "guardrail.keyring_probe" does not exist'), { code: "42P01" });
  const failing = { name: "the failing part", problems: async () => await Promise.reject(missing) };
  const noticed = { name: "other", notices: () => ["worth knowing"] };
  expect(await reportParts([hanging, failing, noticed, noticed])).toEqual({
    ready: false,
    problems: [
      `the hanging part did not report within ${reportTimeoutMs} ms`,
      "the failing part: could not report (42P01)",
      "worth knowing",
    ],
  });
  expect(performance.now() - startedAt).toBeLessThan(answeredWithinMs);
});

test("a keyring that does not open this installation's secrets makes a service unready", async () => {
  const keyring = (id: string, fill: number) => ({ currentId: id, keys: new Map([[id, Buffer.alloc(32, fill)]]) });
  const start = async (given: Keyring) => {
    const service = world.create(() => ({}), { database: { sealing: { keyring: given, columns: [] } } });
    await service.start();
    return await service.readiness();
  };
  expect(await start(keyring("a", 1))).toEqual({ ready: true, problems: [] });
  expect(await start(keyring("b", 2))).toEqual({
    ready: false,
    problems: [
      'the keyring lacks the key "a", which sealed this installation\'s secrets: add the key that sealed them to GATEHOUSE_KEYRING',
    ],
  });
  expect(await start(keyring("a", 3))).toMatchObject({ ready: false });
  expect(await start(deriveKeyring(new Secret("of another data folder"), "test"))).toMatchObject({
    ready: false,
    problems: [expect.stringMatching(/"a", .*: restore the root-secret that belongs to this database/)],
  });
  const rotated = { currentId: "b", keys: new Map([...keyring("b", 2).keys, ...keyring("a", 1).keys]) };
  expect(await start(rotated)).toEqual({ ready: true, problems: [] });
  // The keyring's probe is sealed again with the secrets, so that the old key can be removed.
  await expect.poll(async () => await start(keyring("b", 2)), { timeout: 10_000 }).toMatchObject({ ready: true });
}, 60_000);

let frozen: FreezablePostgres | undefined;
afterAll(async () => await frozen?.stop());

test("/readyz reports a frozen Postgres within its bound, and the service recovers", async () => {
  frozen = await startFreezablePostgres();
  const program = runProgram("./stored-program.ts", programEnv(frozen.url));
  const url = await program.url("chat is ready.");
  expect((await ask(url, "/readyz")).status).toBe(200);
  await frozen.freeze();
  try {
    await expect.poll(async () => (await ask(url, "/readyz")).status, { timeout: 10_000 }).toBe(503);
    for (let times = 0; times < 3; times += 1) {
      const { body, ms } = await ask(url, "/readyz");
      expect(body.problems).toContain("the database is not available");
      expect(ms).toBeLessThan(answeredWithinMs);
    }
    expect((await ask(url, "/healthz")).status).toBe(200);
  } finally {
    await frozen.thaw();
  }
  await expect.poll(async () => (await ask(url, "/readyz")).status, { timeout: 20_000 }).toBe(200);
}, 120_000);

test("a start waits for a frozen Postgres", async () => {
  frozen ??= await startFreezablePostgres();
  await frozen.freeze();
  const program = runProgram("./stored-program.ts", programEnv(frozen.url));
  try {
    const url = await program.url("the start waits for it");
    expect(await ask(url, "/readyz")).toMatchObject({ status: 503 });
  } finally {
    await frozen.thaw();
  }
  await program.url("chat is ready.");
}, 120_000);

test("a stop does not wait for a frozen Postgres", async () => {
  frozen ??= await startFreezablePostgres();
  const program = runProgram("./stored-program.ts", programEnv(frozen.url));
  const url = await program.url("chat is ready.");
  expect((await ask(url, "/readyz")).status).toBe(200);
  await frozen.freeze();
  try {
    const beganMs = performance.now();
    program.child.kill("SIGTERM");
    expect(await program.exit()).toBe(0);
    expect(performance.now() - beganMs).toBeLessThan(stoppedWithinMs);
  } finally {
    await frozen.thaw();
  }
}, 120_000);
