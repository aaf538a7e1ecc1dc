import { randomUUID } from "node:crypto";
import { mintToken } from "@gatehouse/principal";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { routes } from "../src/program.ts";
import { type RouterKit, startRouter } from "./router-kit.ts";

let kit: RouterKit;
beforeAll(async () => {
  kit = await startRouter();
});
afterAll(async () => await kit.close());

interface Sent {
  readonly method?: string;
  readonly authorization?: string;
  readonly headers?: Record<string, string>;
}

async function send(path: string, { method = "POST", authorization, headers = {} }: Sent = {}) {
  const auth = authorization === undefined ? {} : { authorization };
  const body = method === "POST" ? { body: "{}" } : {};
  const res = await fetch(kit.origin + path, { method, headers: { ...headers, ...auth }, ...body });
  return { status: res.status, headers: res.headers, body: (await res.json()) as Record<string, unknown> };
}

describe("a request with a good token", () => {
  it("reaches the service with its principal, an id and the caller's address", async () => {
    const { token, tokenId, projectUuid } = kit.controlPlane.issueToken();
    const { status, headers, body } = await send(`/api/${projectUuid}/support?x=1`, {
      authorization: `Bearer ${token}`,
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ok: true,
      path: `/api/${projectUuid}/support?x=1`,
      ipAddress: "127.0.0.1",
      body: "{}",
    });
    expect(body["principal"]).toMatchObject({ kind: "token", tokenId, scopes: ["chat"] });
    expect(headers.get("x-request-id")).toBe(body["requestId"]);
  });

  it("is asked about once", async () => {
    const { token, projectUuid } = kit.controlPlane.issueToken();
    const before = kit.controlPlane.resolves.length;
    const calls = Array.from({ length: 20 }, () => send(`/api/${projectUuid}/s`, { authorization: `Bearer ${token}` }));
    for (const { status } of await Promise.all(calls)) expect(status).toBe(200);
    expect(kit.controlPlane.resolves.length - before).toBe(1);
  });
});

/** Routes whose credential is not a Bearer token. */
const withoutCredential: Readonly<Record<string, [number, string]>> = {
  console_sign_in: [400, "Request body is empty; send a JSON object."],
  console_session: [401, "There is no session. Sign in with POST /control/session."],
  console_sign_out: [401, "There is no session. Sign in with POST /control/session."],
};

describe("refusals", () => {
  /** Sign-ins redirect to the console, with the reason of a failure. */
  const publicStatuses: Readonly<Record<string, number>> = {
    console: 404,
    oauth_resource: 404,
    sign_in_start: 303,
    sign_in_return: 303,
  };

  it("answers every listed route without a credential with a refusal, except the public ones", async () => {
    for (const route of routes) {
      const path = route.path.replace("{uuid}", randomUUID()).replace("{slug}", "s");
      const [method = "POST"] = route.methods === "any" ? ["POST"] : route.methods;
      const res = await fetch(kit.origin + path, { method, redirect: "manual" });
      const text = await res.text();
      // The console is not built here, and the project trusts no issuer.
      if (route.plane === "public") expect(res.status, route.id).toBe(publicStatuses[route.id] ?? 200);
      else {
        const [status, error] = withoutCredential[route.id] ?? [401, "Missing Bearer token."];
        expect(res.status, route.id).toBe(status);
        expect(JSON.parse(text), route.id).toEqual({ ok: false, error });
      }
      expect(res.headers.get("x-request-id"), route.id).toMatch(/^[\w.-]{1,64}$/);
    }
  });

  it("asks no service about a token whose checksum is wrong", async () => {
    const token = mintToken("live").reveal();
    const broken = token.slice(0, -1) + (token.endsWith("A") ? "B" : "A");
    const before = kit.controlPlane.resolves.length;
    const { status, body } = await send(`/api/${randomUUID()}/s`, { authorization: `Bearer ${broken}` });
    expect({ status, body }).toEqual({ status: 401, body: { ok: false, error: "Invalid or revoked token." } });
    expect(kit.controlPlane.resolves.length).toBe(before);
  });
});
