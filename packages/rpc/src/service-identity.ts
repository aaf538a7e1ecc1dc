import { createHmac, timingSafeEqual } from "node:crypto";
import type { Secret } from "@gatehouse/vault";

/** The metadata key that carries a calling service's identity. */
export const identityMetadataKey = "x-gatehouse-service";

const lifeMs = 60_000;

/** Makes `<service>.<expiry ms>.<HMAC-SHA-256>`; the value is renewed at half its life of a minute. */
export function createIdentitySigner(service: string, key: Secret, now: () => number = Date.now): () => string {
  let value = "";
  let renewAt = 0;
  return () => {
    if (now() < renewAt) return value;
    const claim = `${service}.${now() + lifeMs}`;
    value = `${claim}.${mac(key, claim).toString("base64url")}`;
    renewAt = now() + lifeMs / 2;
    return value;
  };
}

/** Identities that a process remembers as verified. Every caller renews its own twice a minute. */
const verifiedMax = 1_000;

/**
 * Makes the check of a calling service's identity: its name, or undefined when the identity is absent, altered or expired. The
 * signature of an identity is verified once, its time always.
 */
export function createIdentityVerifier(
  key: Secret,
  now: () => number = Date.now,
): (value: string | undefined) => string | undefined {
  const verified = new Map<string, Identity>();
  return (value) => {
    if (value === undefined) return undefined;
    const known = verified.get(value);
    const identity = known ?? verify(value, key);
    if (identity === undefined) return undefined;
    if (!(identity.expiresAtMs > now())) {
      verified.delete(value);
      return undefined;
    }
    if (known === undefined) {
      if (verified.size >= verifiedMax) verified.clear();
      verified.set(value, identity);
    }
    return identity.service;
  };
}

interface Identity {
  readonly service: string;
  readonly expiresAtMs: number;
}

function verify(value: string, key: Secret): Identity | undefined {
  const [service, expiry, signature] = value.split(".");
  if (service === undefined || expiry === undefined || signature === undefined) return undefined;
  const expected = mac(key, `${service}.${expiry}`);
  const given = Buffer.from(signature, "base64url");
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  return { service, expiresAtMs: Number(expiry) };
}

function mac(key: Secret, claim: string): Buffer {
  return createHmac("sha256", key.reveal()).update(`rpc:${claim}`).digest();
}
