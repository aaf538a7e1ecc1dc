import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { OpenDatabase } from "@gatehouse/database";
import { allowanceBounds, type ReservationRequest } from "@gatehouse/limits";
import { startTestProxy } from "@gatehouse/ports/testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  createPrincipal,
  createUsage,
  createWorld,
  openTestDatabase,
  reserved,
  type World,
  worldStart,
} from "./allowances-harness.ts";

/** A connection to Postgres that can be cut. */
interface Line {
  readonly database: OpenDatabase;
  cut(): void;
  /** Resolves when the database answers, since its attempts to connect have pauses. */
  fix(): Promise<void>;
  close(): Promise<void>;
}

async function createLine(url: string): Promise<Line> {
  const address = new URL(url);
  const proxy = await startTestProxy(Number(address.port));
  address.port = String(proxy.port);
  address.hostname = "127.0.0.1";
  const database = openTestDatabase(address.href);
  return {
    database,
    cut: () => proxy.refuse(),
    async fix() {
      proxy.accept();
      const isAnswering = async () =>
        await database.pool.query("SELECT 1").then(
          () => true,
          () => false,
        );
      await expect.poll(isAnswering).toBe(true);
    },
    async close() {
      await database.close();
      await proxy.close();
    },
  };
}

let world: World;
let line: Line;

beforeAll(async () => {
  world = await createWorld();
  line = await createLine(world.url);
});

beforeEach(async () => {
  await line.fix();
  await world.setTime(worldStart);
});

afterAll(async () => {
  await line.close();
  await world.close();
});

function createRequest(overrides: Partial<ReservationRequest> = {}): ReservationRequest {
  const endpointUuid = crypto.randomUUID();
  return {
    endpointUuid,
    projectUuid: endpointUuid,
    tokenId: 1,
    budgetMicros: 1_000_000,
    estimateMicros: 10,
    ...overrides,
  };
}

async function countUsage(endpointUuid: string): Promise<number> {
  const rows = await world.query("SELECT 1 FROM usage_rows WHERE endpoint_uuid = $1", [endpointUuid]);
  return rows.length;
}

test("with the database away warm leases are spent until they end, and then it is 503 with Retry-After", async () => {
  const replica = world.createReplica({ database: line.database });
  const principal = createPrincipal({ perMinute: 600, perHour: 20_000 });
  const request = createRequest();
  await replica.admit(principal);
  replica.settle(reserved(await replica.reserve(request)), createUsage(10));
  line.cut();
  expect(replica.admit(principal)).toMatchObject({ admitted: true });
  expect(replica.reserve({ ...request, estimateMicros: 1 })).toMatchObject({ ok: true });
  const unavailable = { code: "unavailable", retryAfterSeconds: 1 };
  await expect(replica.admit(createPrincipal({ perMinute: 600 }))).rejects.toMatchObject(unavailable);
  await expect(replica.tick()).rejects.toThrow();
  await world.advance(9_000);
  await expect(replica.reserve({ ...request, estimateMicros: 1 })).rejects.toMatchObject(unavailable);
  await line.fix();
  await world.advance(allowanceBounds.outageHoldMs);
  expect(await replica.reserve({ ...request, estimateMicros: 1 })).toMatchObject({ ok: true });
  expect(await replica.admit(createPrincipal({ perMinute: 600 }))).toMatchObject({ admitted: true });
  await replica.flush();
  expect(await countUsage(request.endpointUuid)).toBe(1);
});

test("while a restore has dropped the ledgers it is 503 with Retry-After, and usage waits for them", async () => {
  const replica = world.createReplica();
  const request = createRequest();
  replica.settle(reserved(await replica.reserve(request)), createUsage(10));
  const tables = ["budget_ledgers", "allowance_windows", "usage_blocks"];
  const rename = async (from: string, to: string) => await world.query(`ALTER TABLE ${from} RENAME TO ${to}`);
  for (const table of tables) await rename(table, `${table}_dropped`);
  const unavailable = { code: "unavailable", retryAfterSeconds: 1 };
  try {
    await expect(replica.admit(createPrincipal({ perMinute: 600 }))).rejects.toMatchObject(unavailable);
    await expect(replica.reserve(createRequest())).rejects.toMatchObject(unavailable);
    await expect(replica.flush()).rejects.toMatchObject(unavailable);
  } finally {
    for (const table of tables) await rename(`${table}_dropped`, table);
  }
  await world.advance(allowanceBounds.outageHoldMs);
  await replica.flush();
  expect(await countUsage(request.endpointUuid)).toBe(1);
  expect(await replica.admit(createPrincipal({ perMinute: 600 }))).toMatchObject({ admitted: true });
});

test("a flush whose answer is lost is repeated without counting twice", async () => {
  const replica = world.createReplica({ database: line.database });
  const request = createRequest();
  replica.settle(reserved(await replica.reserve(request)), createUsage(10));
  let connects = 0;
  line.database.pool.once("acquire", (client) => {
    const query = client.query.bind(client) as (...values: unknown[]) => Promise<unknown>;
    Object.assign(client, {
      query: async (...values: unknown[]) => {
        const result = await query(...values);
        if (values[0] !== "COMMIT") return result;
        connects += 1;
        throw Object.assign(new Error("The connection broke after the commit."), { code: "ECONNRESET" });
      },
    });
  });
  await expect(replica.flush()).rejects.toMatchObject({ code: "unavailable" });
  expect(connects).toBe(1);
  expect(await countUsage(request.endpointUuid)).toBe(1);
  await replica.flush();
  await replica.tick();
  expect(await replica.findLedgerDifferences()).toEqual([]);
  const [ledger] = await world.query("SELECT spent_micros::int AS spent FROM budget_ledgers WHERE endpoint_uuid = $1", [
    request.endpointUuid,
  ]);
  expect(ledger).toEqual({ spent: 10 });
  expect(await replica.reserve({ ...request, estimateMicros: 999_990 })).toMatchObject({ ok: true });
});

test("usage beyond what memory keeps waits on disk, and reaches the database once", async () => {
  const replica = world.createReplica({ database: line.database });
  await replica.flush();
  line.cut();
  const request = createRequest({ budgetMicros: null });
  const count = allowanceBounds.usageRowsInMemoryMax + 10;
  for (let call = 0; call < count; call++) {
    replica.settle(reserved(await replica.reserve(request)), createUsage(1));
  }
  await expect.poll(() => replica.stats().usageRowsSpilled).toBe(allowanceBounds.usageRowsInMemoryMax);
  await expect(replica.flush()).rejects.toThrow();
  expect(replica.stats().usageRowsInMemory).toBe(10);
  await line.fix();
  await replica.flush();
  await replica.flush();
  expect(await countUsage(request.endpointUuid)).toBe(count);
  expect(replica.stats()).toMatchObject({ usageRowsInMemory: 0, usageRowsSpilled: 0 });
  expect(await replica.findLedgerDifferences()).toEqual([]);
});

test("a stop without a database leaves the usage on disk for the next process", async () => {
  const spillFolder = join(world.folder, "stopped");
  const first = world.createReplica({ database: line.database, spillFolder });
  const request = createRequest({ budgetMicros: null });
  for (let call = 0; call < 3; call++) first.settle(reserved(await first.reserve(request)), createUsage(7));
  line.cut();
  await first.stop();
  await line.fix();
  expect(await countUsage(request.endpointUuid)).toBe(0);
  const second = world.createReplica({ database: line.database, spillFolder });
  await second.start();
  await second.stop();
  expect(await countUsage(request.endpointUuid)).toBe(3);
  expect(await readdir(spillFolder)).toEqual([]);
});

test("an incomplete line at the end of a spill file does not block the other lines", async () => {
  const spillFolder = join(world.folder, "torn");
  const request = createRequest({ budgetMicros: null });
  const first = world.createReplica({ database: line.database, spillFolder });
  for (let call = 0; call < 2; call++) first.settle(reserved(await first.reserve(request)), createUsage(7));
  line.cut();
  await first.stop();
  await line.fix();
  const [name = ""] = await readdir(spillFolder);
  const text = await readFile(join(spillFolder, name), "utf8");
  await writeFile(join(spillFolder, name), text.slice(0, -20));
  await world.createReplica({ database: line.database, spillFolder }).flush();
  expect(await countUsage(request.endpointUuid)).toBe(1);
});

test("a row that the database refuses is set aside, and the others are written", async () => {
  const spillFolder = join(world.folder, "refused");
  const replica = world.createReplica({ spillFolder });
  const request = createRequest({ budgetMicros: null });
  replica.settle(reserved(await replica.reserve(request)), createUsage(7));
  replica.settle(reserved(await replica.reserve({ ...request, endpointUuid: "not a uuid" })), createUsage(7));
  replica.settle(reserved(await replica.reserve(request)), createUsage(7));
  await replica.flush();
  expect(await countUsage(request.endpointUuid)).toBe(2);
  expect(await readFile(join(spillFolder, "rejected.jsonl"), "utf8")).toContain("not a uuid");
});

test("when neither memory nor disk has room for usage, calls are refused and none is lost", async () => {
  const spillFolder = join(world.folder, "a-file");
  await mkdir(world.folder, { recursive: true });
  await writeFile(spillFolder, "in the way");
  const replica = world.createReplica({ database: line.database, spillFolder });
  const request = createRequest({ budgetMicros: null });
  line.cut();
  const reservations = [];
  for (let call = 0; call < 2 * allowanceBounds.usageRowsInMemoryMax; call++) {
    reservations.push(reserved(await replica.reserve(request)));
  }
  for (const reservation of reservations) replica.settle(reservation, createUsage(1));
  await expect.poll(() => replica.stats().usageRowsInMemory).toBe(reservations.length);
  expect(() => replica.reserve(request)).toThrow(expect.objectContaining({ code: "unavailable" }));
  await line.fix();
  await replica.flush().catch(() => {});
  expect(await countUsage(request.endpointUuid)).toBe(reservations.length);
});
