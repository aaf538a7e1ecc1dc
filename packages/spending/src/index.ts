export type { BilledCall, CallSpending, GivenUpAttempt } from "./billed-call.ts";
export { type AttemptLimit, type CallBudget } from "./call-budget.ts";
export { CallPlan, toPricedTarget } from "./call-plan.ts";
export { refuseUnboundedCost } from "./refuse-unbounded-cost.ts";
export { reserveMost } from "./reserve-most.ts";
export { toBill } from "./to-bill.ts";
export { resolveUsage } from "./usage.ts";
export { watchUsage } from "./watch-usage.ts";
