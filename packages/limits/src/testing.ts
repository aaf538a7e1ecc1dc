import { allowanceBounds } from "./decisions/bounds.ts";
import { type WindowAsk, type WindowGrant, windowStart } from "./decisions/window-lease.ts";
import { bindLeases } from "./ledger/bind-leases.ts";
import type { WindowStore } from "./ledger/windows.ts";

/** A ledger of rate limits in memory, with figures of its use. It grants what the tables grant: `services/chat/test/memory-ledger.integration.test.ts`. */
export interface MemoryLedger extends Pick<WindowStore, "renew"> {
  /** Renewals so far. */
  renewals: number;
  /** Thrown by each renewal while set. */
  failure: Error | undefined;
}

/** A ledger in memory, which grants what the tables in Postgres would. @param wallNow milliseconds since 1970 */
export function createMemoryLedger(wallNow: () => number = Date.now): MemoryLedger {
  const windows = new Map<string, { startMs: number; granted: number }>();
  const grantOf = ({ subject, scope, limit, need, extra, ...given }: WindowAsk): WindowGrant => {
    const openMs = windowStart(scope, wallNow());
    const known = windows.get(`${scope} ${subject}`) ?? { startMs: openMs, granted: 0 };
    // A clock that is set back keeps the newer window, to which nothing comes back.
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

/** Serves a memory ledger as the chat service serves its tables. */
export function bindMemoryLedger(ledger: MemoryLedger): ReturnType<typeof bindLeases> {
  return bindLeases(async (asks) => await ledger.renew(asks));
}
