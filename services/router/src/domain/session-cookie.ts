import { GatewayError } from "@gatehouse/errors";
import { isSessionId } from "@gatehouse/principal";
import { OwnCookie } from "./own-cookie.ts";

/** The console's requests go there, and nothing else does. */
const cookie = new OwnCookie("gatehouse_session", "Strict", "/control");

/**
 * Takes the id of a console session out of a request's headers, given as Node's `rawHeaders`. Two cookies of this name are refused:
 * without TLS, a page of a sibling host may have set one of them. Undefined where there is none.
 */
export function readSessionCookie(rawHeaders: readonly string[], isSecure: boolean): string | GatewayError | undefined {
  const [found, ...others] = cookie.read(rawHeaders, isSecure);
  if (others.length > 0) return sessionOver();
  return found === undefined || isSessionId(found) ? found : sessionOver();
}

/** The `Set-Cookie` of a session that begins; it goes with the browser, and at the latest with the session. */
export function sessionCookie(sessionId: string, isSecure: boolean): string {
  return cookie.set(sessionId, isSecure);
}

/** The `Set-Cookie` that takes the cookie away. */
export function endedSessionCookie(isSecure: boolean): string {
  return cookie.end(isSecure);
}

/** One message for unknown, expired and ended sessions. */
export function sessionOver(): GatewayError {
  return new GatewayError("invalid_token", "The session is over. Sign in again.");
}

/** The refusal (401) of a request that needs a session and has none. */
export function noSession(): GatewayError {
  return new GatewayError("missing_token", "There is no session. Sign in with POST /control/session.");
}
