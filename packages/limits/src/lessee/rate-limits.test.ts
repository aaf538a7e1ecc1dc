import { GatewayError } from "@gatehouse/errors";
import type { TokenPrincipal } from "@gatehouse/principal";
import { connectLocally } from "@gatehouse/rpc";
import { createLogger } from "@gatehouse/telemetry";
import { describe, expect, test, vi } from "vitest";
import { bindMemoryLedger, createMemoryLedger, type MemoryLedger } from "../testing.ts";
import { createRateLimits, type LedgerClient, type RateLimits } from "./rate-limits.ts";

const hourStart = Date.parse("2026-03-10T10:00:00Z");
const log = createLogger({ service: "test", level: "silent" });

function open(ledger: MemoryLedger, clock: () => number): RateLimits {
  return createRateLimits(connectLocally(bindMemoryLedger(ledger)), log, clock);
}

function limitedTo(perHour: number | null, ledgerGraceSeconds?: number): TokenPrincipal {
  const rateLimits = { perMinute: null, perHour: null };
  const uuid = "3f1d7b1e-4a5e-4b37-9a5b-0c1f4f3b6a10";
  const project = {
    id: 1,
    uuid,
    name: "p",
    projectType: "api_gateway",
    rateLimits: { ...rateLimits, perHour },
    ...(ledgerGraceSeconds === undefined ? {} : { ledgerGraceSeconds }),
  } as const;
  return { kind: "token", tokenId: 1, tokenName: "t", environment: "live", scopes: ["proxy"], rateLimits, project };
}

async function countMany(limits: RateLimits, principal: TokenPrincipal, count: number): Promise<number> {
  const work = async () => await limits.count(principal, undefined);
  const outcomes = await Promise.allSettled(Array.from({ length: count }, work));
  return outcomes.filter(({ status }) => status === "fulfilled").length;
}

test("two lessees together admit exactly the limit, in each window", async () => {
  let nowMs = hourStart;
  const ledger = createMemoryLedger(() => nowMs);
  const [one, other] = [open(ledger, () => nowMs), open(ledger, () => nowMs)];
  const principal = limitedTo(20);
  const both = async () => (await countMany(one, principal, 30)) + (await countMany(other, principal, 30));
  expect(await both()).toBe(20);
  nowMs += 3_600_000;
  expect(await both()).toBe(20);
});

test("a killed lessee loses its lease: the limit is never exceeded, and the next window is complete", async () => {
  let nowMs = hourStart;
  const ledger = createMemoryLedger(() => nowMs);
  const principal = limitedTo(1_000);
  const killed = open(ledger, () => nowMs);
  const admitted = await countMany(killed, principal, 100);
  const heir = open(ledger, () => nowMs);
  const rest = await countMany(heir, principal, 2_000);
  expect(admitted).toBe(100);
  expect(admitted + rest).toBeLessThanOrEqual(1_000);
  // Beyond the waiting calls, a lease takes at most one part in 32 of what is left.
  expect(admitted + rest).toBeGreaterThanOrEqual(1_000 - 1_000 / 32);
  nowMs += 3_600_000;
  expect(await countMany(heir, principal, 2_000)).toBe(1_000);
});

test("a lessee that stops returns its unused lease", async () => {
  const ledger = createMemoryLedger(() => hourStart);
  const principal = limitedTo(1_000);
  const stopped = open(ledger, () => hourStart);
  await stopped.count(principal, undefined);
  await stopped.stop();
  expect(
    await countMany(
      open(ledger, () => hourStart),
      principal,
      2_000,
    ),
  ).toBe(999);
});

test("a lessee that stops waits for its ledger within a bound, also for its calls", async () => {
  const deadlines: unknown[] = [];
  const client = connectLocally(bindMemoryLedger(createMemoryLedger(() => hourStart)));
  const ledger: LedgerClient = {
    async lease(request, options) {
      deadlines.push(options?.deadline);
      return await client.lease(request, options);
    },
  };
  const limits = createRateLimits(ledger, log, () => hourStart);
  await limits.count(limitedTo(1_000), undefined);
  await limits.stop();
  expect(deadlines).toEqual([undefined, expect.any(Date)]);
});

test("a warm lease counts synchronously without a renewal, and an unlimited caller always does", async () => {
  const ledger = createMemoryLedger(() => hourStart);
  const limits = open(ledger, () => hourStart);
  const principal = limitedTo(1_000);
  expect(limits.count(limitedTo(null), undefined)).toBeUndefined();
  expect(ledger.renewals).toBe(0);
  await limits.count(principal, undefined);
  expect(limits.count(principal, undefined)).toMatchObject({ limit: 1_000, remaining: 998 });
  expect(ledger.renewals).toBe(1);
});

test("an idle lessee has no timer: it starts with the first count, and ends with the last lease", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    let nowMs = hourStart;
    const ledger = createMemoryLedger(() => nowMs);
    const limits = open(ledger, () => nowMs);
    limits.start();
    expect(limits.count(limitedTo(null), undefined)).toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
    for (let times = 0; times < 2; times++) {
      await limits.count(limitedTo(1_000), undefined);
      expect(vi.getTimerCount()).toBe(1);
      const renewals = ledger.renewals;
      nowMs += 20_000;
      await vi.advanceTimersByTimeAsync(1_000);
      await vi.waitFor(() => expect(ledger.renewals).toBe(renewals + 1));
      await vi.advanceTimersByTimeAsync(2_000);
      expect(vi.getTimerCount()).toBe(0);
    }
    await limits.stop();
    expect(
      await countMany(
        open(ledger, () => nowMs),
        limitedTo(1_000),
        2_000,
      ),
    ).toBe(998);
  } finally {
    vi.useRealTimers();
  }
});

test("a ledger that is away or late is `unavailable` without another renewal for a while", async () => {
  let nowMs = hourStart;
  const ledger = createMemoryLedger(() => nowMs);
  const limits = open(ledger, () => nowMs);
  const principal = limitedTo(10);
  ledger.failure = new GatewayError("deadline_exceeded", "Too late.");
  await expect(Promise.resolve(limits.count(principal, undefined))).rejects.toMatchObject({ code: "unavailable" });
  ledger.failure = undefined;
  await expect(Promise.resolve(limits.count(principal, undefined))).rejects.toMatchObject({ code: "unavailable" });
  expect(ledger.renewals).toBe(1);
  nowMs += 250;
  expect(await limits.count(principal, undefined)).toMatchObject({ limit: 10, remaining: 9 });
});

test("lessees together count each user of a token's calls, also without another limit", async () => {
  const ledger = createMemoryLedger(() => hourStart);
  const [one, other] = [open(ledger, () => hourStart), open(ledger, () => hourStart)];
  const principal = { ...limitedTo(null), userLimits: { perMinute: 2, monthlyBudgetMicros: null } };
  const outcomes = await Promise.allSettled(
    Array.from({ length: 6 }, async (_, at) => await (at % 2 === 0 ? one : other).count(principal, "ann")),
  );
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
  expect(await one.count(principal, "bob")).toMatchObject({ limit: 2, remaining: 1 });
  expect(await one.count(principal, undefined)).toMatchObject({ limit: 2, remaining: 1 });
});

describe("a project with a grace for outages of its ledger", () => {
  const outage = new GatewayError("unavailable", "Away.", { retryAfterSeconds: 1 });

  test("counts its share of the rest, and reports it to the ledger after the outage", async () => {
    let nowMs = hourStart;
    const ledger = createMemoryLedger(() => nowMs);
    const [one, other] = [open(ledger, () => nowMs), open(ledger, () => nowMs)];
    const principal = limitedTo(1_000, 60);
    // One lessee has three quarters of the traffic.
    for (let second = 0; second < 10; second++) {
      await countMany(one, principal, 30);
      await countMany(other, principal, 10);
    }
    ledger.failure = outage;
    const [byOne, byOther] = [await countMany(one, principal, 1_000), await countMany(other, principal, 1_000)];
    expect(byOne).toBeGreaterThan(400);
    expect(byOther).toBeGreaterThan(100);
    expect(400 + byOne + byOther).toBeLessThanOrEqual(1_000 + 32);
    nowMs += 1_000;
    ledger.failure = undefined;
    // Requests counted meanwhile are in the ledger once each lessee has renewed.
    await countMany(other, principal, 1);
    expect(await countMany(one, principal, 1_000)).toBeLessThanOrEqual(32);
    await other.stop();
    const heir = open(ledger, () => nowMs);
    expect(await countMany(heir, principal, 1_000)).toBeLessThanOrEqual(32);
  });

  test("counts in later windows synchronously, until its grace ends", async () => {
    let nowMs = hourStart + 3_600_000 - 10_000;
    const ledger = createMemoryLedger(() => nowMs);
    const limits = open(ledger, () => nowMs);
    const principal = limitedTo(50, 60);
    expect(await countMany(limits, principal, 60)).toBe(50);
    nowMs += 10_000;
    ledger.failure = outage;
    expect(await countMany(limits, principal, 60)).toBe(50);
    nowMs += 59_000;
    // Its limit is reached as far as is known; this is no refusal with a time to retry.
    expect(await countMany(limits, principal, 1)).toBe(0);
    nowMs = hourStart + 2 * 3_600_000;
    ledger.failure = undefined;
    expect(await countMany(limits, principal, 60)).toBe(50);
  });

  test("is refused after its grace, and at once without a grace or a lease", async () => {
    let nowMs = hourStart;
    const ledger = createMemoryLedger(() => nowMs);
    const limits = open(ledger, () => nowMs);
    const principal = limitedTo(10_000, 2);
    await limits.count(principal, undefined);
    ledger.failure = outage;
    expect(await countMany(limits, principal, 100)).toBe(100);
    expect(limits.count(principal, undefined)).not.toBeInstanceOf(Promise);
    nowMs += 2_000;
    const unavailable = { code: "unavailable", retryAfterSeconds: 1 };
    await expect(Promise.resolve(limits.count(principal, undefined))).rejects.toMatchObject(unavailable);
    const unseen = { ...limitedTo(10_000, 2), rateLimits: { perMinute: 10, perHour: null }, tokenId: 2 };
    await expect(Promise.resolve(limits.count(unseen, undefined))).rejects.toMatchObject(unavailable);
    ledger.failure = undefined;
    nowMs += 250;
    expect(await limits.count(principal, undefined)).toMatchObject({ limit: 10_000, remaining: 10_000 - 103 });
  });
});
