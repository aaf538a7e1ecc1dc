import { BoundedCache } from "@gatehouse/bounded-cache";
import type { ServiceName, ServiceTrust } from "@gatehouse/trust";

/** The metadata key that carries a calling service's identity. */
export const identityMetadataKey = "x-gatehouse-service";

const lifeMs = 60_000;
/** Cached identities; every caller renews its own twice a minute. */
const identitiesMax = 1_000;

interface Identity {
  readonly audience: ServiceName;
  /** Full name of the called gRPC service, such as `gatehouse.admin.v1.AdminService`. */
  readonly rpcService: string;
  readonly expiresAt: number;
}

interface VerifiedIdentity extends Identity {
  readonly caller: ServiceName;
  readonly keyId: string;
}

/**
 * Signs the caller's identity for one gRPC service of the audience; renewed at half of its life of one minute, and when the key
 * changes.
 */
export function createIdentitySigner(
  trust: ServiceTrust,
  audience: ServiceName,
  wallNow: () => number = trust.wallNow,
): (rpcService: string) => string {
  const made = new Map<string, { readonly value: string; readonly keyId: string; readonly renewAt: number }>();
  return (rpcService) => {
    const known = made.get(rpcService);
    const keyId = trust.signingKeyId;
    if (known?.keyId === keyId && wallNow() < known.renewAt) return known.value;
    const identity: Identity = { audience, rpcService, expiresAt: wallNow() + lifeMs };
    const value = trust.sign("identity", JSON.stringify(identity));
    made.set(rpcService, { value, keyId, renewAt: wallNow() + lifeMs / 2 });
    return value;
  };
}

/** Whether a service may call a gRPC service; the product's table, or a test's. */
export type CallerRule = (caller: ServiceName, rpcService: string) => boolean;

/** Reads the calling service from an identity that it has signed for one gRPC service. */
export type CallerReader = (identity: string | undefined, rpcService: string) => ServiceName | undefined;

/**
 * Creates the reader, which returns undefined for an identity that is absent, altered, expired, or meant for another service.
 * Expiry and the key's validity are checked every time.
 */
export function createCallerReader(trust: ServiceTrust, wallNow: () => number = trust.wallNow): CallerReader {
  const verified = new BoundedCache<string, VerifiedIdentity>(identitiesMax);
  const verify = (text: string): VerifiedIdentity | undefined => {
    const signed = trust.verify("identity", text);
    if (signed === undefined) return undefined;
    const read = { ...(JSON.parse(signed.payload) as Identity), caller: signed.service, keyId: signed.keyId };
    verified.set(text, read);
    return read;
  };
  return (text, rpcService) => {
    const identity = text === undefined ? undefined : (verified.get(text) ?? verify(text));
    if (identity === undefined || !trust.isAccepted(identity.keyId)) return undefined;
    const isMeant = identity.audience === trust.service && identity.rpcService === rpcService;
    return isMeant && identity.expiresAt > wallNow() ? identity.caller : undefined;
  };
}

/** `/gatehouse.admin.v1.AdminService/ListOperations` becomes `gatehouse.admin.v1.AdminService`. */
export function rpcServiceOf(path: string): string {
  return path.split("/")[1] ?? "";
}
