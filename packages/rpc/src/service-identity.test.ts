import { createHmac } from "node:crypto";
import { Secret } from "@gatehouse/vault";
import { expect, test, vi } from "vitest";
import { createIdentitySigner, createIdentityVerifier } from "./service-identity.ts";

const lifeMs = 60_000;
const key = new Secret("key of a test");

/** A clock, the identity of one caller and the check of one callee, with how often it has looked at the key. */
function world() {
  const clock = { nowMs: 1_000_000 };
  const now = () => clock.nowMs;
  const watched = new Secret("key of a test");
  const reveal = vi.spyOn(watched, "reveal");
  return { clock, sign: createIdentitySigner("chat", key, now), verify: createIdentityVerifier(watched, now), reveal };
}

test("the signature of an identity is verified once, and again for the next identity", () => {
  const { clock, sign, verify, reveal } = world();
  const identity = sign();
  for (let call = 0; call < 100; call += 1) expect(verify(identity)).toBe("chat");
  expect(reveal).toHaveBeenCalledTimes(1);
  clock.nowMs += lifeMs / 2;
  expect(sign()).not.toBe(identity);
  expect(verify(sign())).toBe("chat");
  expect(reveal).toHaveBeenCalledTimes(2);
});

test("an identity that was verified before is refused once its time is over", () => {
  const { clock, sign, verify } = world();
  const identity = sign();
  expect(verify(identity)).toBe("chat");
  clock.nowMs += lifeMs - 1;
  expect(verify(identity)).toBe("chat");
  clock.nowMs += 1;
  expect(verify(identity)).toBeUndefined();
});

test("an identity that is absent, altered, or signed for no time at all is refused every time", () => {
  const { sign, verify } = world();
  const [service = "", expiry = "", signature = ""] = sign().split(".");
  const timeless = createHmac("sha256", "key of a test").update("rpc:chat.never").digest("base64url");
  const altered = [
    `router.${expiry}.${signature}`,
    `${service}.${Number(expiry) + 1}.${signature}`,
    `${service}.${expiry}`,
  ];
  for (const value of [undefined, "", ...altered, `chat.never.${timeless}`]) {
    expect(verify(value)).toBeUndefined();
    expect(verify(value)).toBeUndefined();
  }
});

test("no more identities are remembered than the bound", () => {
  const { verify, reveal } = world();
  const services = Array.from({ length: 1_001 }, (_, at) => createIdentitySigner(`s${at}`, key, () => 1_000_000)());
  for (const identity of services) expect(verify(identity)).toBeDefined();
  expect(verify(services[1_000])).toBeDefined();
  expect(reveal).toHaveBeenCalledTimes(1_001);
  // Forgotten with the others when the bound was reached.
  expect(verify(services[0])).toBeDefined();
  expect(reveal).toHaveBeenCalledTimes(1_002);
});
