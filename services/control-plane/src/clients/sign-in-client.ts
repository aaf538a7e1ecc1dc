import type { GuardedFetch } from "@gatehouse/egress";
import { isGatewayError } from "@gatehouse/errors";
import {
  allowInsecureRequests,
  AuthorizationResponseError,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  clockTolerance,
  type Configuration,
  customFetch,
  discovery,
  fetchUserInfo,
  None,
  ResponseBodyError,
} from "openid-client";
import { clockSkewSeconds } from "../domain/jwt-claims.ts";
import type { SignInClaims } from "../domain/sign-in/grant-of-claims.ts";
import type { SignInSecrets } from "../domain/sign-in/sign-in-attempt.ts";
import type { SignInProvider, SignInRefusal } from "../domain/sign-in/sign-in-provider.ts";
import type { JwtVerifier } from "./jwt-verifier.ts";

const signInClientBounds = {
  /** Age from which a provider's discovery document is read again. */
  metadataFreshMs: 15 * 60_000,
  /** Pause after a failed discovery, since unauthenticated clients may start sign-ins. */
  failureRestMs: 2_000,
  /** Bound of one request to a provider. */
  timeoutSeconds: 5,
} as const;

/** Result of a sign-in: the claims about the person, or a refusal with a detail for the log. */
type SignInAnswer =
  | { readonly kind: "person"; readonly issuer: string; readonly subject: string; readonly claims: SignInClaims }
  | RefusedAnswer;

interface RefusedAnswer {
  readonly kind: "refused";
  readonly refusal: SignInRefusal;
  /** Contains no secret, token or code. */
  readonly detail: string;
}

interface Known {
  readonly configuration: Configuration | undefined;
  readonly atMs: number;
  readonly failure: RefusedAnswer | undefined;
}

/**
 * OpenID Connect client of the operator's identity providers: authorization code with PKCE (OpenID Connect Core 1.0, section
 * 3.1).
 */
export class SignInClient {
  readonly #fetch: GuardedFetch;
  readonly #verifier: Pick<JwtVerifier, "verifySignature">;
  /** Monotonic milliseconds. */
  readonly #elapsedMs: () => number;
  readonly #known = new Map<string, Known>();
  readonly #flights = new Map<string, Promise<Known>>();

  constructor(fetch: GuardedFetch, verifier: Pick<JwtVerifier, "verifySignature">, elapsedMs: () => number) {
    this.#fetch = fetch;
    this.#verifier = verifier;
    this.#elapsedMs = elapsedMs;
  }

  /** The provider's URL at which the browser signs in. */
  async authorizationUrl(
    provider: SignInProvider,
    redirectUri: string,
    { state, nonce, codeVerifier }: SignInSecrets,
  ): Promise<{ readonly kind: "url"; readonly url: string } | RefusedAnswer> {
    const configuration = await this.#configure(provider);
    if ("kind" in configuration) return configuration;
    const url = buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: ["openid", ...provider.scopes].join(" "),
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: "S256",
    });
    return { kind: "url", url: url.href };
  }

  /** @param callback URL to which the provider sent the browser */
  async finish(provider: SignInProvider, callback: URL, secrets: SignInSecrets): Promise<SignInAnswer> {
    const configuration = await this.#configure(provider);
    if ("kind" in configuration) return configuration;
    try {
      return await this.#redeem(configuration, callback, secrets);
    } catch (err) {
      return toRefusal(err);
    }
  }

  async #redeem(
    configuration: Configuration,
    callback: URL,
    { state, nonce, codeVerifier }: SignInSecrets,
  ): Promise<SignInAnswer> {
    const tokens = await authorizationCodeGrant(configuration, callback, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: codeVerifier,
      idTokenExpected: true,
    });
    const idToken = tokens.id_token ?? "";
    const { issuer, jwks_uri: jwksUrl = null, userinfo_endpoint: userInfo } = configuration.serverMetadata();
    // The token endpoint's TLS would suffice (section 3.1.3.7); the signature also protects where a proxy ends TLS.
    const waitMs = signInClientBounds.timeoutSeconds * 1_000;
    const verified = await this.#verifier.verifySignature(idToken, { id: 0, issuer, jwksUrl }, waitMs);
    if (verified === undefined) return failed("The ID token's signature is not valid.");
    if (verified.kind === "refused") return failed(verified.message);
    const subject = verified.claims["sub"];
    if (typeof subject !== "string" || subject === "") return failed("The ID token names no subject (sub).");
    const further = userInfo === undefined ? {} : await fetchUserInfo(configuration, tokens.access_token, subject);
    return { kind: "person", issuer, subject, claims: { ...further, ...verified.claims } };
  }

  async #configure(provider: SignInProvider): Promise<Configuration | RefusedAnswer> {
    const known = this.#known.get(provider.id);
    const ageMs = this.#elapsedMs() - (known?.atMs ?? Number.NEGATIVE_INFINITY);
    const { metadataFreshMs, failureRestMs } = signInClientBounds;
    if (known !== undefined && ageMs < (known.failure === undefined ? metadataFreshMs : failureRestMs)) {
      return usable(known);
    }
    const flight = this.#flights.get(provider.id) ?? this.#discover(provider, known?.configuration);
    this.#flights.set(provider.id, flight);
    try {
      return usable(await flight);
    } finally {
      this.#flights.delete(provider.id);
    }
  }

  /** The last known metadata stays in use while a provider cannot be read. */
  async #discover(provider: SignInProvider, former: Configuration | undefined): Promise<Known> {
    const { issuer, clientId, clientSecret } = provider;
    try {
      const metadata = { [clockTolerance]: clockSkewSeconds };
      const isPlain = new URL(issuer).protocol === "http:";
      const configuration = await discovery(new URL(issuer), clientId, metadata, authenticationOf(clientSecret), {
        [customFetch]: async (url, { body, ...init }) =>
          await this.#fetch(url, body === undefined || body === null ? init : { ...init, body }),
        timeout: signInClientBounds.timeoutSeconds,
        execute: isPlain ? [allowInsecureRequests] : [],
      });
      const known = { configuration, atMs: this.#elapsedMs(), failure: undefined };
      this.#known.set(provider.id, known);
      return known;
    } catch (err) {
      const { detail } = toRefusal(err);
      const known = { configuration: former, atMs: this.#elapsedMs(), failure: unavailable(detail) };
      this.#known.set(provider.id, known);
      return known;
    }
  }
}

function usable({ configuration, failure }: Known): Configuration | RefusedAnswer {
  return configuration ?? failure ?? unavailable("");
}

/** Reads the secret for each request, since a referenced one may be rotated. */
function authenticationOf(secret: SignInProvider["clientSecret"]): ClientAuth {
  if (secret === undefined) return None();
  return (...request) => {
    const [{ token_endpoint_auth_methods_supported: methods = ["client_secret_basic"] }] = request;
    const method = methods.includes("client_secret_basic") ? ClientSecretBasic : ClientSecretPost;
    method(secret.reveal())(...request);
  };
}

/** Refusals that the person can act on (RFC 6749, section 4.1.2.1; OpenID Connect Core 1.0, section 3.1.2.6). */
const declinedCodes: ReadonlySet<string> = new Set([
  "access_denied",
  "login_required",
  "consent_required",
  "interaction_required",
  "account_selection_required",
]);
const unavailableCodes: ReadonlySet<string> = new Set(["server_error", "temporarily_unavailable"]);

function toRefusal(err: unknown): RefusedAnswer {
  if (err instanceof AuthorizationResponseError) {
    const detail = `The provider answered ${asCode(err.error)}.`;
    if (declinedCodes.has(err.error)) return { kind: "refused", refusal: "declined", detail };
    return unavailableCodes.has(err.error) ? unavailable(detail) : failed(detail);
  }
  if (err instanceof ResponseBodyError) return failed(`The token endpoint answered ${asCode(err.error)}.`);
  const foreign = causeThat(err, isGatewayError);
  if (foreign !== undefined) return unavailable(String(foreign.details["detail"] ?? foreign.message));
  const timeout = causeThat(err, isTimeout);
  if (timeout !== undefined) return unavailable("The provider did not answer in time.");
  // The library's message names the failed check, never the value.
  if (err instanceof Error && "code" in err) return failed(`${asCode(err.code)}: ${err.message.slice(0, 200)}`);
  throw err;
}

function causeThat<T>(err: unknown, is: (value: unknown) => value is T): T | undefined {
  let value = err;
  for (let depth = 0; depth < 5 && value !== undefined; depth += 1) {
    if (is(value)) return value;
    value = value instanceof Error ? value.cause : undefined;
  }
  return undefined;
}

function isTimeout(value: unknown): value is Error {
  return value instanceof Error && ["TimeoutError", "AbortError"].includes(value.name);
}

function asCode(code: unknown): string {
  return typeof code === "string" && /^\w{1,64}$/.test(code) ? code : "an unknown error";
}

function failed(detail: string): RefusedAnswer {
  return { kind: "refused", refusal: "failed", detail };
}

function unavailable(detail: string): RefusedAnswer {
  return { kind: "refused", refusal: "unavailable", detail };
}
