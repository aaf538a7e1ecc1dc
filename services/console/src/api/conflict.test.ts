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

test("a value that another administrator changed is named", () => {
  const now = { ...known, rate_limit_per_minute: 70 };
  expect(conflict({ rate_limit_per_minute: 50, name: "store" }, now)).toContain(
    "in the meantime: rate limit per minute.",
  );
});

test("another person's changes of other values, or to the same value, are not a conflict", () => {
  const now = { ...known, rate_limit_per_minute: 70, scopes: ["chat", "mcp"] };
  expect(conflict({ name: "store" }, now)).toBeUndefined();
  expect(conflict({ rate_limit_per_minute: 70, scopes: ["chat", "mcp"] }, now)).toBeUndefined();
});

test("a value that others added or removed is a conflict; null counts as absent", () => {
  const limit = { rate_limit_per_hour: 5 };
  expect(conflict(limit, { ...known, rate_limit_per_hour: 9 })).toBeDefined();
  expect(conflict(limit, { ...known, rate_limit_per_hour: null })).toBeUndefined();
  expect(conflict({ name: "store" }, { scopes: known.scopes })).toBeDefined();
});

test("a value that the form has sent and not read back is not a conflict", () => {
  expect(conflict({ name: "market" }, { ...known, name: "store" }, { name: "store" })).toBeUndefined();
});

test("a sent value counts as one's own until the page has read it", () => {
  const own = sentWith({ changed: { rate_limit_per_minute: 50 }, known, now: known });
  expect(unreadOf(own, known)).toEqual({ rate_limit_per_minute: { value: 50, over: 60 } });
  expect(unreadOf(own, { ...known, rate_limit_per_minute: 65 })).toEqual({});
});

test("a value sent after an earlier one replaces the value read for it, not the one on the page", () => {
  const own = sentWith({ changed: { name: "market" }, known, now: { ...known, name: "store" } });
  expect(unreadOf(own, { ...known, name: "store" })).toEqual({ name: { value: "market", over: "store" } });
});

test("the order of an object's members is not a change", () => {
  const change = { changed: { pii: { mode: "off" } }, known: { pii: { mode: "block", entities: { a: 1, b: 2 } } } };
  const reordered = { pii: { entities: { b: 2, a: 1 }, mode: "block" } };
  expect(() => refuseConflict({ ...change, now: reordered })).not.toThrow();
  expect(() => refuseConflict({ ...change, now: { pii: { mode: "block", entities: { a: 2, b: 1 } } } })).toThrow(
    ConflictError,
  );
});

test("ids of the object, and secrets, which are never read, are not compared", () => {
  expect(conflict({ token_id: 3, api_key: "k" }, known)).toBeUndefined();
});
