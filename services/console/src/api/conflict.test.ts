import { expect, test } from "vitest";
import { type Change, ConflictError, refuseConflict } from "./conflict.ts";

const known = { name: "shop", rate_limit_per_minute: 60, scopes: ["chat"] };
const conflict = (changed: Change["changed"], now: Change["now"], own = {}) => {
  try {
    refuseConflict({ changed, known, now }, own);
  } catch (err) {
    if (err instanceof ConflictError) return err.message;
    throw err;
  }
  return undefined;
};

test("a value that somebody else has changed is named", () => {
  const now = { ...known, rate_limit_per_minute: 70 };
  expect(conflict({ rate_limit_per_minute: 50, name: "store" }, now)).toContain("meanwhile: rate limit per minute.");
});

test("values that others change elsewhere, or to the same, are no conflict", () => {
  const now = { ...known, rate_limit_per_minute: 70, scopes: ["chat", "mcp"] };
  expect(conflict({ name: "store" }, now)).toBeUndefined();
  expect(conflict({ rate_limit_per_minute: 70, scopes: ["chat", "mcp"] }, now)).toBeUndefined();
});

test("a value that others have set where there was none, or have removed, is a conflict; null is none", () => {
  const limit = { rate_limit_per_hour: 5 };
  expect(conflict(limit, { ...known, rate_limit_per_hour: 9 })).toBeDefined();
  expect(conflict(limit, { ...known, rate_limit_per_hour: null })).toBeUndefined();
  expect(conflict({ name: "store" }, { scopes: known.scopes })).toBeDefined();
});

test("a value that the form itself has sent, and that is not read back yet, is no conflict", () => {
  expect(conflict({ name: "market" }, { ...known, name: "store" }, { name: "store" })).toBeUndefined();
});

test("ids that say which thing is meant, and secrets, which are never read, are not compared", () => {
  expect(conflict({ token_id: 3, api_key: "k" }, known)).toBeUndefined();
});
