import { allowanceBounds } from "./decisions/bounds.ts";
import { type WindowAsk, type WindowGrant, windowStart } from "./decisions/window-lease.ts";
import { bindLeases } from "./ledger/bind-leases.ts";
import type { WindowStore } from "./ledger/windows.ts";

/** A ledger of rate limits in memory, with figures of its use. The contract suite of the tables' store holds for it. */
export interface MemoryLedger extends Pick<WindowStore, "renew"> {
  /** Renewals so far. */
  renewals: number;
  /** Thrown by each renewal while set. */
  failure: Error | undefined;
}

export function createMemoryLedger(now: () => number = Date.now): MemoryLedger {
  const windows = new Map<string, { startMs: number; granted: number }>();
  const grantOf = ({ subject, scope, limit, need, extra, ...given }: WindowAsk): WindowGrant => {
    const startMs = windowStart(scope, now());
    const known = windows.get(`${scope} ${subject}`);
    const before = known?.startMs === startMs ? known.granted : 0;
    const used = Math.max(0, before - (given.returnedStartMs === startMs ? given.returned : 0));
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
      return await Promise.resolve({ grants: asks.map(grantOf), databaseMs: now() });
    },
  };
}

/** Serves a memory ledger as the chat service serves its tables. */
export function bindMemoryLedger(ledger: MemoryLedger): ReturnType<typeof bindLeases> {
  return bindLeases(async (asks) => await ledger.renew(asks));
}
