import { createTestTrust, createTurningTrust } from "@gatehouse/trust/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type AdminPrincipal, createPrincipalSigner, createPrincipalVerifier } from "./index.ts";
import { principalLifeMs } from "./signature.ts";

const trust = createTestTrust();
const sign = createPrincipalSigner(trust.of("router"), "chat");
const verify = createPrincipalVerifier(trust.of("chat"));
const principal: AdminPrincipal = { kind: "admin", adminKeyId: 1, name: "först", role: "owner", projects: null };
const refusal = "through the router only";

test("a service accepts the router's signature, and returns one object for equal headers", () => {
  const header = sign(principal, "POST");
  expect(verify(header, "POST")).toEqual(principal);
  expect(verify(header, "DELETE")).toBe(verify(header, "POST"));
});

test("a header is valid for its life, and is renewed before its end", () => {
  let now = 1_000_000;
  const sign = createPrincipalSigner(
    trust.of("router", () => now),
    "chat",
    () => now,
  );
  const verify = createPrincipalVerifier(
    trust.of("chat", () => now),
    () => now,
  );
  const first = sign(principal, "GET");
  now += principalLifeMs / 2;
  const second = sign(principal, "GET");
  expect(second).not.toBe(first);
  expect(verify(first, "GET")).toEqual(principal);
  now += principalLifeMs / 2;
  expect(() => verify(first, "GET")).toThrow(refusal);
  expect(verify(second, "GET")).toEqual(principal);
});

test("a header is signed again as soon as another key signs", () => {
  const clock = { nowMs: 0 };
  const turning = createTurningTrust("router", 1_000, () => clock.nowMs);
  const [sign, verify] = [createPrincipalSigner(turning, "router"), createPrincipalVerifier(turning)];
  for (; clock.nowMs < 2_000; clock.nowMs += 500) expect(verify(sign(principal, "GET"), "GET")).toEqual(principal);
});

test("a principal for one service is refused by another, and one for reading is refused for writing", () => {
  const header = sign(principal, "GET");
  expect(verify(header, "HEAD")).toEqual(principal);
  expect(() => verify(header, "POST")).toThrow(refusal);
  expect(() => createPrincipalVerifier(trust.of("control-plane"))(header, "GET")).toThrow(refusal);
});

test("a principal signed by another service, or by a foreign router, is refused", () => {
  const byChat = createPrincipalSigner(trust.of("api-proxy"), "chat")(principal, "POST");
  const byStranger = createPrincipalSigner(createTestTrust().of("router"), "chat")(principal, "POST");
  for (const header of [byChat, byStranger, undefined]) expect(() => verify(header, "POST")).toThrow(refusal);
});

test("an altered header is refused", () => {
  const header = sign(principal, "POST");
  const [keyId = "", payload = "", signature = ""] = header.split(".");
  // The last character of a base64 text may have unused bits.
  const length = header.length - 2;
  fc.assert(
    fc.property(fc.nat(length), (at) => {
      const changed = header.slice(0, at) + (header[at] === "x" ? "y" : "x") + header.slice(at + 1);
      expect(() => verify(changed, "POST")).toThrow(refusal);
    }),
  );
  expect(() => verify(`${keyId}.${payload}.${signature}.`, "POST")).toThrow(refusal);
});

test.each(["", ".", "a.b.c", "..", "%%%"])("the header %j is refused without a crash", (header) => {
  expect(() => verify(header, "POST")).toThrow(refusal);
});
