import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Allowances, type ReservationRequest, type UsageRecord } from "@gatehouse/limits";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createUsage, createWorld, openTestDatabase, reserved, type World, worldStart } from "./allowances-harness.ts";

let world: World;

beforeAll(async () => {
  world = await createWorld();
});

beforeEach(async () => {
  await world.setTime(worldStart);
  await world.query("TRUNCATE usage_records, usage_blocks, budget_ledgers, budget_leases");
});

afterAll(async () => await world.close());

const endpointUuid = crypto.randomUUID();
const projectUuid = crypto.randomUUID();
const base = { endpointUuid, projectUuid, tokenId: 7, budgetMicros: null, estimateMicros: 1_000 };

async function spend(replica: Allowances, usage: UsageRecord, request: ReservationRequest = base): Promise<void> {
  expect(replica.settle(reserved(await replica.reserve(request)), usage)).toBe(true);
}

async function countForms(): Promise<{ blocks: number; records: number; rows: number; spent: number }> {
  const [row] = await world.query<{ blocks: number; records: number; rows: number; spent: number }>(
    `SELECT (SELECT count(*)::int FROM usage_blocks) AS blocks, (SELECT count(*)::int FROM usage_records) AS records,
       (SELECT count(*)::int FROM usage_rows) AS rows, (SELECT coalesce(sum(spent_micros), 0)::int FROM budget_ledgers) AS spent`,
  );
  if (row === undefined) throw new Error("There is no count.");
  return row;
}

/** Spilled rows of a replica that could not write them. */
async function spill(name: string, usages: readonly UsageRecord[]): Promise<{ folder: string; file: string }> {
  const folder = join(world.folder, name);
  const away = openTestDatabase("postgresql://nobody@127.0.0.1:1/none");
  const replica = world.createReplica({ database: away, spillFolder: folder });
  for (const usage of usages) await spend(replica, usage);
  await replica.stop();
  await away.close();
  const [file = ""] = await readdir(folder);
  return { folder, file: join(folder, file) };
}

async function replay(folder: string): Promise<void> {
  const heir = world.createReplica({ spillFolder: folder });
  await heir.flush();
  expect(await heir.findLedgerDifferences()).toEqual([]);
}

test("the rows of a flush are one block, and the view shows each as it was settled", async () => {
  const replica = world.createReplica();
  const first = createUsage(70, { requestId: 'a"b\\c', user: "ann", model: null });
  const second = createUsage(30, { outcome: "failed", cachedTokens: 0, estimated: true, priceUnknown: true });
  await spend(replica, first);
  await world.advance(250);
  await spend(replica, second, { ...base, endpointUuid: crypto.randomUUID(), tokenId: 8 });
  await replica.flush();
  expect(await countForms()).toEqual({ blocks: 1, records: 0, rows: 2, spent: 100 });
  const rows = await world.query<Record<string, unknown>>("SELECT * FROM usage_rows ORDER BY settled_at");
  expect(rows).toMatchObject([
    {
      endpoint_uuid: endpointUuid,
      project_uuid: projectUuid,
      token_id: 7,
      user_name: "ann",
      month: "2026-03",
      settled_at: new Date(worldStart),
      request_id: 'a"b\\c',
      provider: "mock",
      model: null,
      outcome: "answered",
      prompt_tokens: 10,
      cached_tokens: 4,
      completion_tokens: 5,
      reasoning_tokens: 2,
      cost_micros: "70",
      price_unknown: false,
      estimated: false,
    },
    {
      token_id: 8,
      user_name: null,
      settled_at: new Date(worldStart + 250),
      model: "model",
      outcome: "failed",
      cached_tokens: 0,
      cost_micros: "30",
      price_unknown: true,
      estimated: true,
    },
  ]);
});

test("a spilled block that was written already counts once, with any rows after it on disk", async () => {
  const { folder, file } = await spill("twice", [createUsage(7), createUsage(8)]);
  const lines = await readFile(file, "utf8");
  await replay(folder);
  expect(await countForms()).toMatchObject({ blocks: 1, rows: 2, spent: 15 });
  const { file: next } = await spill("twice", [createUsage(9)]);
  await writeFile(next, `${lines}${await readFile(next, "utf8")}`);
  await replay(folder);
  expect(await countForms()).toEqual({ blocks: 2, records: 0, rows: 3, spent: 24 });
});

test("a block cut off on disk is stored in two attempts: the present rows first, then the rest", async () => {
  const { folder, file } = await spill("cut", [createUsage(7), createUsage(8), createUsage(9)]);
  const lines = await readFile(file, "utf8");
  await writeFile(file, lines.slice(0, lines.lastIndexOf('{"')));
  await replay(folder);
  expect(await countForms()).toMatchObject({ rows: 2, spent: 15 });
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await writeFile(file, lines);
    await replay(folder);
    expect(await countForms()).toEqual({ blocks: 1, records: 1, rows: 3, spent: 24 });
  }
});

test("rows that are on disk twice, since an attempt to put them there had failed half-way, count once", async () => {
  const { folder, file } = await spill("repeated", [createUsage(7), createUsage(8)]);
  const lines = await readFile(file, "utf8");
  const [line = ""] = lines.split("\n");
  await writeFile(file, `${line}\n${line.slice(0, 30)}\n${lines}`);
  await replay(folder);
  expect(await countForms()).toMatchObject({ rows: 2, spent: 15 });
});

test("rows that an earlier version has spilled, or written already, are stored one by one, once", async () => {
  const { folder, file } = await spill("earlier", [createUsage(7), createUsage(8)]);
  const lines = (await readFile(file, "utf8")).trim().split("\n");
  const earlier = lines.map((line) => {
    const { block: _block, isFinal: _isFinal, ...row } = JSON.parse(line) as Record<string, unknown>;
    return `${JSON.stringify(row)}\n`;
  });
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await mkdir(folder, { recursive: true });
    await writeFile(file, earlier.join(""));
    await replay(folder);
    expect(await countForms()).toEqual({ blocks: 0, records: 2, rows: 2, spent: 15 });
  }
});

test("a refused row does not block the others of its block, and a replay counts nothing twice", async () => {
  const { folder, file } = await spill("refused-block", [createUsage(7), createUsage(8), createUsage(9)]);
  const lines = (await readFile(file, "utf8")).replace(/"requestId":"[^"]*"/, '"requestId":"\\u0000"');
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await writeFile(file, lines);
    await replay(folder);
    expect(await countForms()).toEqual({ blocks: 0, records: 2, rows: 2, spent: 17 });
  }
});

test("a refused block that an outage interrupts is stored by single rows afterwards", async () => {
  const folder = join(world.folder, "half-refused");
  const database = openTestDatabase(world.url);
  const connect = database.pool.connect.bind(database.pool);
  let connections = 0;
  Object.assign(database.pool, {
    // The block and then all its rows are refused; half of them are stored.
    connect: async () => {
      connections += 1;
      if (connections > 3) throw Object.assign(new Error("The database is away."), { code: "ECONNREFUSED" });
      return await connect();
    },
  });
  const replica = world.createReplica({ database, spillFolder: folder });
  await spend(replica, createUsage(7));
  await spend(replica, createUsage(8));
  await spend(replica, createUsage(9), { ...base, endpointUuid: "not a uuid" });
  await spend(replica, createUsage(10));
  await expect(replica.flush()).rejects.toMatchObject({ code: "unavailable" });
  expect(await countForms()).toEqual({ blocks: 0, records: 2, rows: 2, spent: 15 });
  await replica.stop();
  await database.close();
  const [name = ""] = await readdir(folder);
  const lines = (await readFile(join(folder, name), "utf8")).split("\n");
  await writeFile(join(folder, name), lines.filter((line) => !line.includes("not a uuid")).join("\n"));
  await replay(folder);
  expect(await countForms()).toEqual({ blocks: 0, records: 3, rows: 3, spent: 25 });
});

test("rows whose sum of costs exceeds the largest number are stored one by one, once", async () => {
  const replica = world.createReplica();
  for (let call = 0; call < 3; call += 1) await spend(replica, createUsage(Number.MAX_SAFE_INTEGER - call));
  await replica.flush();
  const [sums] = await world.query<{ rows: number; same: boolean }>(
    "SELECT count(*)::int AS rows, sum(cost_micros) = (SELECT spent_micros FROM budget_ledgers) AS same FROM usage_rows",
  );
  expect(sums).toEqual({ rows: 3, same: true });
});

test("a call that is overdue is a row by itself until it ends, and others are not", async () => {
  const replica = world.createReplica();
  const request = { ...base, budgetMicros: 10_000 };
  const overdue = reserved(await replica.reserve(request));
  await world.advance(3_600_000);
  await replica.tick();
  await spend(replica, createUsage(5), request);
  await replica.flush();
  expect(await countForms()).toEqual({ blocks: 1, records: 1, rows: 2, spent: 1_005 });
  expect(replica.settle(overdue, createUsage(300))).toBe(true);
  await replica.flush();
  expect(await countForms()).toEqual({ blocks: 1, records: 1, rows: 2, spent: 305 });
  expect(await replica.findLedgerDifferences()).toEqual([]);
});

test("users are reported over both forms, over all blocks, by project and by endpoint", async () => {
  const replica = world.createReplica();
  const other = { ...base, endpointUuid: crypto.randomUUID() };
  const foreign = { ...base, endpointUuid: crypto.randomUUID(), projectUuid: crypto.randomUUID() };
  await spend(replica, createUsage(10, { user: "ann" }));
  await spend(replica, createUsage(20, { user: "ann" }), other);
  await spend(replica, createUsage(500, { user: "ann" }), foreign);
  await spend(replica, createUsage(5, { user: "bob" }));
  await replica.flush();
  await spend(replica, createUsage(1, { user: "bob" }), other);
  await spend(replica, createUsage(9_000));
  await replica.flush();
  await world.query(
    `INSERT INTO usage_records (call_id, endpoint_uuid, project_uuid, token_id, user_name, month, settled_at, request_id, outcome,
       prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens, cost_micros, price_unknown, estimated)
     VALUES (gen_random_uuid(), $1, $2, 1, 'ann', '2026-03', now(), 'r', 'answered', 10, 0, 5, 0, 100, false, false)`,
    [endpointUuid, projectUuid],
  );
  const costs = async (query: Parameters<Allowances["getUserUsage"]>[0]) =>
    (await replica.getUserUsage(query)).users.map(({ user, requests, costMicros }) => [user, requests, costMicros]);
  expect(await costs({})).toEqual([
    ["ann", 4, 630],
    ["bob", 2, 6],
  ]);
  expect(await costs({ projectUuid })).toEqual([
    ["ann", 3, 130],
    ["bob", 2, 6],
  ]);
  expect(await costs({ endpointUuid: other.endpointUuid })).toEqual([
    ["ann", 1, 20],
    ["bob", 1, 1],
  ]);
  expect(await costs({ projectUuid, endpointUuid: foreign.endpointUuid })).toEqual([]);
});

test("blocks of users' ledgers are deleted with them, and all blocks after their months", async () => {
  const replica = world.createReplica();
  await spend(replica, createUsage(700, { user: "ann" }), {
    ...base,
    userBudget: { user: "ann", budgetMicros: 2_000 },
  });
  await replica.flush();
  const blocks = async () => await world.query("SELECT of_users FROM usage_blocks ORDER BY 1");
  expect(await blocks()).toEqual([{ of_users: false }, { of_users: true }]);
  await world.setTime(Date.parse("2026-05-02T00:00:00Z"));
  await replica.tick();
  expect(await blocks()).toEqual([{ of_users: false }]);
  await world.setTime(Date.parse("2028-04-02T00:00:00Z"));
  await replica.tick();
  expect(await blocks()).toEqual([]);
});

test("a flush across the end of a month makes a block of each, and a repeated one changes neither", async () => {
  const replica = world.createReplica();
  await world.setTime(Date.parse("2026-03-31T23:59:59.999Z"));
  const march = reserved(await replica.reserve(base));
  await world.advance(1);
  const april = reserved(await replica.reserve(base));
  replica.settle(march, createUsage(3));
  replica.settle(april, createUsage(4));
  await replica.flush();
  await replica.flush();
  expect(await world.query("SELECT month, cardinality(kinds) AS rows FROM usage_blocks ORDER BY 1")).toEqual([
    { month: "2026-03", rows: 1 },
    { month: "2026-04", rows: 1 },
  ]);
  for (const month of ["2026-03", "2026-04"]) expect(await replica.findLedgerDifferences(month)).toEqual([]);
});
