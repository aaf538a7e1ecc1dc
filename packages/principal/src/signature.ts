import { createHmac, timingSafeEqual } from "node:crypto";
import { GatewayError } from "@gatehouse/errors";
import type { Secret } from "@gatehouse/vault";
import { LRUCache } from "lru-cache";
import type { Principal } from "./principal.ts";

/** How long a signed principal is accepted. The router makes a new one at half of it. */
export const principalLifeMs = 60_000;

const cacheEntriesMax = 10_000;

export type Clock = () => number;

interface SignedPrincipal {
  readonly principal: Principal;
  readonly expiresAt: number;
}

/** Signs principals for the services; one per router. Repeated calls for one principal object answer from a cache. */
export function createPrincipalSigner(key: Secret, now: Clock = Date.now): (principal: Principal) => string {
  const cache = new WeakMap<Principal, { readonly header: string; readonly renewAt: number }>();
  return (principal) => {
    const cached = cache.get(principal);
    if (cached !== undefined && cached.renewAt > now()) return cached.header;
    const payload: SignedPrincipal = { principal, expiresAt: now() + principalLifeMs };
    const encoded = Buffer.from(JSON.stringify(payload)).toString("base64url");
    const header = `${encoded}.${mac(key, encoded).toString("base64url")}`;
    cache.set(principal, { header, renewAt: now() + principalLifeMs / 2 });
    return header;
  };
}

/**
 * Accepts what the router signed. The answer for one header is the same object until it expires.
 * @throws GatewayError `invalid_token` for a header that is absent, altered or expired: the request did not come through the router.
 */
export function createPrincipalVerifier(key: Secret, now: Clock = Date.now): (header: string | undefined) => Principal {
  const cache = new LRUCache<string, SignedPrincipal>({ max: cacheEntriesMax });
  return (header) => {
    if (header === undefined) throw notThroughRouter();
    const signed = cache.get(header) ?? verify(key, header);
    if (signed.expiresAt <= now()) throw notThroughRouter();
    cache.set(header, signed);
    return signed.principal;
  };
}

function verify(key: Secret, header: string): SignedPrincipal {
  const [encoded = "", signature = ""] = header.split(".");
  const expected = mac(key, encoded);
  const given = Buffer.from(signature, "base64url");
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw notThroughRouter();
  return JSON.parse(Buffer.from(encoded, "base64url").toString("utf8")) as SignedPrincipal;
}

function mac(key: Secret, payload: string): Buffer {
  return createHmac("sha256", key.reveal()).update(payload).digest();
}

function notThroughRouter(): GatewayError {
  return new GatewayError("invalid_token", "This service is reached through the router only.");
}
