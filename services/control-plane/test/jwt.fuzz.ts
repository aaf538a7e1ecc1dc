import assert from "node:assert/strict";
import { createLocalJWKSet, errors } from "jose";
import type { IssuerKeys, KeySet } from "../src/clients/issuer-keys.ts";
import { JwtVerifier } from "../src/clients/jwt-verifier.ts";
import type { Issuer } from "../src/domain/issuer.ts";
import { createKey, forge, sign } from "./issuer-server.ts";
import { jsonOf } from "./json-of.ts";

const issuer: Issuer = {
  id: 1,
  projectUuid: "3f2a6c1e-0f5b-4d3e-9a51-2f6f0c9b7d10",
  issuer: "https://id.example.com",
  audience: "gatehouse",
  scopes: ["chat"],
  scopeClaim: null,
  jwksUrl: "https://id.example.com/jwks",
  rateLimitPerMinute: null,
  rateLimitPerHour: null,
  createdAt: new Date(0),
};
const expiresAt = 4_000_000_000;
const claims = { iss: issuer.issuer, aud: issuer.audience, sub: "somebody", exp: expiresAt, iat: 1, scope: "chat" };

const key = await createKey("k1");
const keySet = { find: createLocalJWKSet({ keys: [key.publicJwk] }), text: "" };
const verifier = createVerifier(keySet);
const signed = await sign(claims, key);
const other = await sign(claims, await createKey("k1"));

/** A verifier for an issuer with these keys only. */
function createVerifier(set: KeySet): JwtVerifier {
  const keys = {
    current: async () => await Promise.resolve(set),
    renewed: async () => await Promise.resolve(undefined),
  };
  return new JwtVerifier(keys as unknown as IssuerKeys, () => 1_700_000_000_000);
}

/** Base64 has spare bits: texts that decode to the same bytes are the same signature. */
function sameSignature(jwt: string): boolean {
  const [header, payload, signature = ""] = jwt.split(".");
  const [signedHeader, signedPayload, own = ""] = signed.split(".");
  if (header !== signedHeader || payload !== signedPayload) return false;
  return Buffer.from(signature, "base64url").equals(Buffer.from(own, "base64url"));
}

/** Only the signed text identifies a bearer; every other one is refused with a message. */
async function verify(bytes: Buffer): Promise<void> {
  const jwt = bytes.toString("latin1");
  const verdict = await verifier.verify(jwt, [issuer]);
  if (verdict.kind !== "refused") assert.ok(sameSignature(jwt), "a text that nobody signed is believed");
}

/** An issuer's keys become a set, or are refused with jose's errors; tokens signed by others are refused. */
async function readKeys(bytes: Buffer): Promise<void> {
  const json = jsonOf(bytes);
  if (typeof json !== "object" || json === null) return;
  const hostile = createVerifier({ find: createLocalJWKSet(json as never), text: "" });
  const verdict = await hostile.verify(signed, [issuer]);
  assert.ok(typeof verdict.kind === "string");
}

export const fuzzTargets = [
  {
    name: "jwt",
    seeds: [
      signed,
      other,
      forge({ alg: "none" }, claims),
      forge({ alg: "HS256", typ: "at+jwt" }, claims, "x"),
      forge({ alg: "ES256", crit: ["b64"], b64: false }, claims, "x"),
    ],
    words: [".", "eyJhbGciOiJFUzI1NiJ9", "eyJhbGciOiJub25lIn0", "e30", "=="],
    run: verify,
    isDeclared: () => false,
  },
  {
    name: "issuer-keys",
    seeds: [
      JSON.stringify({ keys: [key.publicJwk] }),
      '{"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB","kid":"k1"}]}',
      '{"keys":[]}',
    ],
    words: ['"kty":"EC"', '"kty":"OKP"', '"kid":"k1"', '"use":"enc"', '"alg":"ES256"', "null", "[]"],
    run: readKeys,
    isDeclared: (err: unknown) => err instanceof errors.JOSEError,
  },
];
