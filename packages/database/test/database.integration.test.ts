import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lapse } from "@gatehouse/async/testing";
import { startTestProxy } from "@gatehouse/ports/testing";
import { startPostgres } from "@gatehouse/postgres";
import { Secret } from "@gatehouse/vault";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bothAnswers, inTransaction, isDatabaseUnavailable, openDatabase, reading } from "../src/index.ts";
import { createWorld, log, type World } from "./test-world.ts";

const isBeingRestored = expect.stringContaining("lacks a part of this service") as string;

let world: World;

beforeAll(async () => (world = await createWorld()));
afterAll(async () => await world.close());

test("every session is in UTC and in the service's schema", async () => {
  const database = world.open();
  const lone = await database.connectAlone();
  for (const client of [database.pool, lone]) {
    const { rows } = await client.query(
      "SELECT current_setting('TimeZone') AS zone, current_setting('search_path') AS path",
    );
    expect(rows).toEqual([{ zone: "UTC", path: "service" }]);
  }
  await lone.end();
});

test("options in the URL cannot override the time zone and schema, and others are kept", async () => {
  const options = "-c TimeZone=America/New_York -c search_path=public -c work_mem=5MB";
  const url = new Secret(`${world.url}?options=${encodeURIComponent(options)}&application_name=theirs`);
  const { pool } = world.open({ url });
  const { rows } = await pool.query(
    "SELECT current_setting('TimeZone') AS zone, current_setting('search_path') AS path, current_setting('work_mem') AS mem",
  );
  expect(rows).toEqual([{ zone: "UTC", path: "service", mem: "5MB" }]);
});

test("a timestamp is read as it was stored", async () => {
  const { pool } = world.open();
  const at = new Date("2026-07-01T12:34:56.789Z");
  const { rows } = await pool.query("SELECT $1::timestamptz AS at, ($1::timestamptz)::text AS text", [at]);
  expect(rows).toEqual([{ at, text: "2026-07-01 12:34:56.789+00" }]);
});

test("statements fail as in an outage while a restore has not made their table or key yet, or holds it", async () => {
  const database = world.open();
  const { pool } = database;
  await pool.query("CREATE SCHEMA IF NOT EXISTS service");
  await pool.query("CREATE TABLE restored (id int PRIMARY KEY, value int)");
  await pool.query("CREATE FUNCTION restored_rows() RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM restored'");
  const read = async () => await reading(async () => await pool.query("SELECT value FROM restored"));
  const call = async () => await reading(async () => await pool.query("SELECT restored_rows()"));
  const write = async () => {
    const text = "INSERT INTO restored VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET value = restored.value + 1";
    await inTransaction(database, async (client) => await client.query({ name: "restored-write", text }));
  };
  const outage = { code: "unavailable", retryAfterSeconds: 1, details: { detail: isBeingRestored } };
  await write();

  await pool.query("ALTER TABLE restored DROP CONSTRAINT restored_pkey");
  await expect(write()).rejects.toMatchObject(outage);
  await pool.query("DROP FUNCTION restored_rows");
  await expect(call()).rejects.toMatchObject(outage);
  await pool.query("DROP TABLE restored");
  await expect(write()).rejects.toMatchObject(outage);
  await expect(read()).rejects.toMatchObject(outage);
  await pool.query("CREATE TABLE restored (id int)");
  await expect(read()).rejects.toMatchObject(outage);
  await pool.query("ALTER TABLE restored ADD value int, ADD PRIMARY KEY (id)");
  await write();

  const restore = await database.connectAlone();
  await restore.query("BEGIN; LOCK TABLE restored");
  const bounded = async () =>
    await inTransaction(database, async (client) => {
      await client.query("SET LOCAL statement_timeout = 100");
      await client.query("SELECT value FROM restored");
    });
  await expect(bounded()).rejects.toMatchObject({ code: "unavailable", retryAfterSeconds: 1 });
  await restore.query("COMMIT");
  await restore.end();
  expect((await read()).rows).toEqual([{ value: 1 }]);
});

test("a pipelined transaction runs its statements in order, and all or none", async () => {
  const database = world.open({ connectionsMax: 1 });
  const { pool } = database;
  await pool.query("CREATE TABLE public.pipelined (at serial, value int CHECK (value > 0))");
  const insert = { name: "pipelined", text: "INSERT INTO public.pipelined (value) VALUES ($1)" };
  const store = async (first: number, second: number) =>
    await inTransaction(
      database,
      async (client) => {
        const send = async (value: number) => await client.query({ ...insert, values: [value] });
        return await bothAnswers(send(first), send(second));
      },
      { plans: "generic", isPipelined: true },
    );
  await store(1, 2);
  await expect(store(3, -4)).rejects.toMatchObject({ code: "23514" });
  await expect(store(-5, 6)).rejects.toMatchObject({ code: "23514" });
  await store(7, 8);
  const { rows } = await pool.query("SELECT value FROM public.pipelined ORDER BY at");
  expect(rows.map(({ value }: { readonly value: number }) => value)).toEqual([1, 2, 7, 8]);
});

test("a pipelined transaction whose connection breaks fails as unavailable, and the next one has another", async () => {
  const database = world.open({ connectionsMax: 1 });
  const options = { isPipelined: true } as const;
  const broken = inTransaction(
    database,
    async (client) =>
      await Promise.all([
        client.query("SELECT pg_terminate_backend(pg_backend_pid())"),
        client.query("SELECT 1 AS one"),
      ]),
    options,
  );
  const err: unknown = await broken.catch((thrown: unknown) => thrown);
  expect(isDatabaseUnavailable(err)).toBe(true);
  const { rows } = await inTransaction(database, async (client) => await client.query("SELECT 1 AS one"), options);
  expect(rows).toEqual([{ one: 1 }]);
});

test.each(["Chat", "chat;drop", "1chat", "", "a-b", "x".repeat(51)])("%j cannot be a schema's name", (schema) => {
  expect(() => world.open({ schema })).toThrow("cannot be the name of a Postgres schema");
});

test("a pool without a free connection fails as unavailable after its bound", { timeout: 20_000 }, async () => {
  const { pool } = world.open({ connectionsMax: 1 });
  const held = await pool.connect();
  const err: unknown = await pool.query("SELECT 1").catch((thrown: unknown) => thrown);
  expect(isDatabaseUnavailable(err)).toBe(true);
  held.release();
});

test("a query that takes too long, or comes when the pool is closing, is refused as unavailable", async () => {
  const { pool } = world.open();
  const slow = reading(async () => await pool.query("SET statement_timeout = 20; SELECT pg_sleep(10)"));
  await expect(slow).rejects.toMatchObject({ code: "unavailable", message: expect.stringMatching(/took too long/) });
  const prisma = Object.assign(new Error("m"), {
    code: "P2010",
    meta: { driverAdapterError: { cause: { originalCode: "57014" } } },
  });
  await expect(reading(async () => await Promise.reject(prisma))).rejects.toMatchObject({ code: "unavailable" });
  const closing = new pg.Pool();
  await closing.end();
  await expect(reading(async () => await closing.query("SELECT 1"))).rejects.toMatchObject({ code: "unavailable" });
});

test("a lost idle connection ends nothing, and the pool opens another", async () => {
  const { pool } = world.open();
  const lone = await world.open().connectAlone();
  const { rows } = await pool.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  await lone.query("SELECT pg_terminate_backend($1)", [rows[0]?.pid]);
  await expect
    .poll(async () => (await pool.query("SELECT 1 AS one").catch(() => ({ rows: [] }))).rows)
    .toEqual([{ one: 1 }]);
  await lone.query("SELECT pg_terminate_backend(pg_backend_pid())").catch(() => {});
  await expect(lone.query("SELECT 1")).rejects.toSatisfy(isDatabaseUnavailable);
  await lone.end();
});

test("a server that is stopped is unavailable, to statements in flight and to new ones alike", async () => {
  const folder = await mkdtemp(join(tmpdir(), "database-test-"));
  await chmod(folder, 0o711);
  const server = await startPostgres({ dataDir: join(folder, "data"), logFile: join(folder, "log"), throwaway: true });
  const database = openDatabase({ url: new Secret(server.url), schema: "service", connectionsMax: 3, log });
  const sleeping = database.pool.query("SELECT pg_sleep(60)").catch((err: unknown) => err);
  const taken = await database.pool.connect();
  taken.on("error", () => {});
  await database.pool.query("SELECT 1");
  await server.stop();
  expect(isDatabaseUnavailable(await sleeping)).toBe(true);
  for (const attempt of [
    async () => await taken.query("SELECT 1"),
    async () => await database.pool.query("SELECT 1"),
    async () => await database.connectAlone(),
    async () => await database.migrate(new URL("./", import.meta.url)),
  ]) {
    expect(isDatabaseUnavailable(await attempt().catch((err: unknown) => err))).toBe(true);
  }
  taken.release(true);
  await database.close();
  await rm(folder, { recursive: true });
});

test("a server that is away gets few attempts however many calls come, and is used again within seconds", async () => {
  const url = new URL(world.url);
  const proxy = await startTestProxy(Number(url.port));
  proxy.refuse();
  url.port = String(proxy.port);
  const { pool, close } = openDatabase({ url: new Secret(url.href), schema: "service", connectionsMax: 4, log });
  const errors: unknown[] = [];
  for (let calls = 0; calls < 200; calls += 1) {
    void pool.query("SELECT 1").catch((err: unknown) => errors.push(err));
    await lapse(5, "calls come at a rate");
  }
  await expect.poll(() => errors.length).toBe(200);
  expect(errors.every(isDatabaseUnavailable)).toBe(true);
  // Four at once, the size of the pool, before it is known to be away.
  expect(proxy.attempts).toBeLessThan(20);
  proxy.accept();
  await expect
    .poll(
      async () =>
        await pool.query("SELECT 1").then(
          () => true,
          () => false,
        ),
    )
    .toBe(true);
  await close();
  await proxy.close();
});
