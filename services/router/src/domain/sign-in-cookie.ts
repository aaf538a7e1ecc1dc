import { OwnCookie } from "./own-cookie.ts";

/** Lax: the browser comes back from another site, by a link that it follows itself. */
const cookie = new OwnCookie("gatehouse_sign_in", "Lax", "/control/sign-in");
/** Lifetime of an attempt at the control plane. */
const lifeSeconds = 600;
const attemptLengthMax = 100;

/**
 * The sign-in that this browser has under way; empty where there is none, or two: without TLS, a page of a sibling host may have set
 * one.
 */
export function readSignInCookie(rawHeaders: readonly string[], isSecure: boolean): string {
  const values = cookie.read(rawHeaders, isSecure);
  const [attempt = ""] = values;
  return values.length === 1 && attempt.length <= attemptLengthMax ? attempt : "";
}

/** The `Set-Cookie` that ties a sign-in to the browser which began it. */
export function signInCookie(attempt: string, isSecure: boolean): string {
  return cookie.set(attempt, isSecure, lifeSeconds);
}

/** The `Set-Cookie` that takes the cookie away: a sign-in ends once. */
export function endedSignInCookie(isSecure: boolean): string {
  return cookie.end(isSecure);
}
