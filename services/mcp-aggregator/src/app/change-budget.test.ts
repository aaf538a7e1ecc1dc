import { expect, test } from "vitest";
import { ChangeBudget } from "./change-budget.ts";

test("five changes are stored at once, then one per ten seconds, with at most five saved up", () => {
  const budget = new ChangeBudget();
  const takenAt = (nowMs: number, times: number) => Array.from({ length: times }, () => budget.take(nowMs));
  expect(takenAt(0, 7)).toEqual([true, true, true, true, true, false, false]);
  expect(takenAt(9_999, 1)).toEqual([false]);
  expect(takenAt(10_000, 2)).toEqual([true, false]);
  expect(takenAt(1_000_000, 7)).toEqual([true, true, true, true, true, false, false]);
});
