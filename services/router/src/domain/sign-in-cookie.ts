import { OwnCookie } from "./own-cookie.ts";

/** Lax: the identity provider redirects back from another site. */
const cookie = new OwnCookie("gatehouse_sign_in", "Lax", "/control/sign-in");
/** Lifetime of an attempt at the control plane. */
const lifeSeconds = 600;
const attemptLengthMax = 100;

/**
 * The browser's attempt to sign in; empty where there is none, or two, since without TLS a page of a sibling host may have set
 * one.
 */
export function readSignInCookie(rawHeaders: readonly string[], isSecure: boolean): string {
  const values = cookie.read(rawHeaders, isSecure);
  const [attempt = ""] = values;
  return values.length === 1 && attempt.length <= attemptLengthMax ? attempt : "";
}

/** `Set-Cookie` that binds an attempt to the browser which started it. */
export function signInCookie(attempt: string, isSecure: boolean): string {
  return cookie.set(attempt, isSecure, lifeSeconds);
}

/** `Set-Cookie` that deletes the cookie: an attempt ends once. */
export function endedSignInCookie(isSecure: boolean): string {
  return cookie.end(isSecure);
}
