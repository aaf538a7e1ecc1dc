import { expect, test } from "vitest";
import { type Claims, clockSkewSeconds, isSubject, judgeClaims } from "./jwt-claims.ts";

const now = new Date("2030-01-01T00:00:00Z");
const at = now.getTime() / 1_000;
const trust = { audience: "gatehouse", scopes: ["chat", "mcp"] as const, scopeClaim: null };
const claims = { aud: "gatehouse", exp: at + 60, sub: "ann" };
const judge = (changes: Claims, changed: { readonly scopeClaim?: string | null } = {}) =>
  judgeClaims({ ...claims, ...changes }, { ...trust, ...changed }, now);

test("a token for the audience identifies its subject until it expires", () => {
  const bearer = { kind: "bearer", subject: "ann", scopes: ["chat", "mcp"] };
  const expiresAt = new Date((at + 60 + clockSkewSeconds) * 1_000);
  expect(judge({})).toEqual({ ...bearer, expiresAt });
  expect(judge({ aud: ["other", "gatehouse"], nbf: at + clockSkewSeconds })).toEqual({ ...bearer, expiresAt });
});

test.each<[Claims, string]>([
  [{ aud: "other" }, "audience"],
  [{ aud: ["gatehouse-2"] }, "audience"],
  [{ aud: undefined }, "audience"],
  [{ aud: { gatehouse: true } }, "audience"],
  [{ exp: at - clockSkewSeconds }, "expired"],
  [{ exp: undefined }, "no expiry"],
  [{ exp: "9999999999" }, "no expiry"],
  [{ exp: Infinity }, "no expiry"],
  [{ nbf: at + clockSkewSeconds + 1 }, "not valid yet"],
  [{ nbf: "now" }, "malformed time"],
  [{ cnf: { jkt: "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I" } }, "bound to a key"],
  [{ sub: undefined }, "no subject"],
  [{ sub: "" }, "no subject"],
  [{ sub: "a\nb" }, "no subject"],
  [{ sub: "a".repeat(201) }, "no subject"],
  [{ sub: 7 }, "no subject"],
])("%j is refused: %s", (changes, words) => {
  expect(judge(changes)).toMatchObject({ kind: "refused", message: expect.stringContaining(words) });
});

test.each<[Claims, string | null, readonly string[]]>([
  [{}, null, ["chat", "mcp"]],
  [{ scope: "openid mcp proxy" }, null, ["mcp"]],
  [{ scope: "" }, null, []],
  [{ scope: ["chat"] }, null, ["chat"]],
  [{ scope: 7 }, null, []],
  [{}, "roles", []],
  [{ roles: ["chat", "admin", 7], scope: "mcp" }, "roles", ["chat"]],
  [{}, "__proto__", []],
])("%j with the claim %j gives %j", (changes, scopeClaim, scopes) => {
  expect(judge(changes, { scopeClaim })).toMatchObject({ scopes });
});

test("a lone surrogate is not a subject", () => {
  expect(isSubject("\ud800")).toBe(false);
  expect(isSubject("ann@example.com")).toBe(true);
});

test("a subject's length is counted in characters, however each is encoded", () => {
  expect(["x", "\u00e9", "\u{1f600}"].map((character) => isSubject(character.repeat(200)))).toEqual([true, true, true]);
  expect(["x", "\u00e9", "\u{1f600}"].map((character) => isSubject(character.repeat(201)))).toEqual([
    false,
    false,
    false,
  ]);
});
