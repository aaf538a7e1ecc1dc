import { createHash } from "node:crypto";
import { BoundedCache } from "@gatehouse/bounded-cache";
import { isGatewayError } from "@gatehouse/errors";
import { isJwtForm, jwtLengthMax, malformedJwt, oversizedJwt } from "@gatehouse/principal";
import { compactVerify, decodeJwt, decodeProtectedHeader, errors } from "jose";
import type { Issuer } from "../domain/issuer.ts";
import {
  type Claims,
  type JwtBearer,
  type JwtRefusal,
  judgeClaims,
  refused,
  untrustedIssuer,
} from "../domain/jwt-claims.ts";
import { type IssuerKeys, issuerKeyBounds, type KeySet } from "./issuer-keys.ts";

/** Cached verified signatures; about a kilobyte each. */
const verifiedMax = 20_000;

/** Asymmetric algorithms only: with a symmetric one, anyone could sign with the public key. */
const algorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];

/**
 * Types (`typ`) of access tokens, in lower case: RFC 9068, section 2.1, and the general types of JWTs (RFC 7519, section 5.1),
 * which most providers use. Other types have other purposes (RFC 8725, section 3.11), such as `logout+jwt` or `dpop+jwt`.
 */
const accessTokenTypes = ["jwt", "application/jwt", "at+jwt", "application/at+jwt"];

/** A JWT with a valid signature and valid claims, and its issuer. */
export interface VerifiedJwt extends JwtBearer {
  readonly issuer: Issuer;
}

interface Verified {
  readonly keys: KeySet;
  readonly claims: Claims;
}

/**
 * Verifies JWTs of trusted issuers. While the keys stay the same, a verified signature is cached and only the claims are checked
 * again.
 */
export class JwtVerifier {
  readonly #keys: IssuerKeys;
  readonly #wallNow: () => number;
  readonly #verified = new BoundedCache<string, Verified>(verifiedMax);
  /** Number of signatures checked. */
  signaturesChecked = 0;

  constructor(keys: IssuerKeys, wallNow: () => number) {
    this.#keys = keys;
    this.#wallNow = wallNow;
  }

  /** @param trusted issuers of the project that the token is sent to */
  async verify(jwt: string, trusted: readonly Issuer[]): Promise<VerifiedJwt | JwtRefusal> {
    const read = readUnverified(jwt);
    if (read.kind === "refused") return read;
    if (!isAccessTokenType(read.type)) return refused("Token is not an access token (typ).");
    const issuer = trusted.find((each) => each.issuer === read.claims["iss"]);
    if (issuer === undefined) return untrustedIssuer;
    const problem = judgeClaims(read.claims, issuer, new Date(this.#wallNow()));
    if (problem.kind === "refused") return problem;
    const claims = await this.verifySignature(jwt, issuer, issuerKeyBounds.callWaitMs);
    if (claims === undefined) return refused("Token's signature is not valid.");
    if (claims.kind === "refused") return claims;
    const bearer = judgeClaims(claims.claims, issuer, new Date(this.#wallNow()));
    return bearer.kind === "refused" ? bearer : { ...bearer, issuer };
  }

  /**
   * Verifies the signature alone; the caller checks the claims. Undefined: invalid signature.
   * @param waitMs for keys that must be fetched
   */
  async verifySignature(jwt: string, issuer: KeyOwner, waitMs: number): Promise<ReadJwt | JwtRefusal | undefined> {
    const unverified = readUnverified(jwt);
    if (unverified.kind === "refused") return unverified;
    let keys: KeySet;
    try {
      keys = await this.#keys.current(issuer, waitMs);
    } catch (err) {
      if (!isGatewayError(err)) throw err;
      return refused("Token cannot be verified: the keys of its issuer cannot be fetched at the moment.");
    }
    const found = await this.#check(jwt, issuer, keys);
    if (found !== "unknown_key") return found;
    const renewed = await this.#keys.renewed(issuer, keys, waitMs);
    const again = renewed === undefined ? "unknown_key" : await this.#check(jwt, issuer, renewed);
    return again === "unknown_key" ? refused("Token is signed with a key (kid) that its issuer does not have.") : again;
  }

  async #check(jwt: string, { id }: KeyOwner, keys: KeySet): Promise<ReadJwt | JwtRefusal | "unknown_key" | undefined> {
    const name = createHash("sha256").update(`${id} ${jwt}`).digest("base64");
    const known = this.#verified.get(name);
    if (known?.keys === keys) return { kind: "read", claims: known.claims };
    this.signaturesChecked += 1;
    try {
      const { payload } = await compactVerify(jwt, keys.find, { algorithms });
      const claims = JSON.parse(Buffer.from(payload).toString("utf8")) as Claims;
      this.#verified.set(name, { keys, claims });
      return { kind: "read", claims };
    } catch (err) {
      if (err instanceof errors.JWKSNoMatchingKey) return "unknown_key";
      if (err instanceof errors.JWKSMultipleMatchingKeys) {
        return refused("Token names no key (kid), and its issuer has several of its kind.");
      }
      if (isRefusal(err)) return undefined;
      throw err;
    }
  }
}

/** Errors of tokens and of unusable keys, including the platform's errors for an issuer's key without a point or a modulus. */
function isRefusal(err: unknown): boolean {
  return (
    err instanceof errors.JOSEError ||
    err instanceof TypeError ||
    err instanceof SyntaxError ||
    err instanceof DOMException
  );
}

/** Issuer whose keys sign its JWTs. */
type KeyOwner = Pick<Issuer, "id" | "issuer" | "jwksUrl">;

interface ReadJwt {
  readonly kind: "read";
  readonly claims: Claims;
}

interface UnverifiedJwt extends ReadJwt {
  readonly type: unknown;
}

function isAccessTokenType(type: unknown): boolean {
  return type === undefined || (typeof type === "string" && accessTokenTypes.includes(type.toLowerCase()));
}

/** Reads unverified claims, to refuse a token with a clear message before keys are fetched. */
function readUnverified(jwt: string): UnverifiedJwt | JwtRefusal {
  if (jwt.length > jwtLengthMax) return refused(oversizedJwt);
  if (!isJwtForm(jwt)) return refused(malformedJwt);
  try {
    const { alg, b64, crit, typ } = decodeProtectedHeader(jwt);
    if (typeof alg !== "string" || !algorithms.includes(alg) || b64 === false) {
      return refused(`Token is not signed in a way that is accepted (alg). Accepted are ${algorithms.join(", ")}.`);
    }
    // RFC 7515, section 4.1.11: a list of extensions that must be understood; there are none, and an empty list is malformed.
    if (crit !== undefined) return refused("Token requires extensions (crit), and none is supported.");
    return { kind: "read", claims: decodeJwt(jwt), type: typ };
  } catch (err) {
    if (err instanceof errors.JOSEError || err instanceof TypeError) return refused(malformedJwt);
    throw err;
  }
}
