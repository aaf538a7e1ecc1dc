import { toRestErrorBody } from "@gatehouse/errors";
import { expect, test } from "vitest";
import { budgetExhausted, rateLimited } from "./allowance-errors.ts";

test("a refused admission is the specification's 429", () => {
  const tightest = { limit: 5, remaining: 0, resetAtSeconds: 60 };
  const err = rateLimited({ admitted: false, scope: "hour", retryAfterSeconds: 12, tightest });
  expect(err.profile.http).toBe(429);
  expect(toRestErrorBody(err)).toEqual({ ok: false, error: "Rate limit exceeded.", scope: "hour", retry_after: 12 });
});

test("a refused reservation is the specification's 422", () => {
  const err = budgetExhausted({ ok: false, spentMicros: 10_020_000, budgetMicros: 10_000_000 });
  expect(err.profile.http).toBe(422);
  expect(err.message).toContain("~$10.02 spent, budget $10.00.");
});
