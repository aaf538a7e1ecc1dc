import type { Database } from "@gatehouse/database";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Allowances, createAllowances } from "./allowances.ts";
import { allowanceBounds as bounds } from "./decisions/bounds.ts";

// Nothing is due while a test does not advance the time.
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A started replica on a database that answers each statement without rows, and the number of its transactions. */
async function open() {
  const database = { isAway: false, transactions: 0 };
  const query = async () => await Promise.resolve({ rows: [] });
  const client = { query, on: () => {}, off: () => {}, release: () => {} };
  const connect = async () => {
    database.transactions += 1;
    return await (database.isAway ? Promise.reject(new Error("away")) : Promise.resolve(client));
  };
  const allowances = createAllowances({
    database: { pool: { query, connect }, schema: "chat" } as unknown as Database,
    log: createSilentTelemetry().log,
    replicaId: "r",
    spillFolder: "/nonexistent",
    onBudgetEvent: () => {},
  });
  await allowances.start();
  return { allowances, database };
}

function spend(allowances: Allowances, calls: number): void {
  const request = { endpointUuid: "e", projectUuid: "p", tokenId: 1, budgetMicros: null, estimateMicros: 1 };
  const tokens = { promptTokens: 1, cachedTokens: 0, completionTokens: 1, reasoningTokens: 0 };
  const names = { requestId: "r", user: null, provider: null, model: null, outcome: "answered" } as const;
  for (let call = 0; call < calls; call += 1) {
    const result = allowances.reserve(request);
    if (!("ok" in result) || !result.ok) throw new Error("The call waits, or is refused.");
    allowances.settle(result.reservation, {
      ...names,
      ...tokens,
      costMicros: 1,
      priceUnknown: false,
      estimated: false,
    });
  }
}

test("usage rows of a full block are written at once, and fewer after an interval", async () => {
  const { allowances, database } = await open();
  spend(allowances, bounds.usageBatchRowsMax - 1);
  await vi.advanceTimersByTimeAsync(0);
  expect(database.transactions).toBe(0);
  spend(allowances, 1);
  await vi.advanceTimersByTimeAsync(0);
  expect(database.transactions).toBe(1);
  expect(allowances.stats().usageRowsInMemory).toBe(0);
  spend(allowances, 1);
  await vi.advanceTimersByTimeAsync(bounds.usageFlushIntervalMs - 1);
  expect(database.transactions).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(database.transactions).toBe(2);
  await allowances.stop();
});

test("rows beyond a full block do not ask a database that is away again and again", async () => {
  const { allowances, database } = await open();
  database.isAway = true;
  for (let block = 0; block < 6; block += 1) {
    spend(allowances, bounds.usageBatchRowsMax);
    await vi.advanceTimersByTimeAsync(0);
  }
  expect(database.transactions).toBe(1);
  await vi.advanceTimersByTimeAsync(bounds.usageFlushIntervalMs);
  expect(database.transactions).toBe(2);
  database.isAway = false;
  await allowances.stop();
  expect(allowances.stats().usageRowsInMemory).toBe(0);
});
