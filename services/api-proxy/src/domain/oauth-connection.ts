import { invalidArgument } from "@gatehouse/errors";
import type { Secret } from "@gatehouse/vault";

/** Grants that need no person in a browser (RFC 6749, sections 4.4 and 6). */
export const oauthGrants = ["client_credentials", "refresh_token"] as const;
/** The way in which a connection gets its access tokens. */
export type OauthGrant = (typeof oauthGrants)[number];

/** Place of the client's credentials in a token request (RFC 6749, section 2.3.1): a header, or the body. */
export type ClientAuth = "basic" | "post";

/** An administrator's settings of a connection. */
export interface NewOauthConnection {
  readonly name: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: Secret;
  readonly grant: OauthGrant;
  /** Token of the grant `refresh_token` only. */
  readonly refreshToken: Secret | undefined;
  readonly scopes: readonly string[];
}

/** Parameters of a token request. */
export interface TokenQuestion extends Omit<NewOauthConnection, "name"> {
  readonly clientAuth: ClientAuth;
}

/** A grant of a token endpoint. */
export interface TokenGrant {
  /** Place in which the endpoint took the client's secret. */
  readonly clientAuth: ClientAuth;
  readonly accessToken: Secret;
  /** A new one, in the place of the one that was used. */
  readonly refreshToken: Secret | undefined;
  readonly expiresInSeconds: number;
}

/** A connection as administrators see it: without secrets and tokens. */
export interface OauthConnection {
  readonly id: number;
  readonly projectUuid: string;
  readonly name: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  /** Where the secret is kept, for one that is kept elsewhere. */
  readonly clientSecretReference: string | null;
  readonly grant: string;
  readonly scopes: readonly string[];
  readonly status: string;
  /** Why the last refresh failed; empty where it did not. Never names a secret. */
  readonly lastError: string;
  /** When the access token in use was got; undefined where none ever was. */
  readonly refreshedAt: Date | undefined;
  /** End of the access token in use; undefined where none was ever got. */
  readonly expiresAt: Date | undefined;
  readonly createdAt: Date;
}

/** Bounds of a connection's settings, in characters. */
export const connectionBounds = {
  nameLengthMax: 200,
  textLengthMax: 8_192,
  scopesMax: 100,
  scopeLengthMax: 500,
} as const;

/** RFC 6749, section 3.3. */
export const scopePattern = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/**
 * The rules of a connection beyond the bounds of its fields, which the administration's table enforces.
 * @throws GatewayError `invalid_argument`
 */
export function checkGrant({ grant, refreshToken }: Pick<NewOauthConnection, "grant" | "refreshToken">): void {
  if (grant === "refresh_token" && refreshToken === undefined)
    throw invalidArgument("Missing required argument: refresh_token");
  if (grant === "client_credentials" && refreshToken !== undefined) {
    throw invalidArgument("refresh_token must be absent for the grant client_credentials");
  }
}
