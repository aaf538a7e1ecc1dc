import { randomBytes, randomUUID } from "node:crypto";
import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestProject } from "@gatehouse/admin/testing";
import type { AuditEvent } from "@gatehouse/audit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ChainedRecord, chainHash } from "../src/domain/audit-record.ts";
import { encodeVerifyPlace } from "../src/domain/verify-cursor.ts";
import { readChains } from "../src/store/audit-chains.ts";
import {
  type LogbookHarness,
  type LogbookReplica,
  newEvent,
  openHarness,
  type ShownPage,
  toAuditMessage,
  verifyChain,
} from "./harness.ts";

let harness: LogbookHarness;
let replica: LogbookReplica;
beforeAll(async () => {
  harness = await openHarness();
  replica = await harness.startReplica();
});
afterAll(async () => await harness.stop());

async function publish(events: readonly AuditEvent[], on = replica): Promise<void> {
  await on.events.publish("audit", events.map(toAuditMessage));
}

async function query(project: TestProject | undefined, changes: Readonly<Record<string, unknown>> = {}) {
  const input = { ...(project === undefined ? {} : { project: project.uuid }), ...changes };
  return await replica.admin.call<ShownPage>("svc_query_audit_log", input, project ?? null);
}

const newProject = () => ({ id: 1, uuid: randomUUID() as string, name: "Shop" });

function eventsOf(project: AuditEvent["project"], count: number): AuditEvent[] {
  return Array.from({ length: count }, (_, at) => newEvent({ project, target: `target ${at}` }));
}

async function verify(project?: TestProject, on = replica) {
  return await verifyChain(on, project);
}

/** Runs SQL as a role that may do everything in the database. */
async function tamper(text: string, values: readonly unknown[]): Promise<void> {
  await harness.sql("ALTER TABLE audit_log DISABLE TRIGGER audit_log_is_append_only");
  await harness.sql(text, values);
  await harness.sql("ALTER TABLE audit_log ENABLE TRIGGER audit_log_is_append_only");
}

/** Another actor from a row on, with hashes that fit and the head of the chain. */
async function rewriteFrom(chain: string, first: number): Promise<void> {
  const forged: ChainedRecord[] = [];
  for await (const rows of readChains(harness.openPool(), chain)) {
    for (const row of rows) {
      if (row.sequence < first) continue;
      const changed = {
        ...row,
        prevHash: forged.at(-1)?.hash ?? row.prevHash,
        record: { ...row.record, actor: "nobody" },
      };
      forged.push({ ...changed, hash: chainHash(changed) });
    }
  }
  for (const { sequence, prevHash, hash } of forged) {
    const text = `UPDATE audit_log SET actor = 'nobody', prev_hash = decode($3, 'hex'), hash = decode($4, 'hex')
      WHERE chain = $1 AND sequence = $2`;
    await tamper(text, [chain, sequence, prevHash, hash]);
  }
  await harness.sql("UPDATE audit_heads SET hash = decode($2, 'hex') WHERE chain = $1", [chain, forged.at(-1)?.hash]);
}

test("an event is returned with every field, and one of the whole gateway without a project", async () => {
  const project = newProject();
  const event = newEvent({ project, metadata: { token_id: 7, note: "é\0" } });
  const global = newEvent({ project: null, event: "admin_key.created", target: randomUUID() });
  await publish([event, global]);
  const { entries } = await query(project);
  expect(entries).toEqual([
    {
      id: expect.any(Number) as number,
      at: event.occurredAt,
      event: "token.created",
      severity: "info",
      actor: "admin_key:alice",
      project,
      target: "mobile app",
      metadata: event.metadata,
      ip_address: "192.0.2.1",
      event_id: event.id,
    },
  ]);
  const others = (await query(undefined, { event: "admin_key.created" })).entries;
  expect(others.find(({ target }) => target === global.target)).toMatchObject({ project: null });
});

test("changes are found by the name of the changed object", async () => {
  const project = newProject();
  await publish([newEvent({ project, target: "help" }), newEvent({ project, target: "helper" })]);
  expect((await query(project, { target: "help" })).entries).toMatchObject([{ target: "help" }]);
});

test("changes are found by severity", async () => {
  const project = newProject();
  await publish([newEvent({ project, severity: "warn", target: "w" }), newEvent({ project, target: "i" })]);
  expect((await query(project, { severity: "warn" })).entries).toMatchObject([{ target: "w" }]);
  await expect(query(project, { severity: "loud" })).rejects.toThrow("Invalid severity: loud");
});

test("a repeated event is stored once, and an unreadable one delays no other", async () => {
  const project = newProject();
  const events = eventsOf(project, 3);
  await publish(events);
  const bad = { id: randomUUID(), body: "{" };
  await replica.events.publish("audit", [bad, ...events.map(toAuditMessage), toAuditMessage(newEvent({ project }))]);
  expect((await query(project)).entries).toHaveLength(4);
  expect(await verify(project)).toEqual({ ok: true, rows: 4, chains: 1, faults: [] });
});

test("an event whose name no index holds is left out, and delays no other", async () => {
  const project = newProject();
  // Postgres compresses what repeats.
  const target = randomBytes(4_000).toString("base64");
  await publish([newEvent({ project }), newEvent({ project, target }), newEvent({ project })]);
  expect((await query(project)).entries).toHaveLength(2);
  expect(await verify(project)).toEqual({ ok: true, rows: 2, chains: 1, faults: [] });
});

test("a verification in parts counts each row once, and returns the rest and a cursor", async () => {
  const project = newProject();
  await publish(eventsOf(project, 4));
  const ask = async (input: object) =>
    await replica.admin.call<object>("svc_verify_audit_log", { project: project.uuid, ...input }, project);
  const part = { ok: true, rows: 4, chains: 1, faults: [], total_rows: 4, next_cursor: null };
  expect(await ask({ max_seconds: 5 })).toEqual(part);
  const [last, second] = await harness.sql(lastTwo, [project.uuid]);
  const after = (sequence: number, hash = "") =>
    encodeVerifyPlace({ chain: project.uuid, sequence, hash, isFaulty: false });
  const rest = { ...part, rows: 1, chains: 0 };
  expect(await ask({ max_seconds: 5, cursor: after(3, String(second?.["hash"])) })).toEqual(rest);
  expect(await ask({ max_seconds: 5, cursor: after(3, String(last?.["hash"])) })).toMatchObject({ ok: false, rows: 1 });
  const foreign = encodeVerifyPlace({ chain: "", sequence: 1, hash: String(last?.["hash"]), isFaulty: false });
  await expect(ask({ cursor: foreign })).rejects.toThrow("cursor is of another project's verification");
});

const lastTwo = "SELECT encode(hash, 'hex') AS hash FROM audit_log WHERE chain = $1 ORDER BY sequence DESC LIMIT 2";

test("texts that Postgres would change are stored as hashed", async () => {
  const project = { ...newProject(), name: "a\0b\ud800" };
  await publish([newEvent({ project, target: "\udc00", metadata: { text: "\0\ud800" } })]);
  expect(await verify(project)).toEqual({ ok: true, rows: 1, chains: 1, faults: [] });
});

test("replicas that write at once leave no gap in a chain", async () => {
  const other = await harness.startReplica();
  const [one, two] = [newProject(), newProject()];
  const batches = Array.from({ length: 20 }, () => [...eventsOf(one, 2), ...eventsOf(two, 2)]);
  await Promise.all(batches.map(async (batch, at) => await publish(batch, at % 2 === 0 ? replica : other)));
  for (const project of [one, two]) {
    expect(await verify(project)).toEqual({ ok: true, rows: 40, chains: 1, faults: [] });
    const rows = await harness.sql("SELECT max(sequence)::int AS last FROM audit_log WHERE chain = $1", [project.uuid]);
    expect(rows).toEqual([{ last: 40 }]);
  }
});

test("a deleted project still has its changes, and an unknown project without records is not found", async () => {
  const project = newProject();
  const input = { project: project.uuid };
  const message = `Project not found: ${project.uuid}`;
  for (const name of ["svc_query_audit_log", "svc_verify_audit_log"]) {
    await expect(replica.admin.call(name, input)).rejects.toMatchObject({ code: "not_found", message });
    await expect(replica.admin.call(name, { project: "x" })).rejects.toThrow("Project not found: x");
  }
  expect(await query(project)).toEqual({ entries: [], next_cursor: null });
  expect(await verify(project)).toEqual({ ok: true, rows: 0, chains: 0, faults: [] });
  await publish(eventsOf(project, 2));
  expect(await replica.admin.call("svc_query_audit_log", input)).toMatchObject({ entries: [{}, {}] });
  expect(await replica.admin.call("svc_verify_audit_log", input)).toMatchObject({ rows: 2 });
});

test.each(["UPDATE audit_log SET actor = 'x'", "DELETE FROM audit_log", "TRUNCATE audit_log"])(
  "%s is refused by the database",
  async (text) => {
    await expect(harness.sql(text)).rejects.toThrow("append-only");
  },
);

test("pages of changes are complete, newest first", async () => {
  const project = newProject();
  const start = Date.now();
  const events = eventsOf(project, 11).map((event, at) => {
    return { ...event, occurredAt: new Date(start + Math.floor(at / 2)).toISOString() };
  });
  await publish(events);
  const targets: unknown[] = [];
  let cursor: string | null = null;
  do {
    const page: ShownPage = await query(project, { limit: 3, cursor });
    targets.push(...page.entries.map(({ target }) => target));
    cursor = page.next_cursor;
  } while (cursor !== null);
  expect(targets).toEqual(events.map(({ target }) => target).toReversed());
});

test.each([
  ["another actor in a row", "UPDATE audit_log SET actor = 'nobody' WHERE chain = $1 AND sequence = 4", "edited", 4],
  [
    "another time in a row",
    "UPDATE audit_log SET at = at + interval '1 ms' WHERE chain = $1 AND sequence = 4",
    "edited",
    4,
  ],
  ["another hash in a row", "UPDATE audit_log SET hash = sha256('x') WHERE chain = $1 AND sequence = 4", "edited", 4],
  ["a missing row", "DELETE FROM audit_log WHERE chain = $1 AND sequence = 4", "missing", 4],
  ["a missing first row", "DELETE FROM audit_log WHERE chain = $1 AND sequence = 1", "missing", 1],
  ["a tail that is cut", "DELETE FROM audit_log WHERE chain = $1 AND sequence > 7", "cut", 8],
  ["a missing chain", "DELETE FROM audit_log WHERE chain = $1", "cut", 1],
])("%s is found", async (...[, text, kind, sequence]) => {
  const project = newProject();
  await publish(eventsOf(project, 10));
  expect((await verify(project)).faults).toEqual([]);
  await tamper(text, [project.uuid]);
  expect((await verify(project)).faults).toMatchObject([{ project: project.uuid, kind, sequence }]);
});

test("a tail cut together with the chain's head is found by the checkpoint outside the database", async () => {
  const project = newProject();
  const own = await harness.startReplica();
  await publish(eventsOf(project, 10), own);
  await own.service.stop();
  const again = await harness.startReplica({ dataFolder: own.dataFolder });
  expect((await verify(project, again)).faults).toEqual([]);
  await tamper("DELETE FROM audit_log WHERE chain = $1 AND sequence > 7", [project.uuid]);
  const head = "SELECT sequence, hash FROM audit_log WHERE chain = $1 ORDER BY sequence DESC LIMIT 1";
  await harness.sql(
    `UPDATE audit_heads h SET sequence = l.sequence, hash = l.hash FROM (${head}) l WHERE h.chain = $1`,
    [project.uuid],
  );
  expect((await verify(project)).faults).toEqual([]);
  expect((await verify(project, again)).faults).toMatchObject([{ kind: "cut", sequence: 8 }]);
});

test("a rewrite is found by earlier checkpoints, also when later ones are signed", async () => {
  const project = newProject();
  const own = await harness.startReplica();
  await publish(eventsOf(project, 10), own);
  await own.service.stop();
  await rewriteFrom(project.uuid, 7);
  const again = await harness.startReplica({ dataFolder: own.dataFolder });
  await publish(eventsOf(project, 5), again);
  await again.service.stop();
  const third = await harness.startReplica({ dataFolder: own.dataFolder });
  expect((await verify(project)).faults).toEqual([]);
  expect((await verify(project, third)).faults).toMatchObject([{ kind: "edited", sequence: 10 }]);
});

test("a changed checkpoint is reported, and an incomplete line is not", async () => {
  const project = newProject();
  const own = await harness.startReplica();
  await publish(eventsOf(project, 2), own);
  await own.service.stop();
  const path = join(own.dataFolder, "audit-checkpoints.jsonl");
  await appendFile(path, '{"chain":"x","sequ');
  const again = await harness.startReplica({ dataFolder: own.dataFolder });
  await publish(eventsOf(project, 1), again);
  await again.service.stop();
  const third = await harness.startReplica({ dataFolder: own.dataFolder });
  expect((await verify(project, third)).faults).toEqual([]);
  await writeFile(path, (await readFile(path, "utf8")).replace('"sequence":3', '"sequence":2'));
  expect((await verify(project, third)).faults).toMatchObject([{ kind: "edited" }]);
});

test("one edited row among fifty thousand is found", { timeout: 120_000 }, async () => {
  const [one, two] = [newProject(), newProject()];
  for (let batch = 0; batch < 50; batch += 1) await publish([...eventsOf(one, 900), ...eventsOf(two, 100)]);
  const begun = performance.now();
  const { rows, chains, faults } = await verify();
  const seconds = (performance.now() - begun) / 1_000;
  process.stdout.write(`verified ${rows} rows in ${seconds.toFixed(2)} s: ${Math.round(rows / seconds)} rows/s\n`);
  expect(rows).toBeGreaterThanOrEqual(50_000);
  expect(chains).toBeGreaterThanOrEqual(2);
  expect(faults.filter(({ project }) => [one.uuid, two.uuid].includes(project ?? ""))).toEqual([]);
  await tamper("UPDATE audit_log SET metadata = '{}' WHERE chain = $1 AND sequence = 31415", [one.uuid]);
  expect((await verify(one)).faults).toMatchObject([{ kind: "edited", sequence: 31_415 }]);
});
