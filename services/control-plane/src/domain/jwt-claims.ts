import { isScope, type Scope } from "@gatehouse/principal";
import type { Issuer } from "./issuer.ts";

/** Tolerated difference between the clocks of the gateway and an issuer. */
export const clockSkewSeconds = 30;
/** Longest subject, which becomes a token's name, Unicode code points. */
export const subjectLengthMax = 200;
/** Seconds of the latest time that a Date can represent. */
const secondsMax = 8_640_000_000_000;

/** Payload of a JWT. Members are unchecked: each may be absent or of any type. */
export type Claims = Readonly<Record<string, unknown>>;

/** Subject, scopes and expiry of a JWT with a valid signature. */
export interface JwtBearer {
  readonly kind: "bearer";
  readonly subject: string;
  readonly scopes: readonly Scope[];
  /** Includes the clock skew. */
  readonly expiresAt: Date;
}

/** Refusal of a JWT, with a reason for its bearer. */
export interface JwtRefusal {
  readonly kind: "refused";
  /** For the caller; names a claim, never its value. */
  readonly message: string;
}

/** Refusal whose message is sent to the caller, and so must not contain a claim's value. */
export function refused(message: string): JwtRefusal {
  return { kind: "refused", message };
}

/** Refusal of a JWT whose issuer the project does not trust, or of any JWT where it trusts none. */
export const untrustedIssuer = refused("Token is of an issuer (iss) that this project does not trust.");

interface Trust extends Pick<Issuer, "audience" | "scopeClaim"> {
  readonly scopes: readonly Scope[];
}

/** Checks the claims of a JWT against the project's expectations of its issuer (RFC 7519, section 4.1; RFC 9068, section 4). */
export function judgeClaims(claims: Claims, trust: Trust, now: Date): JwtBearer | JwtRefusal {
  const { aud, cnf, exp, nbf, sub } = claims;
  if (aud !== trust.audience && !(Array.isArray(aud) && aud.includes(trust.audience))) {
    return refused("Token is for another audience (aud).");
  }
  // RFC 7800, section 3.1: requires a proof of possession, which is not supported.
  if (cnf !== undefined) return refused("Token is bound to a key (cnf), and only bearer tokens are accepted.");
  const nowSeconds = now.getTime() / 1_000;
  if (!isTime(exp)) return refused("Token has no expiry (exp).");
  if (exp + clockSkewSeconds <= nowSeconds) return refused("Token has expired (exp).");
  if (nbf !== undefined && !isTime(nbf)) return refused("Token has a malformed time (nbf).");
  if (nbf !== undefined && nbf - clockSkewSeconds > nowSeconds) return refused("Token is not valid yet (nbf).");
  if (!isSubject(sub)) {
    return refused(`Token names no subject (sub) of 1 to ${subjectLengthMax} characters without control characters.`);
  }
  const expiresAt = new Date((exp + clockSkewSeconds) * 1_000);
  return { kind: "bearer", subject: sub, scopes: scopesOf(claims, trust), expiresAt };
}

/** The issuer's scopes that the token has; all of them where the standard claim is absent. */
function scopesOf(claims: Claims, { scopes, scopeClaim }: Trust): readonly Scope[] {
  const claim = scopeClaim ?? "scope";
  const named = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  if (named === undefined && scopeClaim === null) return scopes;
  const texts = typeof named === "string" ? named.split(" ") : Array.isArray(named) ? named : [];
  return scopes.filter((scope) => isScope(scope) && texts.includes(scope));
}

function isTime(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && Math.abs(value) < secondsMax;
}

/** Without control characters and lone surrogates; the flag `u` counts code points. */
const subjectForm = new RegExp(String.raw`^[^\p{Cc}\p{Cs}]{1,${subjectLengthMax}}$`, "u");

/** Whether a value can be a subject, and so a token's name. */
export function isSubject(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "" && subjectForm.test(value);
}
