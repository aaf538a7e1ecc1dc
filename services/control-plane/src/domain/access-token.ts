import { isDeepStrictEqual } from "node:util";
import { GatewayError } from "@gatehouse/errors";
import type {
  ExternalSubject,
  RateLimits,
  Scope,
  TokenEnvironment,
  TokenReach,
  UserLimits,
} from "@gatehouse/principal";

/** A token without its text, which is not stored. */
export interface AccessToken {
  readonly id: number;
  readonly name: string;
  readonly projectUuid: string;
  readonly environment: TokenEnvironment;
  readonly scopes: readonly Scope[];
  readonly rateLimits: RateLimits;
  readonly userLimits: UserLimits;
  readonly reach: TokenReach;
  /** False once revoked; a token never becomes active again. */
  readonly isActive: boolean;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date | null;
  /** Where it stands for a subject of an issuer, whose JWTs are its plaintext. */
  readonly external: ExternalSubject | undefined;
  /** When a subject's revocation ends; null is never. */
  readonly revokedUntil: Date | null;
}

/** The refusal for an id without a token, or one that the caller may not see. */
export function tokenNotFound(id: number): GatewayError {
  return new GatewayError("not_found", `Token not found: ${id}`);
}

/** Absent members stay as they are. */
export interface TokenChanges {
  readonly name?: string;
  readonly perMinute?: number | null;
  readonly perHour?: number | null;
  readonly userPerMinute?: number | null;
  readonly userBudgetMicros?: number | null;
  readonly expiresAt?: Date | null;
  /** Lays the changes over the token's reach. Throws a GatewayError where the two together break a rule. */
  readonly reach: (present: TokenReach) => TokenReach;
}

/** The arguments that make a difference. */
export function findTokenChanges(token: AccessToken, changes: TokenChanges): string[] {
  const { name, rateLimits, userLimits, expiresAt, reach } = token;
  const wanted = changes.reach(reach);
  const pairs = [
    ["name", name, changes.name],
    ["rate_limit_per_minute", rateLimits.perMinute, changes.perMinute],
    ["rate_limit_per_hour", rateLimits.perHour, changes.perHour],
    ["user_rate_limit_per_minute", userLimits.perMinute, changes.userPerMinute],
    ["user_monthly_budget_usd", userLimits.monthlyBudgetMicros, changes.userBudgetMicros],
    ["expires_at", expiresAt?.getTime() ?? null, changes.expiresAt === null ? null : changes.expiresAt?.getTime()],
    ["endpoints", reach.endpoints, wanted.endpoints],
    ["tools", reach.tools, wanted.tools],
    ["networks", reach.networks, wanted.networks],
  ] as const;
  return pairs.filter(([, from, to]) => to !== undefined && !isDeepStrictEqual(from, to)).map(([field]) => field);
}

/** Why a token cannot be changed: it never works again. Undefined where it can. */
export function findUpdateProblem(token: AccessToken): GatewayError | undefined {
  return token.isActive ? undefined : isRevoked(token);
}

/** Why a token cannot be rotated: a new plaintext would not work either. Undefined where it can. */
export function findRotationProblem(token: AccessToken, now: Date): GatewayError | undefined {
  if (token.external !== undefined) {
    return new GatewayError(
      "invalid_argument",
      `Token has no plaintext: ${token.id} stands for a subject of issuer ${token.external.issuerId}.`,
    );
  }
  if (!token.isActive) return isRevoked(token);
  if (token.expiresAt !== null && token.expiresAt <= now) {
    return new GatewayError("invalid_argument", `Token has expired: ${token.id}. Create a new token instead.`);
  }
  return undefined;
}

function isRevoked({ id }: AccessToken): GatewayError {
  return new GatewayError("invalid_argument", `Token is revoked: ${id}. Create a new token instead.`);
}
