/** State of a month's budget, and its end at the pace so far. */
export interface BudgetForecast {
  readonly spentUsd: number;
  readonly budgetUsd: number;
  /** Share of the budget, 0 to 1. */
  readonly share: number;
  /** At the pace so far; undefined in the first hours of a month, when there is no pace. */
  readonly endUsd: number | undefined;
}

const dayMs = 86_400_000;
/** Less of a month says nothing about the rest. */
const paceFromMs = dayMs / 2;

/** Months are UTC's, as budgets are. */
export function forecastBudget(spentUsd: number, budgetUsd: number, nowMs: number): BudgetForecast {
  const now = new Date(nowMs);
  const startMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth());
  const endMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
  const passedMs = nowMs - startMs;
  const share = budgetUsd === 0 ? 1 : Math.min(1, spentUsd / budgetUsd);
  const endUsd = passedMs < paceFromMs ? undefined : (spentUsd / passedMs) * (endMs - startMs);
  return { spentUsd, budgetUsd, share, endUsd };
}
