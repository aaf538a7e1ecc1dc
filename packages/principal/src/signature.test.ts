import { Secret } from "@gatehouse/vault";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type AdminPrincipal, createPrincipalSigner, createPrincipalVerifier, principalLifeMs } from "./index.ts";

const key = new Secret("key of a test");
const principal: AdminPrincipal = { kind: "admin", adminKeyId: 1, name: "först", role: "owner", projects: null };

test("what the router signs, a service accepts", () => {
  const header = createPrincipalSigner(key)(principal);
  expect(createPrincipalVerifier(key)(header)).toEqual(principal);
});

test("a header lives for its life and not longer, and is renewed before", () => {
  let now = 1_000_000;
  const sign = createPrincipalSigner(key, () => now);
  const verify = createPrincipalVerifier(key, () => now);
  const first = sign(principal);
  now += principalLifeMs / 2;
  const second = sign(principal);
  expect(second).not.toBe(first);
  expect(verify(first)).toEqual(principal);
  now += principalLifeMs / 2;
  expect(() => verify(first)).toThrow("through the router only");
  expect(verify(second)).toEqual(principal);
});

test("no header, a header of another key, or an altered one is refused", () => {
  const verify = createPrincipalVerifier(key);
  const header = createPrincipalSigner(key)(principal);
  expect(() => verify(undefined)).toThrow();
  expect(() => verify(createPrincipalSigner(new Secret("another"))(principal))).toThrow();
  fc.assert(
    fc.property(fc.nat(header.length - 2), (at) => {
      const changed = header.slice(0, at) + (header[at] === "x" ? "y" : "x") + header.slice(at + 1);
      expect(() => verify(changed)).toThrow();
    }),
  );
});

test.each(["", ".", "a.b.c", "..", "%%%"])("the header %j is refused without a crash", (header) => {
  expect(() => createPrincipalVerifier(key)(header)).toThrow("through the router only");
});
