import { GatewayError } from "@gatehouse/errors";
import type { TokenPrincipal } from "@gatehouse/principal";
import { createLogger } from "@gatehouse/telemetry";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { fromLeaseRequest } from "../messages.ts";
import { createMemoryLedger } from "../testing.ts";
import { createRateLimits, type LedgerClient, type RateLimits } from "./rate-limits.ts";

const hourStart = Date.parse("2026-03-10T10:00:00Z");
const log = createLogger({ service: "test", level: "silent" });
const callIntervalMs = 50;

beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime(hourStart + 50_000);
});
afterEach(() => void vi.useRealTimers());

function principalWith(ledgerGraceSeconds: number | undefined, tokenId = 1): TokenPrincipal {
  const project = {
    id: tokenId,
    uuid: `3f1d7b1e-4a5e-4b37-9a5b-0c1f4f3b6a1${tokenId}`,
    name: "p",
    projectType: "api_gateway",
    rateLimits: { perMinute: 1_000_000, perHour: 10_000_000 },
    ...(ledgerGraceSeconds === undefined ? {} : { ledgerGraceSeconds }),
  } as const;
  const rateLimits = { perMinute: null, perHour: null };
  return { kind: "token", tokenId, tokenName: "t", environment: "live", scopes: ["proxy"], rateLimits, project };
}

interface Held {
  answer(): void;
  fail(err: Error): void;
}

/** A ledger that does not answer while it is held. */
function holdableLedger() {
  const ledger = createMemoryLedger(() => Date.now());
  const state = { isHeld: false, held: [] as Held[] };
  const client: LedgerClient = {
    async lease(request) {
      if (state.isHeld) {
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        state.held.push({ answer: resolve, fail: reject });
        await promise;
      }
      const { grants, databaseMs } = await ledger.renew(fromLeaseRequest(request as never));
      return { grants: [...grants], databaseMs };
    },
  };
  return { client, state };
}

/** Sends a call every {@link callIntervalMs}. @returns the times of those that were refused, after the start of the hour */
async function send(limits: RateLimits, principal: TokenPrincipal, forMs: number): Promise<readonly string[]> {
  const refused: string[] = [];
  const call = async (sentMs: number) => {
    try {
      await limits.count(principal, undefined);
    } catch (err) {
      refused.push(`${sentMs - hourStart} ${err instanceof GatewayError ? err.code : String(err)}`);
    }
  };
  for (let atMs = 0; atMs < forMs; atMs += callIntervalMs) {
    void call(Date.now());
    await vi.advanceTimersByTimeAsync(callIntervalMs);
  }
  return refused;
}

describe.each([["with a ledger grace", 120] as const, ["without one", undefined] as const])(
  "a project %s",
  (_, grace) => {
    test("joins no refill that has failed, once the ledger has answered another renewal", async () => {
      const { client, state } = holdableLedger();
      const limits = createRateLimits(client, log, () => Date.now());
      limits.start();
      const principal = principalWith(grace);
      // Over the turn of the minute, at which all leases are renewed.
      expect(await send(limits, principal, 10_500)).toEqual([]);
      state.isHeld = true;
      await send(limits, principal, 3_400);
      state.isHeld = false;
      const [refill, ...returns] = state.held;
      for (const one of returns) one.answer();
      expect(await send(limits, principal, 500)).toEqual([]);
      refill?.answer();
      expect(await send(limits, principal, 2_000)).toEqual([]);
    });

    test("asks once more if its refill fails when another renewal is answered", async () => {
      const { client, state } = holdableLedger();
      const limits = createRateLimits(client, log, () => Date.now());
      limits.start();
      const principal = principalWith(grace);
      // Its unused requests are returned by a separate renewal.
      await send(limits, principalWith(grace, 2), callIntervalMs);
      await send(limits, principal, 9_450);
      state.isHeld = true;
      const refused = await send(limits, principal, 1_700);
      state.isHeld = false;
      const [refill, ...returns] = state.held;
      refill?.fail(new GatewayError("unavailable", "away"));
      for (const one of returns) one.answer();
      expect(await send(limits, principal, 1_000)).toEqual([]);
      // Calls that waited for the failed refill are counted too.
      expect(refused).toEqual([]);
    });
  },
);

test("a window that began too early by the lessee's clock is taken back when the ledger answers", async () => {
  const { client, state } = holdableLedger();
  let aheadMs = 0;
  const limits = createRateLimits(client, log, () => Date.now() + aheadMs);
  const principal = principalWith(120);
  await send(limits, principal, 2_000);
  state.isHeld = true;
  aheadMs = 200;
  await send(limits, principal, 7_850);
  state.isHeld = false;
  for (const one of state.held) one.answer();
  expect(await send(limits, principal, 2_000)).toEqual([]);
});
