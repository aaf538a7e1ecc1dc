export * from "./decisions/index.ts";
export { windowMs, windowStart } from "./decisions/window-lease.ts";
export type { Clock } from "./lessee/database-clock.ts";
export { bindLeases } from "./ledger/bind-leases.ts";
export { type LedgerClient, createRateLimits, type RateLimits } from "./lessee/rate-limits.ts";
export { type Allowances, type AllowanceStats, createAllowances } from "./allowances.ts";
export type { OnBudgetEvent } from "./ledger/budgets.ts";
