import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { hashToken } from "@gatehouse/principal";
import { Secret } from "@gatehouse/vault";
import { SignJWT } from "jose";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { run, startControlPlane, type TestControlPlane } from "./control-plane.ts";
import { createKey, forge, type SigningKey } from "./issuer-server.ts";

const publicUrl = "https://gateway.example.com";
const subject = "ann";
let plane: TestControlPlane;
let server: Server;
let issuer: string;
let key: SigningKey;
let published: SigningKey[];
/** Makes the ID token of the next answer; the test's provider accepts its code repeatedly. */
let makeIdToken: (claims: Claims) => Promise<string>;
let asked: URLSearchParams[];

type Claims = Readonly<Record<string, unknown>>;

const seconds = () => Math.floor(Date.now() / 1_000);
const sign = async (claims: Claims, by = key) =>
  await new SignJWT({ ...claims }).setProtectedHeader({ alg: by.alg, kid: by.kid }).sign(by.privateKey);

beforeAll(async () => {
  const reply = async (res: ServerResponse, path: string, body: string) => {
    const value = await answer(path, body);
    const status = value === undefined ? 404 : 200;
    res.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value ?? {}));
  };
  server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on("data", (chunk: Buffer) => chunks.push(chunk));
    req.on("end", () => void reply(res, req.url ?? "", Buffer.concat(chunks).toString()));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  key = await createKey("k1", "RS256");
  const rules = [{ claim: "groups", has: "platform", role: "owner", projects: null } as const];
  const provider = {
    id: "corp",
    name: "Corp",
    issuer,
    clientId: "gatehouse",
    clientSecret: new Secret("s3cret"),
    scopes: [],
    rules,
  };
  const signIn = { publicUrl, providers: [{ ...provider, nameClaim: "email" }] };
  plane = await startControlPlane({ config: { signIn } });
});

beforeEach(() => {
  published = [key];
  makeIdToken = async (claims) => await sign(claims);
  asked = [];
});

afterAll(async () => {
  await plane.stop();
  server.close();
  server.closeAllConnections();
});

let nonce = "";

async function answer(path: string, body: string): Promise<object | undefined> {
  if (path === "/jwks") return { keys: published.map(({ publicJwk }) => publicJwk) };
  if (path === "/.well-known/openid-configuration") {
    const endpoints = {
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
    };
    return { issuer, ...endpoints, response_types_supported: ["code"], code_challenge_methods_supported: ["S256"] };
  }
  if (path !== "/token") return undefined;
  asked.push(new URLSearchParams(body));
  const claims = {
    iss: issuer,
    aud: "gatehouse",
    sub: subject,
    nonce,
    iat: seconds(),
    exp: seconds() + 300,
    groups: ["platform"],
  };
  return { access_token: "a", token_type: "Bearer", id_token: await makeIdToken(claims) };
}

/** Starts a sign-in; returns the callback URL of the provider. */
async function begin() {
  const { authorizationUrl, attempt } = await plane.principals.startSignIn({ providerId: "corp" });
  const parameters = new URL(authorizationUrl).searchParams;
  nonce = parameters.get("nonce") ?? "";
  return { attempt, parameters, query: `code=c&state=${parameters.get("state")}` };
}

const finish = async ({ attempt, query }: { attempt: string; query: string }) =>
  await plane.principals.finishSignIn({ providerId: "corp", attempt, query, ipAddress: "::1", userAgent: "Firefox" });

test("a sign-in uses a code with PKCE, and sends the verifier with the code", async () => {
  const started = await begin();
  expect(Object.fromEntries(started.parameters)).toMatchObject({
    response_type: "code",
    client_id: "gatehouse",
    redirect_uri: `${publicUrl}/control/sign-in/corp/callback`,
    code_challenge_method: "S256",
    scope: "openid",
  });
  const { session, sessionId, refusal } = await finish(started);
  expect([refusal, session?.adminKey?.name, session?.adminKey?.role]).toEqual(["", `person:${subject}`, "owner"]);
  expect(sessionId).toMatch(/^[\w-]{43}$/);
  expect(asked[0]?.get("code_verifier")).toMatch(/^[\w-]{43}$/);
  const { providers } = await plane.principals.listSignInProviders({});
  expect(providers).toEqual([{ id: "corp", name: "Corp" }]);
});

test("an attempt gives one session, even if the provider accepts a code twice", async () => {
  const started = await begin();
  const both = await Promise.all([finish(started), finish(started)]);
  expect(both.map(({ refusal }) => refusal).toSorted()).toEqual(["", "expired"]);
  expect((await finish(started)).refusal).toBe("expired");
});

const changed =
  (change: Claims): typeof makeIdToken =>
  async (claims) =>
    await sign({ ...claims, ...change });

test.each<[string, () => typeof makeIdToken]>([
  ["for another audience", () => changed({ aud: "another" })],
  ["for several audiences and another party", () => changed({ aud: ["gatehouse", "another"], azp: "another" })],
  ["of another issuer", () => changed({ iss: "https://evil.example.com" })],
  ["with another nonce", () => changed({ nonce: "another" })],
  ["without a nonce", () => changed({ nonce: undefined })],
  ["that has expired", () => changed({ exp: seconds() - 60 })],
  ["that is not valid yet", () => changed({ nbf: seconds() + 120 })],
  ["without a subject", () => changed({ sub: undefined })],
  ["without a signature", () => async (claims) => forge({ alg: "none" }, claims)],
  ["with a signature of nothing", () => async (claims) => forge({ alg: "RS256", kid: "k1" }, claims, "AAAA")],
  [
    "signed with the public key as a secret",
    () => async (claims) =>
      await new SignJWT({ ...claims }).setProtectedHeader({ alg: "HS256", kid: "k1" }).sign(Buffer.from(key.publicPem)),
  ],
  [
    "signed with a key that is not published",
    () => async (claims) => await sign(claims, await createKey("k9", "RS256")),
  ],
  ["that is too large", () => changed({ padding: "x".repeat(20_000) })],
])("an ID token %s is refused", async (_what, make) => {
  makeIdToken = make();
  const { refusal, session } = await finish(await begin());
  expect([refusal, session]).toEqual(["failed", undefined]);
});

test.each([-25, 25])("a clock difference of %d s is accepted", async (skew) => {
  makeIdToken = changed({ iat: seconds() + skew, nbf: seconds() + skew, exp: seconds() + (skew < 0 ? skew : 300) });
  expect((await finish(await begin())).refusal).toBe("");
});

test("a person without a role is refused, and delayed", async () => {
  makeIdToken = changed({ sub: "eve", groups: [] });
  const refusals: string[] = [];
  for (let count = 0; count < 8; count += 1) refusals.push((await finish(await begin())).refusal);
  expect(refusals.slice(0, 5)).toEqual(Array.from({ length: 5 }, () => "not_allowed"));
  expect(refusals).toContain("too_many");
});

test("a person has no admin key to rotate or revoke", async () => {
  await finish(await begin());
  const { console_sessions: sessions } = await run<{ console_sessions: { name: string; admin_key_id: number }[] }>(
    plane.service,
    "svc_list_console_sessions",
    {},
  );
  const id = sessions.find(({ name }) => name === `person:${subject}`)?.admin_key_id;
  for (const operation of ["svc_rotate_admin_key", "svc_revoke_admin_key"]) {
    await expect(async () => await run(plane.service, operation, { admin_key_id: id })).rejects.toThrow(
      `Admin key not found: ${id}`,
    );
  }
  await expect(
    async () => await run(plane.service, "svc_create_admin_key", { name: "person:ann", role: "viewer" }),
  ).rejects.toThrow("name must not begin with 'person:'");
});

test("a person to whom no rule grants a role any longer loses earlier sessions", async () => {
  const first = await finish(await begin());
  const second = await finish(await begin());
  const sessions = [first, second].map(({ sessionId }) => hashToken(sessionId));
  const find = async (sessionHash: Buffer) => (await plane.principals.resolveSession({ sessionHash })).session;
  for (const session of sessions) expect(await find(session)).toBeDefined();
  makeIdToken = changed({ groups: ["visitors"], sub: "bob" });
  expect((await finish(await begin())).refusal).toBe("not_allowed");
  for (const session of sessions) expect(await find(session)).toBeDefined();
  makeIdToken = changed({ groups: ["visitors"] });
  expect((await finish(await begin())).refusal).toBe("not_allowed");
  for (const session of sessions) expect(await find(session)).toBeUndefined();
});

test("a person can sign in although others have the same name", async () => {
  const named = async (sub: string, email: string) => {
    makeIdToken = changed({ sub, email, email_verified: true });
    const { session, refusal } = await finish(await begin());
    expect(refusal).toBe("");
    return session?.adminKey?.name;
  };
  await named("s1", "dora");
  await named("s2", "dora (dora-7)");
  await named("s3", `dora (dora-7 at ${issuer})`);
  expect(await named("dora-7", "dora")).toBe(`person:dora (dora-7 at ${issuer}) #2`);
  expect(await named("dora-7", "dora")).toBe(`person:dora (dora-7 at ${issuer}) #2`);
});

// Last, since the former key stays unknown for some seconds.
test("a key that the provider has changed is fetched", async () => {
  const next = await createKey("k2", "RS256");
  await finish(await begin());
  published = [next];
  makeIdToken = async (claims) => await sign(claims, next);
  await expect.poll(async () => (await finish(await begin())).refusal, { timeout: 10_000, interval: 500 }).toBe("");
});
