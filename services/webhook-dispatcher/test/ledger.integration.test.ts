import { findNatsServer, startNatsServer } from "@gatehouse/events/testing";
import { createTestDatabase, type TestDatabase } from "@gatehouse/postgres/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { losingBroker } from "./ledger/broker-scenario.ts";
import { changeUnderLoad } from "./ledger/change-scenario.ts";
import { startCrashingPostgres } from "./ledger/postgres-server.ts";
import { crashDatabase, killAt, killAtRandom, type ScenarioReport, several, standStill } from "./ledger/scenarios.ts";

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
});

afterEach(async () => await database.drop());

function expectWhole(report: ScenarioReport): void {
  expect(report.violations).toEqual([]);
  expect(report.arrivals).toBeGreaterThan(0);
  expect(report.succeeded).toBeGreaterThan(0);
}

test.each(["claimed", "started", "sent", "recorded"])(
  "a process that is killed when a delivery is %s loses none and sends none twice",
  { timeout: 60_000 },
  async (place) => {
    const report = await killAt(place, { databaseUrl: database.url, rounds: 2 });
    expectWhole(report);
    if (place === "sent") expect(report.interrupted).toBeGreaterThan(0);
  },
);

test("a process that is killed at random loses none and sends none twice", { timeout: 60_000 }, async () => {
  expectWhole(await killAtRandom({ databaseUrl: database.url, rounds: 4 }));
});

test("a process that pauses past its leases sends nothing late", { timeout: 60_000 }, async () => {
  expectWhole(await standStill({ databaseUrl: database.url, rounds: 1 }));
});

test("several processes share the work", { timeout: 60_000 }, async () => {
  expectWhole(await several({ databaseUrl: database.url, rounds: 2 }));
});

test("a database crash under a dispatcher delays deliveries, and nothing else", { timeout: 90_000 }, async () => {
  const server = await startCrashingPostgres();
  try {
    expectWhole(await crashDatabase(server, { databaseUrl: server.url, rounds: 2 }));
  } finally {
    await server.stop();
  }
});

test(
  "webhooks changed under load are called with their current settings, and never signed with an expired secret",
  { timeout: 60_000 },
  async () => {
    const report = await changeUnderLoad(database.url);
    expect(report.violations).toEqual([]);
    expect(report.arrivals).toBeGreaterThan(100);
  },
);

const natsServer = await findNatsServer();

test.skipIf(natsServer === undefined)(
  "a broker that is killed, and one that restarts empty, lose no event",
  { timeout: 90_000 },
  async () => {
    const broker = await startNatsServer(natsServer ?? "");
    try {
      const { violations, pairs, records } = await losingBroker(database.url, broker);
      expect(violations).toEqual([]);
      expect(records).toBe(pairs);
    } finally {
      await broker.remove();
    }
  },
);
