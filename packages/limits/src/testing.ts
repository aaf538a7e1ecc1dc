import { allowanceBounds } from "./decisions/bounds.ts";
import { type WindowAsk, type WindowGrant, windowStart } from "./decisions/window-lease.ts";
import { bindLeases } from "./ledger/bind-leases.ts";
import type { WindowStore } from "./ledger/windows.ts";

/**
 * A ledger of rate limits in memory, with counters. Grants the same as the tables:
 * `services/chat/test/memory-ledger.integration.test.ts`.
 */
export interface MemoryLedger extends Pick<WindowStore, "renew"> {
  renewals: number;
  failure: Error | undefined;
}

/** @param wallNow milliseconds since 1970 */
export function createMemoryLedger(wallNow: () => number = Date.now): MemoryLedger {
  const windows = new Map<string, { startMs: number; granted: number }>();
  const grantOf = ({ subject, scope, limit, need, extra, ...given }: WindowAsk): WindowGrant => {
    const openMs = windowStart(scope, wallNow());
    const known = windows.get(`${scope} ${subject}`) ?? { startMs: openMs, granted: 0 };
    // After a clock is set back the newer window stays, and nothing is returned to it.
    const startMs = Math.max(known.startMs, openMs);
    const before = known.startMs < openMs ? 0 : known.granted;
    const isOpen = known.startMs === openMs && given.returnedStartMs === openMs;
    const used = Math.max(0, before - (isOpen ? given.returned : 0));
    const left = Math.max(0, limit - used);
    const forNeed = Math.min(need, left);
    const units = forNeed + Math.min(extra, Math.floor((left - forNeed) / allowanceBounds.leaseShare));
    windows.set(`${scope} ${subject}`, { startMs, granted: used + units });
    return { startMs, units, granted: used + units };
  };
  return {
    renewals: 0,
    failure: undefined,
    async renew(asks) {
      this.renewals += 1;
      if (this.failure !== undefined) throw this.failure;
      return await Promise.resolve({ grants: asks.map(grantOf), databaseMs: wallNow() });
    },
  };
}

export function bindMemoryLedger(ledger: MemoryLedger): ReturnType<typeof bindLeases> {
  return bindLeases(async (asks) => await ledger.renew(asks));
}
