import { expect, test } from "vitest";
import { allowanceBounds } from "./bounds.ts";
import { isUserLedger, KnownUsers } from "./known-users.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/;

test("each user of each token has one ledger, in every replica the same, which is told from an endpoint's", () => {
  const users = new KnownUsers();
  const ann = users.ledgerOf(1, "ann", 0);
  expect(ann).toMatch(uuid);
  expect(isUserLedger(ann)).toBe(true);
  expect(isUserLedger("0f8fad5b-d9cb-469f-a165-70867728950e")).toBe(false);
  expect(new KnownUsers().ledgerOf(1, "ann", 5)).toBe(ann);
  const others = [users.ledgerOf(1, "bob", 0), users.ledgerOf(2, "ann", 0), users.ledgerOf(1, undefined, 0)];
  expect(new Set([ann, ...others]).size).toBe(4);
});

test("a caller who invents users gets no more state than the bound; further ones share the ledger of calls that name nobody", () => {
  const users = new KnownUsers();
  const { usersOfTokenMax, idleMs } = allowanceBounds;
  for (let at = 0; at < 2 * usersOfTokenMax; at++) users.ledgerOf(1, `user-${at}`, 0);
  expect(users.count).toBe(usersOfTokenMax);
  expect(users.ledgerOf(1, "one more", 0)).toBe(users.ledgerOf(1, undefined, 0));
  // Another token's users are not theirs.
  expect(users.ledgerOf(2, "ann", 0)).not.toBe(users.ledgerOf(2, undefined, 0));
  users.forgetIdle(idleMs);
  expect(users.count).toBe(0);
  expect(users.ledgerOf(1, "one more", idleMs)).not.toBe(users.ledgerOf(1, undefined, idleMs));
});

test("many tokens together have no more users than the bound of the replica", () => {
  const users = new KnownUsers();
  const { usersOfTokenMax, usersMax } = allowanceBounds;
  const tokens = Math.ceil(usersMax / usersOfTokenMax) + 1;
  for (let token = 0; token < tokens; token++) {
    for (let at = 0; at < usersOfTokenMax; at++) users.ledgerOf(token, `user-${at}`, 0);
  }
  expect(users.count).toBe(usersMax);
});
