import { GatewayError } from "@gatehouse/errors";
import type { RateLimits, Scope } from "@gatehouse/principal";

/** An identity provider whose JWTs are access tokens of a project. */
export interface Issuer {
  readonly id: number;
  readonly projectUuid: string;
  /** Its URL, as its tokens name it. */
  readonly issuer: string;
  readonly audience: string;
  /** At most what its tokens may do. */
  readonly scopes: readonly Scope[];
  /** The claim that names scopes; null: `scope`, where a token has it. */
  readonly scopeClaim: string | null;
  /** Null: where its discovery document says. */
  readonly jwksUrl: string | null;
  /** Limits of subjects without their own. */
  readonly rateLimits: RateLimits;
  readonly createdAt: Date;
}

/** Issuers that one project may trust. */
export const issuersMax = 20;
/** Subjects of one issuer that are known by a token id. */
export const subjectsMax = 100_000;

/** The refusal for an id without an issuer, or one that the caller may not see. */
export function issuerNotFound(id: number): GatewayError {
  return new GatewayError("not_found", `Issuer not found: ${id}`);
}
