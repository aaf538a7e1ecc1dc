import { BoundedCache } from "@gatehouse/bounded-cache";
import { GatewayError } from "@gatehouse/errors";
import type { ServiceName, ServiceTrust } from "@gatehouse/trust";
import type { Principal } from "./principal.ts";

/** Lifetime of a signed principal. The router signs a new one at half of it. */
export const principalLifeMs = 60_000;

/** Parsed principals that a verifier caches; verifying a signature costs about 0.1 ms. */
const cacheEntriesMax = 20_000;

/** Unix milliseconds. */
export type Clock = () => number;

/** Whether a request may change anything: a principal signed for reading is refused for writing. */
type MethodClass = "read" | "write";

const readingMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

function methodClassOf(method: string | undefined): MethodClass {
  return readingMethods.has(method ?? "") ? "read" : "write";
}

interface SignedPrincipal {
  readonly principal: Principal;
  /** Service that accepts it. */
  readonly audience: ServiceName;
  readonly methodClass: MethodClass;
  readonly expiresAt: number;
}

interface VerifiedPrincipal extends SignedPrincipal {
  readonly keyId: string;
}

/** Signs a principal for a request with this method to one service. */
export type PrincipalSigner = (principal: Principal, method: string | undefined) => string;

/** Creates the signer for requests to one service. Repeated calls for one principal object use a cache. */
export function createPrincipalSigner(
  trust: ServiceTrust,
  audience: ServiceName,
  wallNow: Clock = trust.wallNow,
): PrincipalSigner {
  type Cached = { readonly header: string; readonly keyId: string; readonly renewAt: number };
  const caches = { read: new WeakMap<Principal, Cached>(), write: new WeakMap<Principal, Cached>() };
  return (principal, method) => {
    const methodClass = methodClassOf(method);
    const cached = caches[methodClass].get(principal);
    const keyId = trust.signingKeyId;
    if (cached?.keyId === keyId && cached.renewAt > wallNow()) return cached.header;
    const claim: SignedPrincipal = { principal, audience, methodClass, expiresAt: wallNow() + principalLifeMs };
    const header = trust.sign("principal", JSON.stringify(claim));
    caches[methodClass].set(principal, { header, keyId, renewAt: wallNow() + principalLifeMs / 2 });
    return header;
  };
}

/**
 * Creates the verifier, which accepts principals that a router signed for this service and class of methods. Returns the same
 * object for a header until it expires.
 * @throws GatewayError `invalid_token` for a header that is absent, altered, expired, or meant for other requests: the request
 * did not come through the router.
 */
export function createPrincipalVerifier(
  trust: ServiceTrust,
  wallNow: Clock = trust.wallNow,
): (header: string | undefined, method: string | undefined) => Principal {
  const verified = new BoundedCache<string, VerifiedPrincipal>(cacheEntriesMax);
  const check = (header: string): VerifiedPrincipal => {
    const signed = trust.verify("principal", header);
    if (signed?.service !== "router") throw notThroughRouter();
    return { ...(JSON.parse(signed.payload) as SignedPrincipal), keyId: signed.keyId };
  };
  return (header, method) => {
    if (header === undefined) throw notThroughRouter();
    // A single look-up: the text is long, and hashed for each.
    const known = verified.get(header);
    const claim = known ?? check(header);
    const isForUs = claim.audience === trust.service && claim.methodClass === methodClassOf(method);
    if (!isForUs || claim.expiresAt <= wallNow() || !trust.isAccepted(claim.keyId)) throw notThroughRouter();
    if (known === undefined) verified.set(header, claim);
    return claim.principal;
  };
}

function notThroughRouter(): GatewayError {
  return new GatewayError("invalid_token", "This service is reached through the router only.");
}
