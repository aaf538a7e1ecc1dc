import { GatewayError, isGatewayError } from "@gatehouse/errors";

/** The 502 for an OAuth connection without a token. Callers read `detail`: it must contain no secret. */
export function oauthFailed(detail: string, cause?: unknown): GatewayError {
  return new GatewayError("oauth_failed", "Upstream OAuth connection failed.", { details: { detail }, cause });
}

/** The 502 for an OAuth connection that was deleted while a call used it. */
export function connectionGone(): GatewayError {
  return oauthFailed("The OAuth connection no longer exists.");
}

/** Error by a token endpoint's `error` code (RFC 6749, section 5.2). */
export function refusedWith(code: string, cause?: unknown): GatewayError {
  return oauthFailed(detailOf(code), cause);
}

/** Whether a token endpoint has refused with this `error` code (RFC 6749, section 5.2). */
export function isRefusedWith(err: unknown, code: string): boolean {
  return isGatewayError(err) && err.code === "oauth_failed" && err.details["detail"] === detailOf(code);
}

/** Whether the refresh token is invalid: expired, or replaced by another. */
export function isInvalidGrant(err: unknown): boolean {
  return isRefusedWith(err, "invalid_grant");
}

const reasonLengthMax = 500;

/** Why a connection has failed, for people; contains no secret. */
export function reasonOf({ details, message }: GatewayError): string {
  const { detail = message } = details;
  return String(detail).slice(0, reasonLengthMax);
}

function detailOf(code: string): string {
  return `The token endpoint answered ${code}.`;
}
