import type { Secret } from "@gatehouse/vault";

/** An access token and its life, on the wall clock. */
export interface AccessToken {
  readonly value: Secret;
  readonly obtainedAtMs: number;
  readonly expiresAtMs: number;
}

/** The share of its life after which a token is renewed, so that it does not end while it is used. */
const renewAfterShare = 0.8;

/** When a token is due: at four fifths of its life. */
export function renewAtMs({ obtainedAtMs, expiresAtMs }: AccessToken): number {
  return obtainedAtMs + (expiresAtMs - obtainedAtMs) * renewAfterShare;
}
