import { expect, test } from "vitest";
import { forecastBudget } from "./budget-forecast.ts";

test("a third of the budget after a third of the month is forecast to reach the budget", () => {
  expect(forecastBudget(10, 30, Date.parse("2026-11-11T00:00:00Z"))).toEqual({
    spentUsd: 10,
    budgetUsd: 30,
    share: 1 / 3,
    endUsd: 30,
  });
});

test("the first hours of a month have no forecast", () => {
  expect(forecastBudget(1, 30, Date.parse("2026-11-01T03:00:00Z")).endUsd).toBeUndefined();
});

test("the share of the budget is at most 1", () => {
  expect(forecastBudget(40, 30, Date.parse("2026-11-11T00:00:00Z")).share).toBe(1);
  expect(forecastBudget(0, 0, Date.parse("2026-11-11T00:00:00Z")).share).toBe(1);
});
