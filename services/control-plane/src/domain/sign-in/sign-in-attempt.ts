import { createHash, createHmac } from "node:crypto";

/** Longest stay of a person at the provider. */
export const attemptLifeMs = 10 * 60_000;
/** A clock that is ahead of this one's, where another replica has begun the attempt. */
const skewMs = 60_000;
/** Random bytes of an attempt. */
export const attemptBytes = 32;
const attemptForm = /^([a-z0-9]{1,12})\.[A-Za-z0-9_-]{43}$/;

/** The values that begin and end a sign-in. All of them follow from the attempt, which only the browser keeps. */
export interface SignInSecrets {
  readonly state: string;
  readonly nonce: string;
  /** PKCE (RFC 7636). */
  readonly codeVerifier: string;
}

/** A new attempt, for the browser's cookie: when it began, and `attemptBytes` random bytes. */
export function toAttempt(now: Date, random: Buffer): string {
  return `${now.getTime().toString(36)}.${random.toString("base64url")}`;
}

/**
 * State, nonce and code verifier of an attempt: the gateway stores none of them, so that sign-ins which are begun and never ended
 * leave nothing behind, and every replica can end what another has begun. Undefined for a text that is no attempt, or is too old. An attempt
 * whose time was changed has other secrets, which no provider knows.
 */
export function secretsOfAttempt(attempt: string, providerId: string, now: Date): SignInSecrets | undefined {
  const [, time = ""] = attemptForm.exec(attempt) ?? [];
  const ageMs = now.getTime() - Number.parseInt(time, 36);
  if (!(ageMs >= -skewMs && ageMs <= attemptLifeMs)) return undefined;
  const derive = (purpose: string) =>
    createHmac("sha256", attempt).update(`gatehouse sign-in ${purpose}\n${providerId}`).digest("base64url");
  return { state: derive("state"), nonce: derive("nonce"), codeVerifier: derive("code verifier") };
}

/** Key of the record that an attempt has ended with a session. */
export function hashOfAttempt(attempt: string): Buffer {
  return createHash("sha256").update(attempt).digest();
}
