import type { ServiceName, ServiceTrust } from "@gatehouse/trust";
import { LRUCache } from "lru-cache";

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

/** Signs who is calling, for one gRPC service of the audience; a value is renewed at half its life of a minute. */
export function createIdentitySigner(
  trust: ServiceTrust,
  audience: ServiceName,
  now: () => number = Date.now,
): (rpcService: string) => string {
  const made = new Map<string, { readonly value: string; readonly renewAt: number }>();
  return (rpcService) => {
    const known = made.get(rpcService);
    if (known !== undefined && now() < known.renewAt) return known.value;
    const identity: Identity = { audience, rpcService, expiresAt: now() + lifeMs };
    const value = trust.sign("identity", JSON.stringify(identity));
    made.set(rpcService, { value, renewAt: now() + lifeMs / 2 });
    return value;
  };
}

/** Whether a service may call a gRPC service; the table of the product, or a test's own. */
export type CallerRule = (caller: ServiceName, rpcService: string) => boolean;

/** The service that makes a call, from the identity that it has signed for one gRPC service. */
export type CallerReader = (identity: string | undefined, rpcService: string) => ServiceName | undefined;

/** Undefined for an identity that is absent, altered, expired, or meant for another service. The time is looked at every time. */
export function createCallerReader(trust: ServiceTrust, now: () => number = Date.now): CallerReader {
  const known = new LRUCache<string, Identity>({ max: identitiesMax });
  return (text, rpcService) => {
    // The trust remembers signatures that it has verified, and forgets those whose key no longer counts.
    const signed = text === undefined ? undefined : trust.verify("identity", text);
    if (text === undefined || signed === undefined) return undefined;
    const identity = known.get(text) ?? (JSON.parse(signed.payload) as Identity);
    known.set(text, identity);
    const isMeant = identity.audience === trust.service && identity.rpcService === rpcService;
    return isMeant && identity.expiresAt > now() ? signed.service : undefined;
  };
}

/** `gatehouse.admin.v1.AdminService` of `/gatehouse.admin.v1.AdminService/ListOperations`. */
export function rpcServiceOf(path: string): string {
  return path.split("/")[1] ?? "";
}
