import { GatewayError } from "@gatehouse/errors";
import type { RateLimits, Scope, TokenEnvironment } from "@gatehouse/principal";

export interface AccessToken {
  readonly id: number;
  readonly name: string;
  readonly projectUuid: string;
  readonly environment: TokenEnvironment;
  readonly scopes: readonly Scope[];
  readonly rateLimits: RateLimits;
  /** False once revoked; a token never becomes active again. */
  readonly isActive: boolean;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date | null;
}

export function tokenNotFound(id: number): GatewayError {
  return new GatewayError("not_found", `Token not found: ${id}`);
}

/** Why a token cannot be rotated: a new plaintext would not work either. Undefined where it can. */
export function findRotationProblem(token: AccessToken, now: Date): GatewayError | undefined {
  if (!token.isActive) {
    return new GatewayError("invalid_argument", `Token is revoked: ${token.id}. Create a new token instead.`);
  }
  if (token.expiresAt !== null && token.expiresAt <= now) {
    return new GatewayError("invalid_argument", `Token has expired: ${token.id}. Create a new token instead.`);
  }
  return undefined;
}
