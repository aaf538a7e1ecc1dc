import { auditEvent, systemInitiator } from "@gatehouse/audit";
import type { Database } from "@gatehouse/database";
import type { Logger } from "@gatehouse/telemetry";
import { expect, test } from "vitest";
import { AuditQueue } from "./audit-queue.ts";

const event = (target: string) => auditEvent(systemInitiator, "backup.exported", { target, metadata: {} });

function setup(answers: readonly ("stored" | "away")[]) {
  const stored: string[][] = [];
  const lost: unknown[] = [];
  const left = [...answers];
  let recorded = 0;
  const pool = {
    async query(_sql: string, [, bodies]: readonly [unknown, readonly string[]]) {
      if ((left.shift() ?? "stored") === "away") throw new Error("away");
      stored.push(bodies.map((body) => (JSON.parse(body) as { readonly target: string }).target));
      return await Promise.resolve();
    },
  };
  const log = { warn: () => {}, error: (fields: unknown) => lost.push(fields) } as unknown as Logger;
  const database = { pool } as unknown as Database;
  const queue = new AuditQueue(database, log, () => (recorded += 1));
  return { queue, stored, lost, recordedCount: () => recorded };
}

test("events of one turn are written together, in order, and the relay is notified", async () => {
  const { queue, stored, recordedCount } = setup([]);
  await Promise.all(["a", "b", "c"].map(async (target) => await queue.add(event(target))));
  expect(stored).toEqual([["a", "b", "c"]]);
  expect(recordedCount()).toBe(1);
});

test("events that the database could not store are stored once when it is back", async () => {
  const { queue, stored } = setup(["away"]);
  await queue.add(event("a"));
  expect(stored).toEqual([["a"]]);
});

test("a stop stores waiting events, or logs those that could not be stored", async () => {
  const kept = setup([]);
  void kept.queue.add(event("a"));
  await kept.queue.stop();
  expect(kept.stored).toEqual([["a"]]);
  const away = setup(["away", "away", "away"]);
  void away.queue.add(event("a"));
  await away.queue.stop();
  expect([away.stored, away.lost]).toEqual([[], [{ event: event("a") }]]);
});

test("recording an event waits for an unreachable database for a bounded time", async () => {
  const { queue, stored } = setup(Array.from({ length: 100 }, () => "away"));
  const before = performance.now();
  await queue.add(event("a"));
  expect(performance.now() - before).toBeGreaterThan(200);
  expect(stored).toEqual([]);
  await queue.stop();
});

test("an event that contradicts the catalogue is lost alone, and later ones are stored", async () => {
  const { queue, stored, lost } = setup([]);
  await queue.add({ ...event("wrong"), metadata: { text: "secret" } });
  await queue.add(event("right"));
  expect([stored, lost.length]).toEqual([[["right"]], 1]);
});

test("an event above the broker's size limit is lost alone, and later ones are stored", async () => {
  const { queue, stored, lost } = setup([]);
  void queue.add(event("x".repeat(300_000)));
  await queue.add(event("right"));
  expect([stored, lost.length]).toEqual([[["right"]], 1]);
  await queue.stop();
});

test("an event beyond the queue's bound is logged as lost", async () => {
  const { queue, lost } = setup(Array.from({ length: 100 }, () => "away"));
  for (let index = 0; index < 10_001; index++) void queue.add(event(`${index}`));
  expect(lost).toEqual([{ event: event("10000") }]);
  await queue.stop();
});
