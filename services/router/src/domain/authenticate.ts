import { hash } from "node:crypto";
import { type GatewayError, isGatewayError } from "@gatehouse/errors";
import {
  type AdminPrincipal,
  checksumHolds,
  hasAdminKeyPrefix,
  hasTokenPrefix,
  type Principal,
  type TokenPrincipal,
} from "@gatehouse/principal";
import { invalidFormat, invalidToken, readBearerToken } from "./bearer.ts";
import { addressKey } from "./client.ts";
import type { CredentialGuard } from "./credential-guard.ts";
import type { PrincipalCache } from "./principal-cache.ts";

/** The guards that say who is calling. */
export type AuthenticationName = "token" | "admin_key";

export interface Credential {
  /** Node's `rawHeaders`: names and values in turn. */
  readonly rawHeaders: readonly string[];
  readonly ipAddress: string;
}

export type Authenticated = Principal | GatewayError;

/**
 * Says who is calling, or why that is refused (401; 503 when it cannot be known). At once where the answer is cached.
 * The one authentication of both lanes.
 */
export type Authenticate = (by: AuthenticationName, credential: Credential) => Authenticated | Promise<Authenticated>;

export interface AuthenticateOptions {
  readonly tokens: PrincipalCache<TokenPrincipal>;
  readonly adminKeys: PrincipalCache<AdminPrincipal>;
  /** What stands before questions about credentials that are not cached; nothing when absent. */
  readonly credentialGuards?: Readonly<Record<AuthenticationName, CredentialGuard>>;
}

export function createAuthenticate({ tokens, adminKeys, credentialGuards }: AuthenticateOptions): Authenticate {
  return (by, { rawHeaders, ipAddress }) => {
    const token = readBearerToken(rawHeaders);
    if (typeof token !== "string") return token;
    const cache = by === "token" ? tokens : adminKeys;
    const key = cacheKey(token);
    // What the cache holds has passed these before.
    if (cache.has(key)) return settle(cache.find(key, ipAddress));
    const refusal = refuseForm(by, token);
    if (refusal !== undefined) return refusal;
    const guard = credentialGuards?.[by];
    if (guard === undefined) return settle(cache.find(key, ipAddress));
    return guarded(guard, addressKey(ipAddress), () => cache.find(key, ipAddress));
  };
}

type Found = Principal | undefined | Promise<Principal | undefined>;

function settle(found: Found): Authenticated | Promise<Authenticated> {
  return found instanceof Promise ? found.then(orInvalid, orRefused) : orInvalid(found);
}

/** Asks where the guard lets the question pass, and says to it how that ended. */
function guarded(guard: CredentialGuard, address: string, find: () => Found): Authenticated | Promise<Authenticated> {
  const refusal = guard.begin(address);
  if (refusal !== undefined) return refusal;
  const found = find();
  if (!(found instanceof Promise)) {
    guard.end(address, "nothing");
    return orInvalid(found);
  }
  return found.then(
    (principal) => {
      guard.end(address, principal === undefined ? "unknown" : "known");
      return orInvalid(principal);
    },
    (err: unknown) => {
      guard.end(address, "nothing");
      return orRefused(err);
    },
  );
}

/** The hash that the control plane stores, in hex. `crypto.hash` costs a fifth of a hash object, on every request. */
function cacheKey(plaintext: string): string {
  return hash("sha256", plaintext, "hex");
}

/**
 * A token with a wrong checksum was never issued: the control plane need not be asked. Admin keys have no checksum, since
 * an operator may choose one.
 */
function refuseForm(by: AuthenticationName, token: string): GatewayError | undefined {
  if (by === "admin_key") return hasAdminKeyPrefix(token) ? undefined : invalidFormat();
  if (!hasTokenPrefix(token)) return invalidFormat();
  return checksumHolds(token) ? undefined : invalidToken();
}

function orInvalid(found: Principal | undefined): Authenticated {
  return found ?? invalidToken();
}

function orRefused(err: unknown): GatewayError {
  if (isGatewayError(err)) return err;
  throw err;
}
