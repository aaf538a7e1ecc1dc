import { auditEvent, systemOrigin } from "@gatehouse/audit";
import type { Database } from "@gatehouse/database";
import type { Logger } from "@gatehouse/telemetry";
import { expect, test, vi } from "vitest";
import { AuditQueue } from "./audit-queue.ts";

const event = (target: string) => auditEvent(systemOrigin, "backup.exported", { target, metadata: {} });

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
  const queue = new AuditQueue({ database, log, onRecorded: () => (recorded += 1) });
  return { queue, stored, lost, recordedCount: () => recorded };
}

test("events of one turn are written together, in order, and the relay is told", async () => {
  const { queue, stored, recordedCount } = setup([]);
  for (const target of ["a", "b", "c"]) queue.add(event(target));
  await vi.waitFor(() => expect(stored).toEqual([["a", "b", "c"]]));
  expect(recordedCount()).toBe(1);
});

test("what the database could not take is written when it is back, and none of it twice", async () => {
  const { queue, stored } = setup(["away"]);
  queue.add(event("a"));
  await vi.waitFor(() => expect(stored).toEqual([["a"]]));
});

test("a stop writes what waits, or says in the log what it could not write", async () => {
  const kept = setup([]);
  kept.queue.add(event("a"));
  await kept.queue.stop();
  expect(kept.stored).toEqual([["a"]]);
  const away = setup(["away", "away", "away"]);
  away.queue.add(event("a"));
  await away.queue.stop();
  expect([away.stored, away.lost]).toEqual([[], [{ event: event("a") }]]);
});

test("beyond its bound an event is in the log", async () => {
  const { queue, lost } = setup(Array.from({ length: 100 }, () => "away"));
  for (let index = 0; index < 10_001; index++) queue.add(event(`${index}`));
  expect(lost).toEqual([{ event: event("10000") }]);
  await queue.stop();
});
