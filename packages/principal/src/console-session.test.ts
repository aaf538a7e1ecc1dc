import { expect, test } from "vitest";
import { csrfTokenOf, isSessionId, mintSessionId } from "./console-session.ts";
import { hashToken } from "./token-format.ts";

test("session ids are random, and only their form is accepted", () => {
  const ids = Array.from({ length: 100 }, () => mintSessionId().reveal());
  expect(new Set(ids).size).toBe(100);
  expect(ids.every(isSessionId)).toBe(true);
  for (const text of ["", "x", `${ids[0]}=`, `${ids[0]}x`, `${ids[0]?.slice(1)} `])
    expect(isSessionId(text)).toBe(false);
});

test("a session has one CSRF token, which is neither its id nor its hash", () => {
  const [one, other] = [mintSessionId().reveal(), mintSessionId().reveal()];
  const token = csrfTokenOf(hashToken(one));
  expect(csrfTokenOf(hashToken(one))).toBe(token);
  expect(csrfTokenOf(hashToken(other))).not.toBe(token);
  expect([one, hashToken(one).toString("base64url")]).not.toContain(token);
});
