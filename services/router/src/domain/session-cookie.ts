import { GatewayError } from "@gatehouse/errors";
import { isSessionId } from "@gatehouse/principal";
import { OwnCookie } from "./own-cookie.ts";

/** Path of the console's requests. */
const cookie = new OwnCookie("gatehouse_session", "Strict", "/control");

/**
 * Reads the console session's id from Node's `rawHeaders`; undefined: no cookie. Two cookies of this name are refused: without
 * TLS, a page of a sibling host may have set one.
 */
export function readSessionCookie(rawHeaders: readonly string[], isSecure: boolean): string | GatewayError | undefined {
  const [found, ...others] = cookie.read(rawHeaders, isSecure);
  if (others.length > 0) return sessionOver();
  return found === undefined || isSessionId(found) ? found : sessionOver();
}

/** `Set-Cookie` of a new session, valid until the browser closes or the session ends. */
export function sessionCookie(sessionId: string, isSecure: boolean): string {
  return cookie.set(sessionId, isSecure);
}

/** `Set-Cookie` that removes the session's cookie. `isSecure` decides the cookie's name, as when it was set. */
export function endedSessionCookie(isSecure: boolean): string {
  return cookie.end(isSecure);
}

/** Error `invalid_token` (401), the same for unknown, expired and ended sessions, so that callers cannot tell them apart. */
export function sessionOver(): GatewayError {
  return new GatewayError("invalid_token", "The session is over. Sign in again.");
}

/** Error `missing_token` (401) for a request without the session's cookie on a route that requires a session. */
export function noSession(): GatewayError {
  return new GatewayError("missing_token", "There is no session. Sign in with POST /control/session.");
}
