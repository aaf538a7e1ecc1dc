import { expect, test } from "vitest";
import { type Change, ConflictError, refuseConflict, sentWith, unreadOf } from "./conflict.ts";

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

test("a value that another administrator has changed is named", () => {
  const now = { ...known, rate_limit_per_minute: 70 };
  expect(conflict({ rate_limit_per_minute: 50, name: "store" }, now)).toContain(
    "in the meantime: rate limit per minute.",
  );
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

test("a value that the form has sent counts as its own until the page has read on", () => {
  const own = sentWith({ changed: { rate_limit_per_minute: 50 }, known, now: known });
  expect(unreadOf(own, known)).toEqual({ rate_limit_per_minute: { value: 50, over: 60 } });
  expect(unreadOf(own, { ...known, rate_limit_per_minute: 65 })).toEqual({});
});

test("a value sent soon after another is over the one that was read for it, not over the one that the page showed", () => {
  const own = sentWith({ changed: { name: "market" }, known, now: { ...known, name: "store" } });
  expect(unreadOf(own, { ...known, name: "store" })).toEqual({ name: { value: "market", over: "store" } });
});

test("the order of names in a value is no change of it", () => {
  const change = { changed: { pii: { mode: "off" } }, known: { pii: { mode: "block", entities: { a: 1, b: 2 } } } };
  const reordered = { pii: { entities: { b: 2, a: 1 }, mode: "block" } };
  expect(() => refuseConflict({ ...change, now: reordered })).not.toThrow();
  expect(() => refuseConflict({ ...change, now: { pii: { mode: "block", entities: { a: 2, b: 1 } } } })).toThrow(
    ConflictError,
  );
});

test("ids that say which thing is meant, and secrets, which are never read, are not compared", () => {
  expect(conflict({ token_id: 3, api_key: "k" }, known)).toBeUndefined();
});
