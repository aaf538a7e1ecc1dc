import { invalidArgument } from "@gatehouse/errors";
import type { Secret } from "@gatehouse/vault";

/** Grants without a person at a browser (RFC 6749, sections 4.4 and 6). */
export const oauthGrants = ["client_credentials", "refresh_token"] as const;
/** Value of a connection's `grant`, which decides whether the connection must have a refresh token (`checkGrant`). */
export type OauthGrant = (typeof oauthGrants)[number];

/** Place of the client's credentials in a token request (RFC 6749, section 2.3.1): header or body. */
export type ClientAuth = "basic" | "post";

/** An administrator's settings of a connection. */
export interface NewOauthConnection {
  readonly name: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: Secret;
  readonly grant: OauthGrant;
  /** For the grant `refresh_token` only. */
  readonly refreshToken: Secret | undefined;
  readonly scopes: readonly string[];
}

/** One request to a token endpoint (RFC 6749, sections 4.4.2 and 6), with its secrets in plaintext or by reference. */
export interface TokenQuestion extends Omit<NewOauthConnection, "name"> {
  readonly clientAuth: ClientAuth;
}

/** Tokens of one successful reply (RFC 6749, section 5.1). `expiresInSeconds` is always set, and bounded. */
export interface TokenGrant {
  /** Place in which the endpoint accepted the client's secret. */
  readonly clientAuth: ClientAuth;
  readonly accessToken: Secret;
  /** A replacement for the used one, if any. */
  readonly refreshToken: Secret | undefined;
  readonly expiresInSeconds: number;
}

/** A connection without secrets and tokens, for administrators. */
export interface OauthConnection {
  readonly id: number;
  readonly projectUuid: string;
  readonly name: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  /** Reference to a secret in a secret store. */
  readonly clientSecretReference: string | null;
  readonly grant: string;
  readonly scopes: readonly string[];
  readonly status: string;
  /** Reason of the failed last renewal; empty after a success. Contains no secret. */
  readonly lastError: string;
  /** Time at which the present access token was obtained; undefined: none yet. */
  readonly refreshedAt: Date | undefined;
  /** Expiry of the present access token; undefined: none yet. */
  readonly expiresAt: Date | undefined;
  readonly createdAt: Date;
}

/** Lengths in characters. */
export const connectionBounds = {
  nameLengthMax: 200,
  textLengthMax: 8_192,
  scopesMax: 100,
  scopeLengthMax: 500,
} as const;

/** RFC 6749, section 3.3. */
export const scopePattern = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/**
 * Checks a connection beyond the bounds of its fields, which the administration's table enforces.
 * @throws GatewayError `invalid_argument`
 */
export function checkGrant({ grant, refreshToken }: Pick<NewOauthConnection, "grant" | "refreshToken">): void {
  if (grant === "refresh_token" && refreshToken === undefined)
    throw invalidArgument("Missing required argument: refresh_token");
  if (grant === "client_credentials" && refreshToken !== undefined) {
    throw invalidArgument("refresh_token must be absent for the grant client_credentials");
  }
}
