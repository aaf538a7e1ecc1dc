import { expect, test } from "vitest";
import { allowanceBounds } from "./bounds.ts";
import { isUserLedger, KnownUsers } from "./known-users.ts";

const one = { tokenId: 1, projectUuid: "p" };
const two = { tokenId: 2, projectUuid: "p" };
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/;

test("each user of a token has one ledger, equal in every replica and different from an endpoint's", () => {
  const users = new KnownUsers();
  const ann = users.ledgerOf(one, "ann", 0);
  expect(ann).toMatch(uuid);
  expect(isUserLedger(ann)).toBe(true);
  expect(isUserLedger("0f8fad5b-d9cb-469f-a165-70867728950e")).toBe(false);
  expect(new KnownUsers().ledgerOf(one, "ann", 5)).toBe(ann);
  const others = [users.ledgerOf(one, "bob", 0), users.ledgerOf(two, "ann", 0), users.ledgerOf(one, undefined, 0)];
  expect(new Set([ann, ...others]).size).toBe(4);
});

test("users of a token above the bound share the ledger of calls without a user", () => {
  const users = new KnownUsers();
  const { usersOfTokenMax, idleMs } = allowanceBounds;
  for (let at = 0; at < 2 * usersOfTokenMax; at++) users.ledgerOf(one, `user-${at}`, 0);
  expect(users.count).toBe(usersOfTokenMax);
  expect(users.ledgerOf(one, "one more", 0)).toBe(users.ledgerOf(one, undefined, 0));
  // Each token has separate users.
  expect(users.ledgerOf(two, "ann", 0)).not.toBe(users.ledgerOf(two, undefined, 0));
  users.forgetIdle(idleMs);
  expect(users.count).toBe(0);
  expect(users.ledgerOf(one, "one more", idleMs)).not.toBe(users.ledgerOf(one, undefined, idleMs));
});

test("a user keeps its place as long as its leases, by the grace of its last call", () => {
  const users = new KnownUsers();
  const { usersOfTokenMax, idleMs, idleWithGraceMs } = allowanceBounds;
  const graced = { ...one, ledgerGraceMs: 60_000 };
  for (let at = 0; at < usersOfTokenMax; at++) users.ledgerOf(graced, `user-${at}`, 0);
  users.forgetIdle(idleWithGraceMs - 1);
  expect(users.count).toBe(usersOfTokenMax);
  users.ledgerOf(one, "user-0", idleMs);
  users.forgetIdle(2 * idleMs);
  expect(users.count).toBe(usersOfTokenMax - 1);
  users.forgetIdle(idleWithGraceMs);
  expect(users.count).toBe(0);
});

/** Names users by as many tokens of a project as needed; returns how many of the names get separate ledgers. */
function invent(users: KnownUsers, project: number, count: number): number {
  let own = 0;
  for (let at = 0; at < count; at++) {
    const tokenId = project * 1_000 + Math.floor(at / allowanceBounds.usersOfTokenMax);
    const token = { tokenId, projectUuid: `project-${project}` };
    if (users.ledgerOf(token, `user-${at}`, 0) !== users.ledgerOf(token, undefined, 0)) own += 1;
  }
  return own;
}

test("invented users of some projects do not displace the users of others", () => {
  const users = new KnownUsers();
  const { usersMax } = allowanceBounds;
  expect(invent(users, 1, usersMax)).toBe(usersMax);
  expect(users.count).toBe(usersMax);
  // Half of the places, and no more; the first project does not regain them.
  expect(invent(users, 2, usersMax)).toBe(usersMax / 2);
  expect(invent(users, 3, usersMax / 10)).toBe(usersMax / 10);
  for (const hostile of [1, 2]) invent(users, hostile, usersMax);
  expect(invent(users, 3, usersMax / 10)).toBe(usersMax / 10);
  expect(users.count).toBe(usersMax);
});

test("a user whose place was taken gets the same ledger again", () => {
  const users = new KnownUsers();
  const first = { tokenId: 1_000, projectUuid: "project-1" };
  invent(users, 1, allowanceBounds.usersMax);
  const before = users.ledgerOf(first, "user-0", 0);
  invent(users, 2, allowanceBounds.usersMax / 2);
  users.forgetIdle(allowanceBounds.idleMs);
  expect(users.count).toBe(0);
  expect(users.ledgerOf(first, "user-0", allowanceBounds.idleMs)).toBe(before);
});
