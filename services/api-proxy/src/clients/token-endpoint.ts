import type { GuardedFetch } from "@gatehouse/egress";
import { type GatewayError, isGatewayError } from "@gatehouse/errors";
import { Secret } from "@gatehouse/vault";
import {
  allowInsecureRequests,
  type AuthorizationServer,
  type Client,
  type ClientAuth as ClientAuthMethod,
  ClientSecretBasic,
  ClientSecretPost,
  clientCredentialsGrantRequest,
  customFetch,
  processClientCredentialsResponse,
  processRefreshTokenResponse,
  refreshTokenGrantRequest,
  ResponseBodyError,
  type TokenEndpointResponse,
  UnsupportedOperationError,
  WWWAuthenticateChallengeError,
} from "oauth4webapi";
import type { ClientAuth, TokenGrant, TokenQuestion } from "../domain/oauth-connection.ts";
import { isRefusedWith, oauthFailed, refusedWith } from "../domain/oauth-error.ts";

/** Largest reply of a token endpoint: tokens have a few kilobytes, and this much is parsed in about a millisecond. */
export const tokenReplyBytesMax = 64 * 1_024;
/** Status of a reply with a token (RFC 6749, section 5.1). */
const tokenStatus = 200;
/** Lifetime of a token without `expires_in` (optional in RFC 6749, section 5.1). */
const lifeSecondsDefault = 3_600;
const lifeSecondsMax = 10 * 365 * 86_400;

/** Client of the addresses in `tokenUrl`, which tenants choose: its fetch must be behind the egress guard. */
export interface TokenEndpointClient {
  /**
   * Gets a token. Sends the client's secret in the header, which every server must accept (RFC 6749, section 2.3.1), or in the
   * body to servers that refuse that; returns which.
   * @throws GatewayError `oauth_failed` with a detail that contains no secret
   */
  grant(question: TokenQuestion): Promise<TokenGrant>;
}

/** Client of the token endpoints that tenants configure, through the guarded egress. */
export function createTokenEndpointClient(fetch: GuardedFetch): TokenEndpointClient {
  return {
    async grant(question) {
      try {
        return await ask(question, fetch);
      } catch (err) {
        if (question.clientAuth === "post" || !isRefusedClient(err)) throw err;
        return await ask({ ...question, clientAuth: "post" }, fetch);
      }
    },
  };
}

const methods: Readonly<Record<ClientAuth, (secret: string) => ClientAuthMethod>> = {
  basic: ClientSecretBasic,
  post: ClientSecretPost,
};

async function ask(question: TokenQuestion, send: GuardedFetch): Promise<TokenGrant> {
  const { tokenUrl, clientId, clientSecret, clientAuth, scopes, refreshToken } = question;
  const server: AuthorizationServer = { issuer: new URL(tokenUrl).origin, token_endpoint: tokenUrl };
  const client: Client = { client_id: clientId };
  let status: number | undefined;
  const noteStatus: GuardedFetch = async (...request) => {
    const reply = await send(...request);
    ({ status } = reply);
    return reply;
  };
  // The egress guard decides whether URLs without TLS are permitted.
  const options = { [customFetch]: noteStatus, [allowInsecureRequests]: true };
  try {
    const authenticate = methods[clientAuth](read(clientSecret));
    if (question.grant === "client_credentials") {
      const parameters: Record<string, string> = scopes.length === 0 ? {} : { scope: scopes.join(" ") };
      const reply = await clientCredentialsGrantRequest(server, client, authenticate, parameters, options);
      return toGrant(clientAuth, await processClientCredentialsResponse(server, client, await withoutIdToken(reply)));
    }
    const token = refreshToken === undefined ? "" : read(refreshToken);
    const reply = await refreshTokenGrantRequest(server, client, authenticate, token, options);
    return toGrant(clientAuth, await processRefreshTokenResponse(server, client, await withoutIdToken(reply)));
  } catch (err) {
    throw toOauthError(err, status);
  }
}

/** @throws GatewayError `oauth_failed` for a secret that cannot be read from its store */
function read(secret: Secret): string {
  try {
    return secret.reveal();
  } catch (err) {
    if (!isGatewayError(err)) throw err;
    throw oauthFailed("A secret of the connection cannot be read from its reference (env: or file:).", err);
  }
}

/** Removes the ID token, which needs no validation, since the signed-in person is irrelevant. */
async function withoutIdToken(reply: Response): Promise<Response> {
  const text = await reply.text();
  const { status, headers } = reply;
  return new Response(dropMember(text, "id_token"), { status, headers });
}

/** Removes a member from a JSON object; other text is unchanged, and refused later. */
function dropMember(text: string, name: string): string {
  if (!text.includes(name)) return text;
  try {
    const { [name]: _dropped, ...kept } = JSON.parse(text) as Record<string, unknown>;
    return JSON.stringify(kept);
  } catch {
    return text;
  }
}

function toGrant(
  clientAuth: ClientAuth,
  { access_token, refresh_token, expires_in }: TokenEndpointResponse,
): TokenGrant {
  // It becomes part of a header.
  if (!/^[\x21-\x7e]+$/.test(access_token))
    throw oauthFailed("The token endpoint returned an access token with characters other than visible ASCII.");
  return {
    clientAuth,
    accessToken: new Secret(access_token),
    refreshToken: refresh_token === undefined ? undefined : new Secret(refresh_token),
    expiresInSeconds: Math.min(expires_in ?? lifeSecondsDefault, lifeSecondsMax),
  };
}

/**
 * The 502 for every failure of a question, also of those that the library only names by a class. Drops free texts of token
 * endpoints, since some quote the request.
 * @param status of the reply; undefined where there was none
 */
function toOauthError(err: unknown, status: number | undefined): GatewayError {
  if (err instanceof ResponseBodyError) return refusedWith(toCode(err.error), err);
  if (err instanceof WWWAuthenticateChallengeError) return refusedWith("invalid_client", err);
  if (!isGatewayError(err)) return oauthFailed(faultOf(err, status), err);
  const { detail } = err.details;
  if (err.code === "oauth_failed") return err;
  if (err.code === "ssrf_blocked")
    return oauthFailed(`The token URL is blocked by the SSRF guard: ${String(detail)}`, err);
  return oauthFailed(`The token endpoint cannot be reached: ${String(detail ?? err.message)}`, err);
}

/** Fault of a reply that is no OAuth error, or of a question that could not be put. */
function faultOf(err: unknown, status: number | undefined): string {
  if (status === undefined)
    return "The token endpoint cannot be asked with this client_id, client_secret or refresh_token; an empty one is invalid.";
  if (status !== tokenStatus) return `The token endpoint answered with status ${status} and no OAuth error code.`;
  if (err instanceof UnsupportedOperationError)
    return "The token endpoint issued a token of another type than Bearer; configure it to issue Bearer tokens.";
  return "The token endpoint's reply is not valid OAuth 2.0 (RFC 6749, section 5).";
}

function toCode(error: string): string {
  return /^[a-z0-9_.:/-]{1,60}$/i.test(error) ? error : "an error";
}

function isRefusedClient(err: unknown): boolean {
  return isRefusedWith(err, "invalid_client") || isRefusedWith(err, "invalid_request");
}
