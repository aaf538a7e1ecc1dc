import type { TokenPrincipal } from "@gatehouse/principal";
import { createLogger } from "@gatehouse/telemetry";
import { expect, test } from "vitest";
import { allowanceBounds } from "../decisions/bounds.ts";
import { KnownUsers } from "../decisions/known-users.ts";
import { fromLeaseRequest, toLeaseRequest } from "../messages.ts";
import { createMemoryLedger } from "../testing.ts";
import { DatabaseClock } from "./database-clock.ts";
import { LedgerOutage } from "./ledger-outage.ts";
import { RateLimiter } from "./rate-limiter.ts";

const hourStart = Date.parse("2026-03-10T10:00:00Z");
const log = createLogger({ service: "test", level: "silent" });

function ofToken(tokenId: number): TokenPrincipal {
  const rateLimits = { perMinute: null, perHour: 100 };
  const uuid = "3f1d7b1e-4a5e-4b37-9a5b-0c1f4f3b6a10";
  const unlimited = { perMinute: null, perHour: null };
  const project = { id: 1, uuid, name: "p", projectType: "api_gateway", rateLimits: unlimited } as const;
  return { kind: "token", tokenId, tokenName: "t", environment: "live", scopes: ["proxy"], rateLimits, project };
}

test("calls during a slow renewal ask once for each window, also with idle leases", async () => {
  let nowMs = hourStart;
  const ledger = createMemoryLedger(() => nowMs);
  const answering = Promise.withResolvers<void>();
  const store = {
    async renew(asks: Parameters<typeof ledger.renew>[0]) {
      await answering.promise;
      // Refuses what the real ledger refuses.
      return await ledger.renew(fromLeaseRequest(toLeaseRequest(asks)));
    },
  };
  const clock = () => nowMs;
  const limiter = new RateLimiter({
    store,
    clock: new DatabaseClock(clock),
    log,
    users: new KnownUsers(),
    outage: new LedgerOutage(clock),
  });
  const one = limiter.admit(ofToken(1), undefined);
  await Promise.resolve();
  // The renewal for the first is under way; the second waits for the next one, and its lease becomes idle.
  const other = ofToken(2);
  const second = limiter.admit(other, undefined);
  nowMs += allowanceBounds.idleMs;
  await limiter.tick();
  const third = limiter.admit(other, undefined);
  answering.resolve();
  const admissions = await Promise.all([one, second, third]);
  expect(admissions.map(({ admitted }) => admitted)).toEqual([true, true, true]);
  expect(ledger.renewals).toBe(2);
});

test("invented users of a project with a ledger grace get no more leases than the bound of users", async () => {
  let nowMs = hourStart;
  const clock = () => nowMs;
  const limiter = new RateLimiter({
    store: createMemoryLedger(clock),
    clock: new DatabaseClock(clock),
    log,
    users: new KnownUsers(),
    outage: new LedgerOutage(clock),
  });
  const { usersOfTokenMax, idleMs } = allowanceBounds;
  const token = ofToken(1);
  const principal: TokenPrincipal = {
    ...token,
    rateLimits: { perMinute: null, perHour: null },
    userLimits: { perMinute: 10, monthlyBudgetMicros: null },
    project: { ...token.project, ledgerGraceSeconds: 60 },
  };
  for (let round = 0; round < 3; round++) {
    for (let at = 0; at < usersOfTokenMax; at++) await limiter.admit(principal, `user-${round}-${at}`);
    nowMs += idleMs;
    await limiter.tick();
  }
  // The users of the first round, and one for all further calls.
  expect(limiter.leaseCount).toBe(usersOfTokenMax + 1);
});
