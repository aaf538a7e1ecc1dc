import type { Secret } from "@gatehouse/vault";

/** An access token with its lifetime in wall-clock time. */
export interface AccessToken {
  readonly value: Secret;
  readonly obtainedAtMs: number;
  readonly expiresAtMs: number;
}

/** Part of its lifetime after which a token is renewed, so that it does not expire in use. */
const renewAfterShare = 0.8;

/** Time of a token's renewal, epoch milliseconds: `obtainedAtMs` plus four fifths of the lifetime. */
export function renewAtMs({ obtainedAtMs, expiresAtMs }: AccessToken): number {
  return obtainedAtMs + (expiresAtMs - obtainedAtMs) * renewAfterShare;
}
