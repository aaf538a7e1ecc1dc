import { readCookie } from "./read-cookie.ts";

const cookieName = "gatehouse_sign_in";
/** Lax: the browser comes back from another site, by a link that it follows itself. */
const attributes = "HttpOnly; SameSite=Lax; Path=/control/sign-in";
/** As long as an attempt holds at the control plane. */
const lifeSeconds = 600;
const attemptLengthMax = 100;

/** The sign-in that this browser has under way; empty where there is none, or two: a page of a sibling host may have set one. */
export function readSignInCookie(rawHeaders: readonly string[]): string {
  const values = readCookie(rawHeaders, cookieName);
  const [attempt = ""] = values;
  return values.length === 1 && attempt.length <= attemptLengthMax ? attempt : "";
}

export function signInCookie(attempt: string, isSecure: boolean): string {
  return `${cookieName}=${attempt}; ${attributes}; Max-Age=${lifeSeconds}${isSecure ? "; Secure" : ""}`;
}

/** The `Set-Cookie` that takes the cookie away: a sign-in ends once. */
export function endedSignInCookie(): string {
  return `${cookieName}=; ${attributes}; Max-Age=0`;
}
