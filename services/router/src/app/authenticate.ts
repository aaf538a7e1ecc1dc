import { hash } from "node:crypto";
import { GatewayError, isGatewayError } from "@gatehouse/errors";
import {
  type AdminPrincipal,
  checksumHolds,
  hasAdminKeyPrefix,
  hasTokenPrefix,
  isJwtForm,
  jwtLengthMax,
  malformedJwt,
  oversizedJwt,
  type Principal,
  type TokenPrincipal,
} from "@gatehouse/principal";
import { invalidFormat, invalidToken, readBearerToken } from "../domain/bearer.ts";
import { addressKey } from "../domain/client.ts";
import type { CredentialGuard } from "../domain/credential-guard.ts";
import { noSession, readSessionCookie, sessionOver } from "../domain/session-cookie.ts";
import type { TrustedIssuers } from "../domain/trusted-issuers.ts";
import type { PrincipalCache } from "./principal-cache.ts";

type CredentialKind = "token" | "admin_key" | "session";

/** Credential that a route requires: one kind, or an administrator's key or session. */
export type AuthenticationName = CredentialKind | "administrator";

/** Parts of a request that authentication reads. */
export interface Credential {
  readonly rawHeaders: readonly string[];
  readonly ipAddress: string;
  /** Project in the path, as sent; empty where the path names none. */
  readonly projectUuid: string;
  /** Whether the caller is known to use TLS, so that its cookie cannot have been set by a sibling host. */
  readonly isSecure?: boolean;
}

interface JwtAuthentication {
  readonly issuers: Pick<TrustedIssuers, "isTrusting">;
  readonly cache: PrincipalCache<TokenPrincipal, { readonly jwt: string; readonly projectUuid: string }>;
}

/** Result of an authentication: the caller, or the error to send (401, 429 or 503). */
export type Authenticated = Principal | GatewayError;

/**
 * Authenticates a request: 401 for an invalid credential, 503 when the control plane cannot be asked. Synchronous where the
 * answer is cached.
 */
export type Authenticate = (by: AuthenticationName, credential: Credential) => Authenticated | Promise<Authenticated>;

interface AuthenticateOptions {
  readonly tokens: PrincipalCache<TokenPrincipal>;
  readonly adminKeys: PrincipalCache<AdminPrincipal>;
  readonly sessions: PrincipalCache<AdminPrincipal>;
  readonly jwts: JwtAuthentication;
  /** Guards of look-ups that the cache cannot answer; absent: no guards. */
  readonly credentialGuards?: Readonly<Record<CredentialKind, CredentialGuard>>;
}

/** The authentication of both planes: checks the form, then the cache, then asks the control plane behind a guard. */
export function createAuthenticate(options: AuthenticateOptions): Authenticate {
  const { tokens, adminKeys, sessions, jwts, credentialGuards } = options;
  const caches = { token: tokens, admin_key: adminKeys, session: sessions } as const;
  return (by, { rawHeaders, ipAddress, projectUuid, isSecure = false }) => {
    const kind = by === "administrator" ? kindOf(rawHeaders, isSecure) : by;
    const text =
      kind === "session" ? (readSessionCookie(rawHeaders, isSecure) ?? noSession()) : readBearerToken(rawHeaders);
    if (typeof text !== "string") return text;
    // The parts of a JWT are joined by dots, which no token of the gateway has.
    if (kind === "token" && text.includes(".") && jwts.issuers.isTrusting(projectUuid)) {
      return authenticateJwt(jwts.cache, { jwt: text, projectUuid, ipAddress }, credentialGuards?.token);
    }
    const cache = caches[kind];
    const key = cacheKey(text);
    const invalid = kind === "session" ? sessionOver : invalidToken;
    // Cached credentials have passed the checks below.
    if (cache.has(key)) return conclude(cache.find(key, ipAddress), invalid);
    const refusal = refuseForm(kind, text);
    if (refusal !== undefined) return refusal;
    const guard = credentialGuards?.[kind];
    if (guard === undefined) return conclude(cache.find(key, ipAddress), invalid);
    return guarded(guard, { address: addressKey(ipAddress), key, find: () => cache.find(key, ipAddress), invalid });
  };
}

/** Prefers a key over a cookie, which browsers add by themselves. */
function kindOf(rawHeaders: readonly string[], isSecure: boolean): CredentialKind {
  const hasKey = rawHeaders.some((name, index) => index % 2 === 0 && name.toLowerCase() === "authorization");
  return hasKey || readSessionCookie(rawHeaders, isSecure) === undefined ? "admin_key" : "session";
}

interface SentJwt {
  readonly jwt: string;
  readonly projectUuid: string;
  readonly ipAddress: string;
}

/** Cached by JWT and project: one JWT may have different scopes in two projects. */
function authenticateJwt(
  cache: JwtAuthentication["cache"],
  { jwt, projectUuid, ipAddress }: SentJwt,
  guard: CredentialGuard | undefined,
): Authenticated | Promise<Authenticated> {
  if (jwt.length > jwtLengthMax) return new GatewayError("invalid_token", oversizedJwt);
  const question = { jwt, projectUuid: projectUuid.toLowerCase() };
  const key = cacheKey(`${question.projectUuid} ${jwt}`);
  if (cache.has(key)) return conclude(cache.find(key, question), invalidToken);
  if (!isJwtForm(jwt)) return new GatewayError("invalid_token", malformedJwt);
  if (guard === undefined) return conclude(cache.find(key, question), invalidToken);
  return guarded(guard, {
    address: addressKey(ipAddress),
    key,
    find: () => cache.find(key, question),
    invalid: invalidToken,
  });
}

type Answer = Principal | GatewayError | undefined;
type Found = Answer | Promise<Answer>;

type Invalid = () => GatewayError;

function conclude(found: Found, invalid: Invalid): Authenticated | Promise<Authenticated> {
  return found instanceof Promise ? found.then((late) => late ?? invalid(), orRefused) : (found ?? invalid());
}

interface GuardedQuestion {
  readonly address: string;
  readonly key: string;
  readonly find: () => Found;
  readonly invalid: Invalid;
}

/** Asks the control plane if the guard admits the look-up, and reports the outcome to the guard. */
function guarded(guard: CredentialGuard, question: GuardedQuestion): Authenticated | Promise<Authenticated> {
  const { address, key, find, invalid } = question;
  const refusal = guard.begin(address, key);
  if (refusal !== undefined) return refusal;
  const found = find();
  if (!(found instanceof Promise)) {
    guard.end(address, found === undefined || isGatewayError(found) ? "remembered" : "known", key);
    return found ?? invalid();
  }
  return found.then(
    (principal) => {
      guard.end(address, principal === undefined || isGatewayError(principal) ? "unknown" : "known", key);
      return principal ?? invalid();
    },
    (err: unknown) => {
      guard.end(address, "nothing", key);
      return orRefused(err);
    },
  );
}

/** SHA-256 in hex, as the control plane stores it. `crypto.hash` takes a fifth of the time of a hash object. */
function cacheKey(plaintext: string): string {
  return hash("sha256", plaintext, "hex");
}

/**
 * Refuses a token with a wrong checksum without asking the control plane. Admin keys have no checksum, since an operator may
 * choose one.
 */
function refuseForm(by: CredentialKind, token: string): GatewayError | undefined {
  // The cookie's form is checked when it is read.
  if (by === "session") return undefined;
  if (by === "admin_key") return hasAdminKeyPrefix(token) ? undefined : invalidFormat();
  if (!hasTokenPrefix(token)) return invalidFormat();
  return checksumHolds(token) ? undefined : invalidToken();
}

function orRefused(err: unknown): GatewayError {
  if (isGatewayError(err)) return err;
  throw err;
}
