import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  checksumHolds,
  hashToken,
  hasAdminKeyPrefix,
  hasTokenPrefix,
  isAcceptableAdminKey,
  mintAdminKey,
  mintToken,
} from "./token-format.ts";

test.each(["live", "test"] as const)(
  "a minted %s token has its prefix, 30 characters and a checksum that holds",
  (environment) => {
    const token = mintToken(environment).reveal();
    expect(token).toMatch(new RegExp(`^svc_${environment}_[0-9A-Za-z]{36}$`));
    expect(hasTokenPrefix(token)).toBe(true);
    expect(checksumHolds(token)).toBe(true);
  },
);

test("tokens differ from each other and use the whole alphabet", () => {
  const tokens = Array.from({ length: 500 }, () => mintToken("live").reveal());
  expect(new Set(tokens).size).toBe(500);
  const used = new Set(tokens.flatMap((token) => Array.from(token.slice("svc_live_".length, -6))));
  expect(used.size).toBe(62);
});

test("no change of a single character leaves the checksum whole", () => {
  const token = mintToken("live").reveal();
  const position = fc.integer({ min: 0, max: token.length - 1 });
  const character = fc.constantFrom(...Array.from("09AZaz_"));
  fc.assert(
    fc.property(position, character, (at, replacement) => {
      const changed = token.slice(0, at) + replacement + token.slice(at + 1);
      expect(checksumHolds(changed)).toBe(changed === token);
    }),
  );
});

test("a token's checksum does not hold with the other environment's prefix", () => {
  const token = mintToken("live").reveal();
  expect(checksumHolds(token.replace("_live_", "_test_"))).toBe(false);
});

test.each(["", "svc_live_", "svc_live", "svc_live_short", `svc_live_${"é".repeat(36)}`, "x".repeat(10_000)])(
  "%j has no checksum that holds",
  (text) => {
    expect(checksumHolds(text)).toBe(false);
  },
);

test("an admin key has its own prefix, and is not an access token", () => {
  const key = mintAdminKey().reveal();
  expect(hasAdminKeyPrefix(key)).toBe(true);
  expect(hasTokenPrefix(key)).toBe(false);
  expect(checksumHolds(key)).toBe(false);
});

test("an operator's admin key has 32 visible characters after the prefix", () => {
  expect(isAcceptableAdminKey(mintAdminKey().reveal())).toBe(true);
  expect(isAcceptableAdminKey(`svc_admin_${"x".repeat(32)}`)).toBe(true);
  for (const text of ["x".repeat(31), `${"x".repeat(32)} `, "é".repeat(32)])
    expect(isAcceptableAdminKey(`svc_admin_${text}`)).toBe(false);
  expect(isAcceptableAdminKey(`svc_live_${"x".repeat(40)}`)).toBe(false);
});

test("a token is stored as the SHA-256 of its text", () => {
  expect(hashToken("svc_live_x").toString("hex")).toBe(
    "e7768436bcc3af0c372290a77b4b7028557aefc3f5ad11b847f3ad13c693de43",
  );
});
