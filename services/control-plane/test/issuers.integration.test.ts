import { createHmac } from "node:crypto";
import type { JWTPayload } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { refusal, run, startControlPlane, type TestControlPlane } from "./control-plane.ts";
import { createKey, forge, type IssuerServer, sign, type SigningKey, startIssuer } from "./issuer-server.ts";

let plane: TestControlPlane;
let idp: IssuerServer;
let key: SigningKey;
let project: string;
let issuer: { readonly id: number };
let nowMs = Date.parse("2030-01-01T00:00:00Z");

beforeAll(async () => {
  plane = await startControlPlane({ wallNow: () => nowMs });
  idp = await startIssuer();
  key = await createKey("first");
  idp.keys = [key.publicJwk];
  project = await createProject();
  issuer = await trust(project);
});

afterAll(async () => {
  await plane.stop();
  idp.close();
});

async function createProject(args: object = {}): Promise<string> {
  const wanted = { name: "Shop", project_type: "ai_gateway", ...args };
  return (await run<{ uuid: string }>(plane.service, "svc_create_project", wanted)).uuid;
}

async function trust(of: string, args: object = {}) {
  const wanted = { project: of, issuer: idp.url, audience: "gatehouse", scopes: ["chat", "mcp"], ...args };
  return await run<{ id: number; warning: string | null }>(plane.service, "svc_create_issuer", wanted);
}

const seconds = () => Math.floor(nowMs / 1_000);
const claims = (changes: JWTPayload = {}): JWTPayload => ({
  iss: idp.url,
  aud: "gatehouse",
  sub: "ann",
  exp: seconds() + 600,
  ...changes,
});
const resolve = async (jwt: string, of = project) => await plane.principals.resolveJwt({ projectUuid: of, jwt });
const refusedAs = async (jwt: string, of = project) => {
  const { principal, refusal: message } = await resolve(jwt, of);
  expect(principal).toBeUndefined();
  return message;
};

test("a token of a trusted issuer resolves to a principal of the project, with one token id per subject", async () => {
  const { principal } = await resolve(await sign(claims({ scope: "openid chat proxy" }), key));
  expect(principal).toMatchObject({
    tokenName: "ann",
    scopes: ["chat"],
    expiresAt: new Date((seconds() + 630) * 1_000),
    external: { issuerId: issuer.id, subject: "ann" },
    project: { uuid: project },
  });
  const again = await resolve(await sign(claims({ jti: "another" }), key));
  expect(again.principal).toMatchObject({ tokenId: principal?.tokenId, scopes: ["chat", "mcp"] });
  const other = await resolve(await sign(claims({ sub: "bob" }), key));
  expect(other.principal?.tokenId).not.toBe(principal?.tokenId);
});

describe("an invalid token is refused with a clear message, without its text", () => {
  const stranger = async () => await createKey("first");
  test.each<[string, () => string | Promise<string>, string]>([
    ["alg none", () => forge({ alg: "none" }, claims()), "(alg)"],
    ["alg none in mixed case", () => forge({ alg: "nOnE" }, claims()), "(alg)"],
    ["extensions (crit)", () => forge({ alg: "ES256", crit: ["exp"] }, claims()), "(crit)"],
    ["an empty list of extensions", () => forge({ alg: "ES256", crit: [] }, claims()), "(crit)"],
    ["no alg", () => forge({ typ: "JWT" }, claims()), "(alg)"],
    ["HS256 with the public key as its secret", () => confused(), "(alg)"],
    ["another key under the same kid", async () => await sign(claims(), await stranger()), "signature"],
    ["an unknown kid", async () => await sign(claims(), await createKey("unknown")), "(kid)"],
    ["another audience", async () => await sign(claims({ aud: "other" }), key), "(aud)"],
    ["no audience", async () => await sign({ ...claims(), aud: [] }, key), "(aud)"],
    ["another issuer", async () => await sign(claims({ iss: "https://elsewhere.example" }), key), "(iss)"],
    ["the issuer with a slash", async () => await sign(claims({ iss: `${idp.url}/` }), key), "(iss)"],
    ["no issuer", async () => await sign(claims({ iss: undefined as never }), key), "(iss)"],
    ["expired", async () => await sign(claims({ exp: seconds() - 31 }), key), "expired (exp)"],
    ["no expiry", async () => await sign(claims({ exp: undefined as never }), key), "(exp)"],
    ["not valid yet", async () => await sign(claims({ nbf: seconds() + 31 }), key), "(nbf)"],
    ["no subject", async () => await sign(claims({ sub: undefined as never }), key), "(sub)"],
    ["too large", async () => await sign(claims({ pad: "x".repeat(9_000) }), key), "8192"],
    ["no JWT", () => "eyJ.eyJ", "well-formed"],
    ["a header that is not JSON", () => "eyJhbGciOiJSUzI1Ni.eyJhIjoxfQ.AAAA", "well-formed"],
    ["claims that are no object", () => forge({ alg: "ES256" }, ["a"]), "well-formed"],
  ])("%s", async (_name, make, words) => {
    const jwt = await make();
    const message = await refusedAs(jwt);
    expect(message).toContain(words);
    expect(jwt.split(".").every((part) => part === "" || !message.includes(part))).toBe(true);
  });

  test("a token with changed claims under a signature that held", async () => {
    const [head = "", , signature = ""] = (await sign(claims(), key)).split(".");
    await resolve(await sign(claims(), key));
    const changed = Buffer.from(JSON.stringify(claims({ sub: "root" }))).toString("base64url");
    expect(await refusedAs(`${head}.${changed}.${signature}`)).toContain("signature");
  });

  function confused(): string {
    const unsigned = forge({ alg: "HS256", kid: key.kid }, claims()).slice(0, -1);
    return `${unsigned}.${createHmac("sha256", key.publicPem).update(unsigned).digest("base64url")}`;
  }
});

test("a symmetric key published by an issuer is refused", async () => {
  const own = await startIssuer();
  own.keys = [{ kty: "oct", k: "c2VjcmV0", kid: "s", alg: "HS256" }];
  await trust(project, { issuer: own.url });
  const unsigned = forge({ alg: "HS256", kid: "s" }, claims({ iss: own.url })).slice(0, -1);
  const jwt = `${unsigned}.${createHmac("sha256", "secret").update(unsigned).digest("base64url")}`;
  expect(await refusedAs(jwt)).toContain("(alg)");
  own.close();
});

test("a project without the issuer refuses its tokens, and another one with it has a separate subject", async () => {
  const other = await createProject();
  const jwt = await sign(claims(), key);
  expect(await refusedAs(jwt, other)).toContain("(iss)");
  await trust(other, { scopes: ["models"] });
  const [here, there] = [await resolve(jwt), await resolve(jwt, other)];
  expect(there.principal).toMatchObject({ scopes: ["models"], project: { uuid: other } });
  expect(there.principal?.tokenId).not.toBe(here.principal?.tokenId);
});

test("after a rotation the new key is fetched once, and unknown keys do not flood the issuer", async () => {
  const own = await startIssuer();
  const [old, next] = [await createKey("old"), await createKey("next", "RS256")];
  own.keys = [old.publicJwk];
  await trust(project, { issuer: own.url, jwks_url: `${own.url}/jwks` });
  const of = (changes: JWTPayload = {}) => claims({ iss: own.url, ...changes });
  expect((await resolve(await sign(of(), old))).refusal).toBe("");
  own.keys = [next.publicJwk];
  own.asked.length = 0;
  const jwts = await Promise.all([1, 2, 3].map(async (n) => await sign(of({ jti: String(n) }), next)));
  // Directly after a fetch, only a bounded number of tokens may cause another.
  const refusals = await Promise.all(jwts.map(async (jwt) => (await resolve(jwt)).refusal));
  expect(own.asked.length).toBeLessThanOrEqual(1);
  expect(new Set(refusals).size).toBe(1);
  own.close();
});

describe("saving", () => {
  test("an issuer that cannot be reached is saved with a warning, and refused until it can", async () => {
    const own = await startIssuer();
    own.failing = 503;
    const { warning } = await trust(project, { issuer: own.url });
    expect(warning).toBe(
      "Its keys cannot be fetched now, so its tokens are refused: The issuer answered with status 503.",
    );
    expect(await refusedAs(await sign(claims({ iss: own.url }), key))).toContain("cannot be fetched");
    own.close();
  });

  test("an address that the egress guard blocks is never called", async () => {
    const { warning } = await trust(project, { issuer: "http://169.254.169.254" });
    expect(warning).toContain("refused");
  });

  test.each<[object, string]>([
    [{ issuer: "idp" }, "issuer must be an http or https URL without a user or a fragment"],
    [{ issuer: "https://a:b@c.example" }, "issuer must be an http or https URL without a user or a fragment"],
    [{ jwks_url: "file:///etc/passwd" }, "jwks_url must be an http or https URL without a user or a fragment"],
    [{ audience: "" }, "audience must not be empty"],
    [{ scopes: ["admin"] }, "Unknown scope(s): admin"],
    [{ project: "nowhere" }, "Project not found: nowhere"],
  ])("%j is refused", async (args, message) => {
    const wanted = { project, issuer: "https://id.example", audience: "a", scopes: ["chat"], ...args };
    expect(await refusal(plane.service, "svc_create_issuer", wanted)).toBe(`-32602 ${message}`);
  });

  test("a URL of more bytes than an index holds is refused", async () => {
    const issuer = `https://id.example/${"登".repeat(1_000)}`;
    expect(await refusal(plane.service, "svc_create_issuer", { project, issuer, audience: "a", scopes: [] })).toBe(
      "-32602 issuer must have at most 2048 bytes as UTF-8",
    );
  });

  test("a project cannot trust an issuer twice", async () => {
    const wanted = { project, issuer: idp.url, audience: "b", scopes: ["chat"] };
    expect(await refusal(plane.service, "svc_create_issuer", wanted)).toBe(
      `-32602 The project trusts this issuer already: ${idp.url}`,
    );
  });
});

test("a change of the issuer applies to issued tokens, and deletion ends them", async () => {
  const own = await createProject();
  const { id } = await trust(own);
  const jwt = await sign(claims(), key);
  expect((await resolve(jwt, own)).principal).toMatchObject({ scopes: ["chat", "mcp"] });
  await run(plane.service, "svc_update_issuer", { issuer_id: id, scopes: ["mcp"], rate_limit_per_minute: 7 });
  expect((await resolve(jwt, own)).principal).toMatchObject({ scopes: ["mcp"], tokenRateLimits: { perMinute: 7 } });
  await run(plane.service, "svc_update_issuer", { issuer_id: id, audience: "other" });
  expect(await refusedAs(jwt, own)).toContain("(aud)");
  await run(plane.service, "svc_delete_issuer", { issuer_id: id });
  expect(await refusedAs(jwt, own)).toContain("(iss)");
  expect(await refusal(plane.service, "svc_update_issuer", { issuer_id: id })).toBe(`-32602 Issuer not found: ${id}`);
});

describe("subjects", () => {
  test("a subject is revoked before or after its first token, and restored by deleting its token", async () => {
    for (const sub of ["carl", "dora"]) {
      const jwt = await sign(claims({ sub }), key);
      if (sub === "carl") await resolve(jwt);
      const args = { issuer_id: issuer.id, subject: sub };
      const revoked = await run<{ id: number }>(plane.service, "svc_revoke_subject", args);
      expect(revoked).toMatchObject({ subject: sub, issuer_id: issuer.id, is_active: false });
      expect(await run(plane.service, "svc_revoke_subject", args)).toEqual(revoked);
      expect(await refusedAs(jwt)).toBe("Token's subject (sub) has been revoked.");
      await run(plane.service, "svc_delete_token", { token_id: revoked.id });
      expect((await resolve(jwt)).principal).toBeDefined();
    }
  });

  test("a revocation holds until its end, and is then deleted with its subject; a later one moves the end", async () => {
    const until = (ms: number) => new Date(nowMs + ms).toISOString();
    const of = (sub: string, args: object = {}) => ({ issuer_id: issuer.id, subject: sub, ...args });
    const revoke = async (args: object) => await run(plane.service, "svc_revoke_subject", args);
    const before = nowMs;
    expect(await revoke(of("fay", { until: until(60_000) }))).toMatchObject({ revoked_until: until(60_000) });
    expect(await revoke(of("gus", { until: until(60_000) }))).toMatchObject({ revoked_until: until(60_000) });
    expect(await revoke(of("gus"))).toMatchObject({ revoked_until: null });
    expect(await refusal(plane.service, "svc_revoke_subject", of("fay", { until: until(-1) }))).toBe(
      "-32602 until must be in the future",
    );
    const jwts = await Promise.all(["fay", "gus"].map(async (sub) => await sign(claims({ sub }), key)));
    for (const jwt of jwts) expect(await refusedAs(jwt)).toBe("Token's subject (sub) has been revoked.");
    nowMs += 60_000;
    await revoke(of("hal"));
    const [fay = "", gus = ""] = jwts;
    expect((await resolve(fay)).principal).toBeDefined();
    expect(await refusedAs(gus)).toBe("Token's subject (sub) has been revoked.");
    nowMs = before;
  });

  test("they are listed by their issuer, not among the project's tokens, and take limits and a reach", async () => {
    await resolve(await sign(claims({ sub: "eve" }), key));
    const { subjects } = await run<{ subjects: { id: number; subject: string }[] }>(
      plane.service,
      "svc_list_subjects",
      {
        issuer_id: issuer.id,
      },
    );
    const eve = subjects.find(({ subject }) => subject === "eve");
    const { tokens } = await run<{ tokens: object[] }>(plane.service, "svc_list_tokens", { project });
    expect(tokens).toEqual([]);
    await run(plane.service, "svc_update_token", { token_id: eve?.id, rate_limit_per_minute: 3, endpoints: ["a"] });
    expect((await resolve(await sign(claims({ sub: "eve" }), key))).principal).toMatchObject({
      tokenRateLimits: { perMinute: 3 },
      reach: { endpoints: { names: ["a"] } },
    });
    expect(await refusal(plane.service, "svc_rotate_token", { token_id: eve?.id })).toBe(
      `-32602 Token has no plaintext: ${eve?.id} stands for a subject of issuer ${issuer.id}.`,
    );
  });

  test("a name with a control character is not a subject", async () => {
    expect(await refusal(plane.service, "svc_revoke_subject", { issuer_id: issuer.id, subject: "a\nb" })).toBe(
      "-32602 subject must be a string of 1 to 200 characters without control characters",
    );
  });
});

test("trusted issuers are listed for routers", async () => {
  const { issuers } = await plane.principals.listTrustedIssuers({});
  expect(issuers).toContainEqual({
    projectUuid: project,
    projectType: "ai_gateway",
    issuer: idp.url,
    scopes: ["chat", "mcp"],
  });
});

test("an expiry passes while a token is cached", async () => {
  const jwt = await sign(claims({ sub: "late", exp: seconds() + 10 }), key);
  expect((await resolve(jwt)).principal).toBeDefined();
  nowMs += 41_000;
  expect(await refusedAs(jwt)).toContain("expired (exp)");
});

test("an issuer at the gateway's own address is saved with a warning, and never asked", async () => {
  const own = await startControlPlane({ peers: { ownAddresses: [new URL(idp.url).host] } });
  try {
    const wanted = { name: "Shop", project_type: "ai_gateway" };
    const { uuid } = await run<{ uuid: string }>(own.service, "svc_create_project", wanted);
    const before = idp.asked.length;
    const issued = { project: uuid, issuer: idp.url, audience: "gatehouse", scopes: ["mcp"] };
    const { warning } = await run<{ warning: string }>(own.service, "svc_create_issuer", issued);
    expect(warning).toContain("The address belongs to this gateway.");
    expect(idp.asked).toHaveLength(before);
  } finally {
    await own.stop();
  }
});
