import type { TokenPrincipal } from "@gatehouse/principal";
import type { Admission, TightestWindow } from "./allowance.ts";
import { secondsUntil, type WindowLease } from "./window-lease.ts";

/**
 * Counts one request in all windows, or in none: when one has reached its limit, or when the database has to decide
 * (`undefined`). A refusal names the window that ends last, since the caller has to wait for that one.
 * @param mayOverdraw the ledger is unreachable, and the project goes on without it
 */
export function decideAdmission(
  leases: readonly WindowLease[],
  nowMs: number,
  mayOverdraw = false,
): Admission | undefined {
  let refusing: WindowLease | undefined;
  let isCold = false;
  for (const lease of leases) {
    const state = lease.state(nowMs);
    if (state === "cold") isCold ||= !(mayOverdraw && lease.mayOverdraw(nowMs));
    else if (state === "spent" && !(refusing !== undefined && endsLater(refusing, lease, nowMs))) refusing = lease;
  }
  if (refusing !== undefined) return refuse(refusing, nowMs);
  if (isCold) return undefined;
  for (const lease of leases) lease.spend(nowMs);
  return { admitted: true, tightest: findTightest(leases, nowMs) };
}

function endsLater(one: WindowLease, other: WindowLease, nowMs: number): boolean {
  return one.resetAtMs(nowMs) >= other.resetAtMs(nowMs);
}

function refuse(lease: WindowLease, nowMs: number): Admission {
  const resetAtMs = lease.resetAtMs(nowMs);
  const tightest = { limit: Math.max(0, lease.limit), remaining: 0, resetAtSeconds: Math.ceil(resetAtMs / 1_000) };
  return { admitted: false, scope: lease.scope, retryAfterSeconds: secondsUntil(resetAtMs, nowMs), tightest };
}

function findTightest(leases: readonly WindowLease[], nowMs: number): TightestWindow | undefined {
  let tightest: WindowLease | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const lease of leases) {
    const remaining = lease.remaining(nowMs);
    if (remaining >= fewest) continue;
    tightest = lease;
    fewest = remaining;
  }
  if (tightest === undefined) return undefined;
  return { limit: tightest.limit, remaining: fewest, resetAtSeconds: Math.ceil(tightest.resetAtMs(nowMs) / 1_000) };
}

/** Time for which a principal's project goes on during an outage of the ledger, by leases and last known figures; 0 for not at all. */
export function ledgerGraceMs({ project }: TokenPrincipal): number {
  return (project.ledgerGraceSeconds ?? 0) * 1_000;
}

/** `X-RateLimit-*` of the tightest window; none for a token without limits. */
export function windowHeaders(window: TightestWindow | undefined): Record<string, string> {
  if (window === undefined) return {};
  return {
    "x-ratelimit-limit": String(window.limit),
    "x-ratelimit-remaining": String(window.remaining),
    "x-ratelimit-reset": String(window.resetAtSeconds),
  };
}
