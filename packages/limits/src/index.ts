export * from "./decisions/index.ts";
export { windowMs, windowStart } from "./decisions/window.ts";
export { type Allowances, type AllowanceStats, createAllowances } from "./ledger/allowances.ts";
export type { OnBudgetEvent } from "./ledger/budgets.ts";
