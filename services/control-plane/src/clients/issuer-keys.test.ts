import { exportJWK, generateKeyPair } from "jose";
import { expect, test } from "vitest";
import { IssuerKeys } from "./issuer-keys.ts";

const source = { id: 1, issuer: "https://id.example", jwksUrl: "https://id.example/jwks" };
const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;

const hostileKeys = [
  ["a kind that cannot be made a text", '{"kty":{"toString":1,"valueOf":1}}'],
  ["a member nested very deep", `{"kty":"RSA","x":${deep}}`],
  ["operations nested very deep", `{"kty":"RSA","key_ops":[${deep}]}`],
  ["a prototype", '{"kty":"EC","__proto__":{"kty":"oct"}}'],
  ["no form", "null"],
] as const;

test.each(hostileKeys)("an issuer's key with %s leaves the other keys in use", async (_what, hostile) => {
  const { publicKey } = await generateKeyPair("ES256");
  const key = { ...(await exportJWK(publicKey)), kid: "a", use: "sig", key_ops: ["verify"] };
  const text = `{"keys":[${hostile},${JSON.stringify(key)}]}`;
  const keys = new IssuerKeys(
    async () => await Promise.resolve(new Response(text)),
    () => 0,
  );
  expect(await keys.problem(source)).toBeUndefined();
  const { find } = await keys.current(source, 1_000);
  expect(await find({ alg: "ES256", kid: "a" })).toMatchObject({ type: "public" });
});
