import { createTestTrust, createTurningTrust } from "@gatehouse/trust/testing";
import { expect, test } from "vitest";
import { createCallerReader, createIdentitySigner } from "./service-identity.ts";

const lifeMs = 60_000;
const rpcService = "gatehouse.test.v1.TestService";
const trust = createTestTrust();

/** A clock, the identity of one caller and the check of one callee. */
function world() {
  const clock = { nowMs: 1_000_000 };
  const now = () => clock.nowMs;
  return {
    clock,
    sign: createIdentitySigner(trust.of("chat", now), "guardrail", now),
    read: createCallerReader(trust.of("guardrail", now), now),
  };
}

test("an identity is valid for its life, and is renewed before its end", () => {
  const { clock, sign, read } = world();
  const identity = sign(rpcService);
  expect(read(identity, rpcService)).toBe("chat");
  expect(sign(rpcService)).toBe(identity);
  clock.nowMs += lifeMs / 2;
  expect(sign(rpcService)).not.toBe(identity);
  clock.nowMs += lifeMs / 2 - 1;
  expect(read(identity, rpcService)).toBe("chat");
  clock.nowMs += 1;
  expect(read(identity, rpcService)).toBeUndefined();
});

test("an identity is signed again as soon as another key signs", () => {
  const clock = { nowMs: 0 };
  const now = () => clock.nowMs;
  const turning = createTurningTrust("guardrail", 1_000, now);
  const [sign, read] = [createIdentitySigner(turning, "guardrail"), createCallerReader(turning)];
  for (; clock.nowMs < 2_000; clock.nowMs += 500) expect(read(sign(rpcService), rpcService)).toBe("guardrail");
});

test("an identity is valid for one service and one of its gRPC services", () => {
  const { clock, sign, read } = world();
  const identity = sign(rpcService);
  expect(read(identity, "gatehouse.admin.v1.AdminService")).toBeUndefined();
  const now = () => clock.nowMs;
  expect(createCallerReader(trust.of("logbook", now), now)(identity, rpcService)).toBeUndefined();
});

test("an identity that is absent, altered or foreign is refused every time", () => {
  const { clock, sign, read } = world();
  const [keyId = "", payload = "", signature = ""] = sign(rpcService).split(".");
  const other = Buffer.from(JSON.stringify({ audience: "guardrail", rpcService, expiresAt: 9e15 })).toString(
    "base64url",
  );
  const stranger = createIdentitySigner(createTestTrust().of("chat"), "guardrail", () => clock.nowMs)(rpcService);
  const altered = [`${keyId}.${other}.${signature}`, `${keyId}.${payload}`, `x.${payload}.${signature}`, stranger];
  for (const value of [undefined, "", "..", ...altered]) {
    expect(read(value, rpcService)).toBeUndefined();
    expect(read(value, rpcService)).toBeUndefined();
  }
});
