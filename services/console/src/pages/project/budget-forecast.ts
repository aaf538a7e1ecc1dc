/** Use of a month's budget, and the forecast for its end. */
export interface BudgetForecast {
  readonly spentUsd: number;
  readonly budgetUsd: number;
  /** Share of the budget, 0 to 1. */
  readonly share: number;
  /** At the present pace; undefined in the first hours of a month. */
  readonly endUsd: number | undefined;
}

const dayMs = 86_400_000;
/** Time of the month from which the pace is meaningful. */
const paceFromMs = dayMs / 2;

/** Months in UTC, as of budgets. */
export function forecastBudget(spentUsd: number, budgetUsd: number, nowMs: number): BudgetForecast {
  const now = new Date(nowMs);
  const startMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth());
  const endMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
  const passedMs = nowMs - startMs;
  const share = budgetUsd === 0 ? 1 : Math.min(1, spentUsd / budgetUsd);
  const endUsd = passedMs < paceFromMs ? undefined : (spentUsd / passedMs) * (endMs - startMs);
  return { spentUsd, budgetUsd, share, endUsd };
}
