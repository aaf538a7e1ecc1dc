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
  type Principal,
  type TokenPrincipal,
} from "@gatehouse/principal";
import { invalidFormat, invalidToken, readBearerToken } from "../domain/bearer.ts";
import { addressKey } from "../domain/client.ts";
import type { CredentialGuard } from "../domain/credential-guard.ts";
import { noSession, readSessionCookie, sessionOver } from "../domain/session-cookie.ts";
import type { TrustedIssuers } from "../domain/trusted-issuers.ts";
import type { PrincipalCache } from "./principal-cache.ts";

/** The kinds of credentials, each with a cache. */
type CredentialKind = "token" | "admin_key" | "session";

/** Authentication of a route: one kind of credential, or either of an administrator's. */
export type AuthenticationName = CredentialKind | "administrator";

/** A request as far as authentication reads it. */
export interface Credential {
  /** Node's `rawHeaders`: names and values in turn. */
  readonly rawHeaders: readonly string[];
  readonly ipAddress: string;
  /** Project that the path names, as sent; empty where it names none. */
  readonly projectUuid: string;
  /** Whether the caller is known to have come by TLS, and so to have a cookie that no sibling host can plant. */
  readonly isSecure?: boolean;
}

/** JWT settings: the projects that take them, and the principals they stand for. */
interface JwtAuthentication {
  readonly issuers: Pick<TrustedIssuers, "isTrusting">;
  readonly cache: PrincipalCache<TokenPrincipal, { readonly jwt: string; readonly projectUuid: string }>;
}

/** The caller, or the refusal. */
export type Authenticated = Principal | GatewayError;

/**
 * Says who is calling, or why that is refused (401; 503 when it cannot be known). At once where the answer is cached.
 * The one authentication of both planes.
 */
export type Authenticate = (by: AuthenticationName, credential: Credential) => Authenticated | Promise<Authenticated>;

interface AuthenticateOptions {
  readonly tokens: PrincipalCache<TokenPrincipal>;
  readonly adminKeys: PrincipalCache<AdminPrincipal>;
  readonly sessions: PrincipalCache<AdminPrincipal>;
  readonly jwts: JwtAuthentication;
  /** Guards before questions about credentials that are not cached; nothing when absent. */
  readonly credentialGuards?: Readonly<Record<CredentialKind, CredentialGuard>>;
}

/** The one authentication of both planes: form first, then the cache, then a guarded question to the control plane. */
export function createAuthenticate(options: AuthenticateOptions): Authenticate {
  const { tokens, adminKeys, sessions, jwts, credentialGuards } = options;
  const caches = { token: tokens, admin_key: adminKeys, session: sessions } as const;
  return (by, { rawHeaders, ipAddress, projectUuid, isSecure = false }) => {
    const kind = by === "administrator" ? kindOf(rawHeaders, isSecure) : by;
    const text =
      kind === "session" ? (readSessionCookie(rawHeaders, isSecure) ?? noSession()) : readBearerToken(rawHeaders);
    if (typeof text !== "string") return text;
    if (kind === "token" && text.startsWith(jwtStart) && jwts.issuers.isTrusting(projectUuid)) {
      return authenticateJwt(jwts.cache, { jwt: text, projectUuid, ipAddress }, credentialGuards?.token);
    }
    const cache = caches[kind];
    const key = cacheKey(text);
    const invalid = kind === "session" ? sessionOver : invalidToken;
    // Cached credentials have passed these before.
    if (cache.has(key)) return conclude(cache.find(key, ipAddress), invalid);
    const refusal = refuseForm(kind, text);
    if (refusal !== undefined) return refusal;
    const guard = credentialGuards?.[kind];
    if (guard === undefined) return conclude(cache.find(key, ipAddress), invalid);
    return guarded(guard, { address: addressKey(ipAddress), key, find: () => cache.find(key, ipAddress), invalid });
  };
}

/** A cookie counts only where no key was sent: browsers add it by themselves. */
function kindOf(rawHeaders: readonly string[], isSecure: boolean): CredentialKind {
  const hasKey = rawHeaders.some((name, index) => index % 2 === 0 && name.toLowerCase() === "authorization");
  return hasKey || readSessionCookie(rawHeaders, isSecure) === undefined ? "admin_key" : "session";
}

/** The beginning of a JSON object in base64url, as every JWT has it. */
const jwtStart = "eyJ";

interface SentJwt {
  readonly jwt: string;
  readonly projectUuid: string;
  readonly ipAddress: string;
}

/** One token may stand for a person in two projects, with other scopes: it is known by both. */
function authenticateJwt(
  cache: JwtAuthentication["cache"],
  { jwt, projectUuid, ipAddress }: SentJwt,
  guard: CredentialGuard | undefined,
): Authenticated | Promise<Authenticated> {
  if (jwt.length > jwtLengthMax) {
    const message = `Token is too large: a JWT may have at most ${jwtLengthMax} characters.`;
    return new GatewayError("invalid_token", message);
  }
  const question = { jwt, projectUuid: projectUuid.toLowerCase() };
  const key = cacheKey(`${question.projectUuid} ${jwt}`);
  if (cache.has(key) || guard === undefined) return conclude(cache.find(key, question), invalidToken);
  if (!isJwtForm(jwt)) return new GatewayError("invalid_token", malformedJwt);
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
  /** The credential's hash. */
  readonly key: string;
  readonly find: () => Found;
  readonly invalid: Invalid;
}

/** Asks where the guard lets the question pass, and says to it how that ended. */
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

/** The hash that the control plane stores, in hex. `crypto.hash` costs a fifth of a hash object, on every request. */
function cacheKey(plaintext: string): string {
  return hash("sha256", plaintext, "hex");
}

/**
 * A token with a wrong checksum was never issued: the control plane need not be asked. Admin keys have no checksum, since
 * an operator may choose one.
 */
function refuseForm(by: CredentialKind, token: string): GatewayError | undefined {
  // The cookie's form was checked as it was read.
  if (by === "session") return undefined;
  if (by === "admin_key") return hasAdminKeyPrefix(token) ? undefined : invalidFormat();
  if (!hasTokenPrefix(token)) return invalidFormat();
  return checksumHolds(token) ? undefined : invalidToken();
}

function orRefused(err: unknown): GatewayError {
  if (isGatewayError(err)) return err;
  throw err;
}
