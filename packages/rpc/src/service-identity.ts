import { BoundedCache } from "@gatehouse/bounded-cache";
import type { ServiceName, ServiceTrust } from "@gatehouse/trust";

/** The metadata key that carries a calling service's identity. */
export const identityMetadataKey = "x-gatehouse-service";

const lifeMs = 60_000;
/** Identities that a process remembers; every caller renews its own twice a minute. */
const identitiesMax = 1_000;

interface Identity {
  /** The service that is called. */
  readonly audience: ServiceName;
  /** Full name of its gRPC service that is called, such as `gatehouse.admin.v1.AdminService`. */
  readonly rpcService: string;
  readonly expiresAt: number;
}

interface VerifiedIdentity extends Identity {
  readonly caller: ServiceName;
  readonly keyId: string;
}

/** Signs who is calling, for one gRPC service of the audience; a value is renewed at half its life of a minute, and for another key. */
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

/** Whether a service may call a gRPC service; the table of the product, or a test's own. */
export type CallerRule = (caller: ServiceName, rpcService: string) => boolean;

/** The service that makes a call, from the identity that it has signed for one gRPC service. */
export type CallerReader = (identity: string | undefined, rpcService: string) => ServiceName | undefined;

/**
 * Undefined for an identity that is absent, altered, expired, or meant for another service. The time, and whether the
 * key still counts, are looked at every time.
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

/** `gatehouse.admin.v1.AdminService` of `/gatehouse.admin.v1.AdminService/ListOperations`. */
export function rpcServiceOf(path: string): string {
  return path.split("/")[1] ?? "";
}
