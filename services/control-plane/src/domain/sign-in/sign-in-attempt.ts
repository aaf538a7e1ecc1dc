import { createHash, createHmac } from "node:crypto";

/** Longest time at the provider. */
export const attemptLifeMs = 10 * 60_000;
/** Tolerated clock difference to a replica that started the attempt. */
const skewMs = 60_000;
/** Random bytes of an attempt. */
export const attemptBytes = 32;
const attemptForm = /^([a-z0-9]{1,12})\.[A-Za-z0-9_-]{43}$/;

/** Values for the start and the end of a sign-in, derived from the attempt, which only the browser stores. */
export interface SignInSecrets {
  readonly state: string;
  readonly nonce: string;
  /** PKCE (RFC 7636). */
  readonly codeVerifier: string;
}

/** Creates an attempt for the browser's cookie: its start time and `attemptBytes` random bytes. */
export function toAttempt(now: Date, random: Buffer): string {
  return `${now.getTime().toString(36)}.${random.toString("base64url")}`;
}

/**
 * State, nonce and code verifier of an attempt. The gateway stores none of them, so unfinished sign-ins leave no data, and any
 * replica can finish one. Undefined for an invalid or expired attempt. Changing an attempt's time changes its secrets, which then
 * match no provider's answer.
 */
export function secretsOfAttempt(attempt: string, providerId: string, now: Date): SignInSecrets | undefined {
  const [, time = ""] = attemptForm.exec(attempt) ?? [];
  const ageMs = now.getTime() - Number.parseInt(time, 36);
  if (!(ageMs >= -skewMs && ageMs <= attemptLifeMs)) return undefined;
  const derive = (purpose: string) =>
    createHmac("sha256", attempt).update(`gatehouse sign-in ${purpose}\n${providerId}`).digest("base64url");
  return { state: derive("state"), nonce: derive("nonce"), codeVerifier: derive("code verifier") };
}

/** Key under which a finished attempt is recorded. */
export function hashOfAttempt(attempt: string): Buffer {
  return createHash("sha256").update(attempt).digest();
}
