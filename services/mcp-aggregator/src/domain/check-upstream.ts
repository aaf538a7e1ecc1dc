import { GatewayError } from "@gatehouse/errors";

const tokenLengthMax = 8_192;
const urlLengthMax = 2_048;

/** Checks a token as far as a header can carry it. @throws GatewayError `invalid_argument`, quoting nothing of it. */
export function checkBearerToken(token: string): void {
  if (token.length > tokenLengthMax) {
    throw new GatewayError("invalid_argument", `bearer_token must have at most ${tokenLengthMax} characters`);
  }
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new GatewayError(
      "invalid_argument",
      "bearer_token must be printable ASCII without spaces, and without 'Bearer '",
    );
  }
}

/**
 * Checks a URL's form; where it may lead is for the SSRF guard to say.
 * @throws GatewayError `invalid_argument`
 */
export function checkUrlForm(text: string): void {
  if (text.length > urlLengthMax) {
    throw new GatewayError("invalid_argument", `url must have at most ${urlLengthMax} characters`);
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new GatewayError("invalid_argument", "url must be a URL that starts with http:// or https://");
  }
  if (url.username !== "" || url.password !== "") {
    throw new GatewayError("invalid_argument", "url must not carry credentials; use bearer_token");
  }
  if (url.hash !== "") throw new GatewayError("invalid_argument", "url must not have a fragment");
}
