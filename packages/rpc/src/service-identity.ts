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

/** The name of the calling service, or undefined when the identity is absent, altered or expired. */
export function verifyIdentity(
  value: string | undefined,
  key: Secret,
  now: () => number = Date.now,
): string | undefined {
  const [service, expiry, signature] = value?.split(".") ?? [];
  if (service === undefined || expiry === undefined || signature === undefined) return undefined;
  const expected = mac(key, `${service}.${expiry}`);
  const given = Buffer.from(signature, "base64url");
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  return Number(expiry) > now() ? service : undefined;
}

function mac(key: Secret, claim: string): Buffer {
  return createHmac("sha256", key.reveal()).update(`rpc:${claim}`).digest();
}
