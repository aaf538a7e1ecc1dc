import { createLocalJWKSet, type JWK } from "jose";
import { expect, test } from "vitest";
import type { IssuerKeys } from "../src/clients/issuer-keys.ts";
import { JwtVerifier } from "../src/clients/jwt-verifier.ts";
import { createKey, sign } from "./issuer-server.ts";

const owner = { id: 1, issuer: "https://id.example.com", jwksUrl: null };

const broken: readonly (readonly [string, Partial<JWK>])[] = [
  ["a point outside its curve", { x: "AAAA", y: "AAAA" }],
  ["a point that is too long", { x: "A".repeat(86) }],
  ["another curve", { crv: "P-521" }],
  ["no coordinates", { x: "", y: "" }],
  ["another kind", { kty: "OKP" }],
];

test.each(broken)("a token is refused where its issuer's key has %s", async (_what, change) => {
  const key = await createKey("k1");
  const set = { find: createLocalJWKSet({ keys: [{ ...key.publicJwk, ...change }] }), text: "" };
  const keys = {
    current: async () => await Promise.resolve(set),
    renewed: async () => await Promise.resolve(undefined),
  } as unknown as IssuerKeys;
  const verifier = new JwtVerifier(keys, Date.now);
  const verdict = await verifier.verifySignature(await sign({ sub: "a" }, key), owner, 1_000);
  expect(verdict?.kind ?? "refused").toBe("refused");
});
