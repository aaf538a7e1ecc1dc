import { expect, test } from "vitest";
import { grantOfClaims, missingClaims, nameOfClaims, withoutUnverified } from "./grant-of-claims.ts";
import type { SignInRule } from "./sign-in-provider.ts";

const rule = (has: string, role: SignInRule["role"], projects: readonly string[] | null = null): SignInRule => ({
  claim: "groups",
  has,
  role,
  projects,
});

const rules = [rule("banned", "none"), rule("a", "editor", ["1"]), rule("b", "editor", ["2"]), rule("c", "owner")];

test.each([
  [["c"], { role: "owner", projects: null }],
  [["a"], { role: "editor", projects: ["1"] }],
  [["a", "b"], { role: "editor", projects: ["1", "2"] }],
  // The first matching rule decides the role; later ones add projects, never rights.
  [["a", "c"], { role: "editor", projects: ["1"] }],
  [["c", "banned"], undefined],
  [["d"], undefined],
  ["c", { role: "owner", projects: null }],
  ["xc", undefined],
  [{ c: true }, undefined],
  [[["c"]], undefined],
  [undefined, undefined],
])("the groups %j give %j", (groups, grant) => {
  expect(grantOfClaims(rules, { groups })).toEqual(grant);
});

test("a claim is found by its name, also with dots, or along a path", () => {
  const of = (claim: string, claims: object) =>
    grantOfClaims([{ claim, has: "x", role: "viewer", projects: null }], claims as Record<string, unknown>)?.role;
  expect(of("https://example.com/groups", { "https://example.com/groups": ["x"] })).toBe("viewer");
  expect(of("realm_access.roles", { realm_access: { roles: ["x"] } })).toBe("viewer");
  expect(of("constructor.name", {})).toBeUndefined();
  expect(of("groups.length", { groups: ["x"] })).toBeUndefined();
  expect(missingClaims(rules, {})).toEqual(["groups"]);
});

test("an address is used only if the provider has verified it", () => {
  expect(withoutUnverified({ email: "a@b.c", email_verified: true })).toHaveProperty("email");
  for (const email_verified of [false, "true", 1, undefined]) {
    expect(withoutUnverified({ email: "a@b.c", email_verified })).not.toHaveProperty("email");
  }
});

test("a person is named by the claim without control characters, or else by the subject", () => {
  const name = (email: unknown) => nameOfClaims({ nameClaim: "email" }, { sub: "42", email });
  expect(name("ann@example.com")).toBe("ann@example.com");
  expect(name("ann\r\nowner \u202Eexample")).toBe("ann owner example");
  expect(name("ann\u2800\ufe0f owne\u0301r")).toBe("ann own\u00e9r");
  expect(name(undefined)).toBe("42");
  expect(name("\u0000")).toBe("42");
  expect(name("x".repeat(1_000))).toHaveLength(200);
  expect(name("\u{1f600}".repeat(1_000))).toBe("\u{1f600}".repeat(200));
});
