export { type AttemptLimit, CallBudget } from "./call-budget.ts";
export { CallPlan, toPricedTarget } from "./call-plan.ts";
export { refuseUnboundedCost } from "./priced-otherwise.ts";
export { watchFigure } from "./watch-figure.ts";
