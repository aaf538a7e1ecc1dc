import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { expect, test } from "vitest";
import type { Issuer } from "../domain/issuer.ts";
import { IssuerKeys, issuerKeyBounds } from "./issuer-keys.ts";
import { JwtVerifier } from "./jwt-verifier.ts";

const issuer: Issuer = {
  id: 1,
  projectUuid: "0f8fad5b-d9cb-469f-a165-70867728950e",
  issuer: "https://id.example",
  audience: "gatehouse",
  scopes: ["chat"],
  scopeClaim: null,
  jwksUrl: "https://id.example/jwks",
  rateLimitPerMinute: null,
  rateLimitPerHour: null,
  createdAt: new Date(0),
};

async function createRig() {
  let elapsedMs = 1_000_000;
  let keys: unknown[] = [];
  let fetches = 0;
  let isFailing = false;
  let answering: Promise<void> = Promise.resolve();
  const fetch = async () => {
    fetches += 1;
    await answering;
    return await Promise.resolve(isFailing ? new Response("", { status: 500 }) : Response.json({ keys }));
  };
  const verifier = new JwtVerifier(new IssuerKeys(fetch, () => elapsedMs), Date.now);
  return {
    verifier,
    fetches: () => fetches,
    pass: (ms: number) => void (elapsedMs += ms),
    fail: (failing: boolean) => void (isFailing = failing),
    /** @returns a function that answers the fetches begun meanwhile */
    hang() {
      const { promise, resolve } = Promise.withResolvers<void>();
      answering = promise;
      return resolve;
    },
    async publish(kid: string) {
      const { privateKey, publicKey } = await generateKeyPair("ES256");
      keys = [{ ...(await exportJWK(publicKey)), kid }];
      const iss = issuer.issuer;
      return async (sub: string, header: { readonly typ?: string } = {}) =>
        await new SignJWT({ iss, sub, aud: "gatehouse" })
          .setProtectedHeader({ alg: "ES256", kid, ...header })
          .setExpirationTime("1h")
          .sign(privateKey);
    },
    verify: async (jwt: string) => await verifier.verify(jwt, [issuer]),
  };
}

test("a warm token costs no asymmetric cryptography and no fetch", async () => {
  const rig = await createRig();
  const jwt = await (await rig.publish("a"))("ann");
  for (let call = 0; call < 100; call += 1) expect(await rig.verify(jwt)).toMatchObject({ kind: "bearer" });
  expect([rig.verifier.signaturesChecked, rig.fetches()]).toEqual([1, 1]);
});

test("a rotated key is fetched when a token names it, and the old one is refused", async () => {
  const rig = await createRig();
  const old = await (await rig.publish("a"))("ann");
  await rig.verify(old);
  const signNext = await rig.publish("b");
  rig.pass(issuerKeyBounds.unknownKeyRestMs);
  expect(await rig.verify(await signNext("ann"))).toMatchObject({ kind: "bearer" });
  expect(rig.fetches()).toBe(2);
  expect(await rig.verify(old)).toMatchObject({ kind: "refused", message: expect.stringContaining("(kid)") });
});

test("a thousand tokens with unknown keys cause one fetch", async () => {
  const rig = await createRig();
  const first = await rig.publish("a");
  await rig.verify(await first("ann"));
  const stranger = await (await createRig()).publish("x");
  rig.pass(issuerKeyBounds.unknownKeyRestMs);
  const jwts = await Promise.all(Array.from({ length: 1_000 }, async (_, at) => await stranger(`s${at}`)));
  const verdicts = await Promise.all(jwts.map(async (jwt) => await rig.verify(jwt)));
  expect(verdicts.every(({ kind }) => kind === "refused")).toBe(true);
  expect(rig.fetches()).toBe(2);
});

test("keys that cannot be fetched again are used for a day, then no longer", async () => {
  const rig = await createRig();
  const jwt = await (await rig.publish("a"))("ann");
  await rig.verify(jwt);
  rig.fail(true);
  rig.pass(issuerKeyBounds.staleMs - 1);
  expect(await rig.verify(jwt)).toMatchObject({ kind: "bearer" });
  rig.pass(issuerKeyBounds.failureRestMs + 1);
  expect(await rig.verify(jwt)).toMatchObject({
    kind: "refused",
    message: expect.stringContaining("cannot be fetched"),
  });
  rig.fail(false);
  rig.pass(issuerKeyBounds.failureRestMs);
  expect(await rig.verify(jwt)).toMatchObject({ kind: "bearer" });
});

test("a call does not wait for an issuer that hangs, and its keys are used once they have come", async () => {
  const rig = await createRig();
  const jwt = await (await rig.publish("a"))("ann");
  const answer = rig.hang();
  expect(await rig.verify(jwt)).toMatchObject({
    kind: "refused",
    message: expect.stringContaining("cannot be fetched"),
  });
  answer();
  expect(await rig.verify(jwt)).toMatchObject({ kind: "bearer" });
  expect(rig.fetches()).toBe(1);
});

test.each([undefined, "JWT", "at+jwt", "application/at+JWT"])(
  "a token of the type %j is an access token",
  async (typ) => {
    const rig = await createRig();
    const jwt = await (await rig.publish("a"))("ann", typ === undefined ? {} : { typ });
    expect(await rig.verify(jwt)).toMatchObject({ kind: "bearer" });
  },
);

test.each(["logout+jwt", "secevent+jwt", "dpop+jwt", "JOSE", ""])(
  "a token of the type %j is for another use",
  async (typ) => {
    const rig = await createRig();
    const jwt = await (await rig.publish("a"))("ann", { typ });
    expect(await rig.verify(jwt)).toMatchObject({ kind: "refused", message: expect.stringContaining("(typ)") });
  },
);
