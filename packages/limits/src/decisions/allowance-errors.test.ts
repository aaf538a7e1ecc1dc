import { toRestErrorBody } from "@gatehouse/errors";
import { expect, test } from "vitest";
import { budgetRefused, rateLimited } from "./allowance-errors.ts";

test("a refused admission is the specification's 429", () => {
  const tightest = { limit: 5, remaining: 0, resetAtSeconds: 60 };
  const err = rateLimited({ admitted: false, scope: "hour", retryAfterSeconds: 12, tightest });
  expect(err.profile.http).toBe(429);
  expect(toRestErrorBody(err)).toEqual({ ok: false, error: "Rate limit exceeded.", scope: "hour", retry_after: 12 });
});

const refusal = { ok: false, spentMicros: 10_020_000, reservedMicros: 1_500_000, budgetMicros: 10_000_000 } as const;

test("a refused reservation is the specification's 422", () => {
  const err = budgetRefused({ ...refusal, reason: "spent" });
  expect(err.profile.http).toBe(422);
  expect(err.message).toContain("~$10.02 spent, budget $10.00.");
});

test("a budget that calls in progress hold is a 429 which names what is reserved", () => {
  const err = budgetRefused({ ...refusal, spentMicros: 8_500_000, reason: "in_progress" });
  expect(err.profile.http).toBe(429);
  expect(err.retryAfterSeconds).toBe(1);
  expect(err.message).toContain("~$1.50 reserved, ~$8.50 spent, budget $10.00.");
});
