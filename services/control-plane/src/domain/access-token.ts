import { GatewayError } from "@gatehouse/errors";
import type { ExternalSubject, TokenReach } from "@gatehouse/principal";
import type { SettingsChange } from "./shared-fields.ts";
import type { TokenSettings } from "./token-fields.ts";

/** A token without its text, which is not stored. */
export interface AccessToken extends TokenSettings {
  readonly id: number;
  readonly projectUuid: string;
  /** False once revoked; a token never becomes active again. */
  readonly isActive: boolean;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  /** Where it stands for a subject of an issuer, whose JWTs are its plaintext. */
  readonly external: ExternalSubject | undefined;
  /** When a subject's revocation ends; null is never. */
  readonly revokedUntil: Date | null;
}

/** The refusal for an id without a token, or one that the caller may not see. */
export function tokenNotFound(id: number): GatewayError {
  return new GatewayError("not_found", `Token not found: ${id}`);
}

/** A change of a token, with the whole of its reach. */
export interface TokenChange extends SettingsChange<TokenSettings> {
  readonly settings: Partial<TokenSettings> & TokenReach;
}

/** Why a token cannot be changed: it never works again. Undefined where it can. */
export function findUpdateProblem(token: AccessToken): GatewayError | undefined {
  return token.isActive ? undefined : alreadyRevoked(token);
}

/** Why a token cannot be rotated: a new plaintext would not work either. Undefined where it can. */
export function findRotationProblem(token: AccessToken, now: Date): GatewayError | undefined {
  if (token.external !== undefined) {
    return new GatewayError(
      "invalid_argument",
      `Token has no plaintext: ${token.id} stands for a subject of issuer ${token.external.issuerId}.`,
    );
  }
  if (!token.isActive) return alreadyRevoked(token);
  if (token.expiresAt !== null && token.expiresAt <= now) {
    return new GatewayError("invalid_argument", `Token has expired: ${token.id}. Create a new token instead.`);
  }
  return undefined;
}

function alreadyRevoked({ id }: AccessToken): GatewayError {
  return new GatewayError("invalid_argument", `Token is revoked: ${id}. Create a new token instead.`);
}
