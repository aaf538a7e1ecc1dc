import { GatewayError, isGatewayError } from "@gatehouse/errors";
import {
  type AdminPrincipal,
  hashToken,
  mintAdminKey,
  mintSessionId,
  mintToken,
  type TokenPrincipal,
} from "@gatehouse/principal";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Ask } from "../domain/principal-answer.ts";
import { TrustedIssuers } from "../domain/trusted-issuers.ts";
import { type Authenticated, type AuthenticationName, createAuthenticate } from "./authenticate.ts";
import { PrincipalCache } from "./principal-cache.ts";

const bounds = {
  freshMs: 5_000,
  staleMs: 0,
  entriesMax: 10,
  unknownMs: 1_000,
  unknownEntriesMax: 10,
  questionsInFlightMax: 10,
};
const clock = { now: () => 0, wallNow: () => 0 };
const rateLimits = { perMinute: null, perHour: null };
const project = { id: 1, uuid: "u", name: "p", projectType: "ai_gateway", rateLimits } as const;
const caller: TokenPrincipal = {
  kind: "token",
  tokenId: 1,
  tokenName: "t",
  environment: "live",
  scopes: [],
  rateLimits,
  project,
};
const admin: AdminPrincipal = { kind: "admin", adminKeyId: 1, name: "a", role: "owner", projects: null };

const good = mintToken("live").reveal();
const signedIn: AdminPrincipal = { ...admin, session: { id: 1, csrfToken: "c" } };
const goodSession = mintSessionId().reveal();
const otherSession = mintSessionId().reveal();
const goodKey = mintAdminKey().reveal();

function knows<T extends object>(plaintext: string, value: T, asked: string[]): Ask<T> {
  return async (hash) => {
    asked.push(hash);
    return hash === hashToken(plaintext).toString("hex")
      ? { value, expiresAtMs: Infinity, subjects: ["s"] }
      : undefined;
  };
}

const trusting = "0f8fad5b-d9cb-469f-a165-70867728950e";
const goodJwt = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJl";

function setUp() {
  const asked: string[] = [];
  const tokens = new PrincipalCache(knows(good, caller, asked), bounds, clock);
  const adminKeys = new PrincipalCache(knows(goodKey, admin, asked), bounds, clock);
  const sessions = new PrincipalCache(knows(goodSession, signedIn, asked), bounds, clock);
  const askJwt: Ask<TokenPrincipal, { readonly jwt: string; readonly projectUuid: string }> = async (
    _hash,
    { jwt },
  ) => {
    asked.push(jwt);
    if (jwt !== goodJwt) return await Promise.resolve(new GatewayError("invalid_token", "Token has expired (exp)."));
    return { value: caller, expiresAtMs: Infinity, subjects: ["s"] };
  };
  const issuers = new TrustedIssuers();
  issuers.replace([{ projectUuid: trusting, projectType: "ai_gateway", issuer: "https://id.example", scopes: [] }]);
  const jwts = { cache: new PrincipalCache(askJwt, bounds, clock), issuers };
  const authenticate = createAuthenticate({ tokens, adminKeys, sessions, jwts });
  const attempt = async (by: AuthenticationName, ...values: readonly string[]) => {
    const rawHeaders = values.flatMap((value) => ["Authorization", value]);
    return describeResult(await authenticate(by, { rawHeaders, ipAddress: "192.0.2.1", projectUuid: "other" }));
  };
  const sendJwt = async (jwt: string, projectUuid = trusting) => {
    const rawHeaders = ["Authorization", `Bearer ${jwt}`];
    return describeResult(await authenticate("token", { rawHeaders, ipAddress: "192.0.2.1", projectUuid }));
  };
  return { asked, attempt, authenticate, sendJwt };
}

function describeResult(result: Authenticated): string {
  return isGatewayError(result) ? `${result.profile.http} ${result.message}` : result.kind;
}

const broken = good.slice(0, -1) + (good.endsWith("0") ? "1" : "0");
const unknown = mintToken("test").reveal();

describe("authentication", () => {
  it.each<[AuthenticationName, readonly string[], { result: string; questions: number }]>([
    ["token", [`Bearer ${good}`], { result: "token", questions: 1 }],
    ["token", [`bearer   ${good} `], { result: "token", questions: 1 }],
    ["token", [], { result: "401 Missing Bearer token.", questions: 0 }],
    ["token", [`Basic ${good}`], { result: "401 Missing Bearer token.", questions: 0 }],
    ["token", ["Bearer nonsense"], { result: "401 Invalid token format.", questions: 0 }],
    ["token", [`Bearer ${goodKey}`], { result: "401 Invalid token format.", questions: 0 }],
    ["token", [`Bearer ${good}`, `Bearer ${good}`], { result: "401 Invalid token format.", questions: 0 }],
    ["token", [`Bearer ${broken}`], { result: "401 Invalid or revoked token.", questions: 0 }],
    ["token", ["Bearer svc_live_"], { result: "401 Invalid or revoked token.", questions: 0 }],
    ["token", [`Bearer ${good} ${good}`], { result: "401 Invalid or revoked token.", questions: 0 }],
    ["token", [`Bearer ${good.toUpperCase()}`], { result: "401 Invalid token format.", questions: 0 }],
    ["token", [`Bearer ${unknown}`], { result: "401 Invalid or revoked token.", questions: 1 }],
    ["admin_key", [`Bearer ${goodKey}`], { result: "admin", questions: 1 }],
    ["admin_key", [`Bearer ${good}`], { result: "401 Invalid token format.", questions: 0 }],
    ["admin_key", ["Bearer svc_admin_wrong"], { result: "401 Invalid or revoked token.", questions: 1 }],
    ["admin_key", [], { result: "401 Missing Bearer token.", questions: 0 }],
  ])("%s with %j: %j", async (by, values, { result, questions }) => {
    const { asked, attempt } = setUp();
    expect(await attempt(by, ...values)).toBe(result);
    expect(asked.length).toBe(questions);
  });

  const cookie = ["Cookie", `a=b; gatehouse_session=${goodSession}`];
  const key = ["Authorization", `Bearer ${goodKey}`];
  const over = "401 The session is over. Sign in again.";
  const none = "401 There is no session. Sign in with POST /control/session.";
  const noKey = "401 Missing Bearer token.";

  it.each<[string, { by: AuthenticationName; rawHeaders: readonly string[] }, string]>([
    ["the cookie", { by: "session", rawHeaders: cookie }, "admin by session"],
    ["no cookie", { by: "session", rawHeaders: [] }, none],
    ["an unknown id", { by: "session", rawHeaders: ["Cookie", `gatehouse_session=${otherSession}`] }, over],
    ["a cookie that is not an id", { by: "session", rawHeaders: ["Cookie", "gatehouse_session=x"] }, over],
    ["two cookies of the name", { by: "session", rawHeaders: [...cookie, ...cookie] }, over],
    ["a cookie where a key is asked for", { by: "admin_key", rawHeaders: cookie }, noKey],
    ["a key where a session is asked for", { by: "session", rawHeaders: key }, none],
    ["either: the cookie", { by: "administrator", rawHeaders: cookie }, "admin by session"],
    ["either: the key", { by: "administrator", rawHeaders: key }, "admin"],
    ["either: nothing", { by: "administrator", rawHeaders: ["Cookie", "a=b"] }, noKey],
    [
      "both: the key counts, even a wrong one",
      { by: "administrator", rawHeaders: [...cookie, "Authorization", "Bearer svc_admin_wrong"] },
      "401 Invalid or revoked token.",
    ],
    ["a session for a token's route", { by: "token", rawHeaders: cookie }, noKey],
  ])("%s", async (_name, { by, rawHeaders }, expected) => {
    const result = await setUp().authenticate(by, { rawHeaders, ipAddress: "192.0.2.1", projectUuid: "" });
    if (isGatewayError(result)) return expect(`${result.profile.http} ${result.message}`).toBe(expected);
    const isSession = result.kind === "admin" && result.session !== undefined;
    return expect(isSession ? "admin by session" : result.kind).toBe(expected);
  });

  it("answers synchronously once the answer is cached", async () => {
    const { attempt, authenticate } = setUp();
    await attempt("token", `Bearer ${good}`);
    expect(
      authenticate("token", { rawHeaders: ["authorization", `Bearer ${good}`], ipAddress: "", projectUuid: "" }),
    ).toBe(caller);
  });

  it("takes a JWT where the project trusts an issuer, and asks once", async () => {
    const { asked, sendJwt } = setUp();
    expect(await sendJwt(goodJwt)).toBe("token");
    expect(await sendJwt(goodJwt, trusting.toUpperCase())).toBe("token");
    expect(asked).toEqual([goodJwt]);
  });

  it("says why a JWT is refused, and remembers it for a while", async () => {
    const { asked, sendJwt } = setUp();
    for (const _ of [1, 2]) expect(await sendJwt(`${goodJwt}x`)).toBe("401 Token has expired (exp).");
    expect(asked).toHaveLength(1);
  });

  it("does not look up a JWT that is too large or sent to a project without trusted issuers", async () => {
    const { asked, sendJwt } = setUp();
    expect(await sendJwt(goodJwt, "another")).toBe("401 Invalid token format.");
    expect(await sendJwt(`${goodJwt}${"x".repeat(9_000)}`)).toBe(
      "401 Token is too large: a JWT may have at most 8192 characters.",
    );
    expect(asked).toEqual([]);
  });

  it("calls any text with dots a malformed JWT where the project trusts an issuer", async () => {
    const { asked, sendJwt } = setUp();
    for (const text of ["W10.e30.x", "bm90LWpzb24.eyJ9.x", "a.b", "eyJ9.x", "a.b.c.d.e"]) {
      expect(await sendJwt(text)).toBe("401 Token is not a well-formed JWT.");
      expect(await sendJwt(text, "another")).toBe("401 Invalid token format.");
    }
    expect(asked).toEqual([]);
  });

  it("admits the issued token and no other, before and after", async () => {
    const { attempt } = setUp();
    const minted = fc.constantFrom(...Array.from({ length: 20 }, () => mintToken("live").reveal()));
    const near = fc
      .tuple(fc.nat({ max: good.length }), fc.constantFrom("", "0", "a", "Z", " ", "\u0000"))
      .map(([at, instead]) => good.slice(0, at) + instead + good.slice(at + 1))
      .filter((token) => token.trim() !== good);
    const tails = fc.string().map((tail) => `svc_live_${tail}`);
    const tokens = fc.oneof(minted, near, tails, fc.string()).map((token) => `Bearer ${token}`);
    await fc.assert(
      fc.asyncProperty(fc.oneof(tokens, fc.string()), async (value) => {
        expect(await attempt("token", `Bearer ${good}`)).toBe("token");
        expect(await attempt("token", value)).toMatch(/^401 /);
      }),
    );
    expect(await attempt("token", `Bearer ${good}`)).toBe("token");
  });
});
