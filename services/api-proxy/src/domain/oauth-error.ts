import { GatewayError, isGatewayError } from "@gatehouse/errors";

/** The 502 of an OAuth connection that gives no token. `detail` is read by callers: it names no secret. */
export function oauthFailed(detail: string, cause?: unknown): GatewayError {
  return new GatewayError("oauth_failed", "Upstream OAuth connection failed.", { details: { detail }, cause });
}

/** Error codes of token endpoints (RFC 6749, section 5.2). */
export function refusedWith(code: string, cause?: unknown): GatewayError {
  return oauthFailed(detailOf(code), cause);
}

/** Whether a token endpoint has refused with this `error` (RFC 6749, section 5.2). */
export function isRefusedWith(err: unknown, code: string): boolean {
  return isGatewayError(err) && err.code === "oauth_failed" && err.details["detail"] === detailOf(code);
}

/** The refusal of a refresh token: it has ended, or another one was got for it. */
export function isInvalidGrant(err: unknown): boolean {
  return isRefusedWith(err, "invalid_grant");
}

const reasonLengthMax = 500;

/** Why a connection has failed, for people; names no secret. */
export function reasonOf({ details, message }: GatewayError): string {
  const { detail = message } = details;
  return String(detail).slice(0, reasonLengthMax);
}

function detailOf(code: string): string {
  return `The token endpoint answered ${code}.`;
}
