import { GatewayError } from "@gatehouse/errors";

const headerName = "authorization";
const form = /^bearer[ \t]+(\S.*)$/i;

/**
 * Reads the Bearer token from Node's `rawHeaders` (names and values in turn). Another scheme, or a Bearer without a token, counts
 * as missing. Two headers are refused: a proxy before the router may have judged the other one.
 */
export function readBearerToken(rawHeaders: readonly string[]): string | GatewayError {
  let value: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length !== headerName.length || name.toLowerCase() !== headerName) continue;
    if (value !== undefined) return invalidFormat();
    value = rawHeaders[index + 1];
  }
  const [, token] = value === undefined ? [] : (form.exec(value.trim()) ?? []);
  return token ?? new GatewayError("missing_token", "Missing Bearer token.");
}

/** Error `invalid_token_format` (401) for a credential of the wrong form, which is not looked up. */
export function invalidFormat(): GatewayError {
  return new GatewayError("invalid_token_format", "Invalid token format.");
}

/** One message for unknown, revoked and expired tokens, so that callers cannot tell them apart. */
export function invalidToken(): GatewayError {
  return new GatewayError("invalid_token", "Invalid or revoked token.");
}
