import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RouterKit, startRouter, until } from "./router-kit.ts";

const jwt = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJl";

let kit: RouterKit;

beforeAll(async () => {
  kit = await startRouter();
});
afterAll(async () => await kit.close());

const post = async (path: string, token?: string) =>
  await fetch(`${kit.origin}${path}`, {
    method: "POST",
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    body: "{}",
  });
const metadata = async (project: string) =>
  await fetch(`${kit.origin}/.well-known/oauth-protected-resource/api/${project}/mcp`);

test("a project that trusts an issuer accepts its JWTs, and its MCP route names the resource metadata", async () => {
  const issued = kit.controlPlane.issueToken({ scopes: ["mcp"] });
  const { projectUuid } = issued;
  kit.controlPlane.signIn(issued, jwt);
  const mcp = `/api/${projectUuid}/mcp`;
  expect((await post(mcp, jwt)).status).toBe(401);
  expect((await metadata(projectUuid)).status).toBe(404);

  kit.controlPlane.trust(projectUuid);
  await until(async () => (await metadata(projectUuid)).status === 200);
  const reply = await metadata(projectUuid);
  expect(reply.headers.get("access-control-allow-origin")).toBe("*");
  expect(await reply.json()).toEqual({
    resource: `${kit.origin}${mcp}`,
    authorization_servers: ["https://id.example.com"],
    scopes_supported: ["mcp"],
    bearer_methods_supported: ["header"],
  });
  const where = `Bearer resource_metadata="${kit.origin}/.well-known/oauth-protected-resource${mcp}", scope="mcp"`;
  expect((await post(mcp)).headers.get("www-authenticate")).toBe(where);
  const refused = await post(mcp, `${jwt}x`);
  expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, `${where}, error="invalid_token"`]);
  expect(await refused.json()).toEqual({ ok: false, error: "Token has expired (exp)." });
  // Other routes have no protocol that reads the metadata.
  expect((await post(`/api/${projectUuid}/chat/completions`)).headers.get("www-authenticate")).toBe("Bearer");

  const allowed = await post(mcp, jwt);
  expect(allowed.status).toBe(200);
  expect(await allowed.json()).toMatchObject({ principal: { external: { issuerId: 1, subject: "ann" } } });
  const asked = kit.controlPlane.jwts.length;
  await post(mcp, jwt);
  expect(kit.controlPlane.jwts).toHaveLength(asked);
  expect((await post(mcp, issued.token)).status).toBe(200);

  kit.controlPlane.trust(projectUuid, false);
  await until(async () => (await metadata(projectUuid)).status === 404);
  const after = await post(mcp, jwt);
  expect(after.headers.get("www-authenticate")).toBe("Bearer");
  expect(await after.json()).toEqual({ ok: false, error: "Invalid token format." });
});

test("a JWT for one project is refused by another that trusts the same issuer", async () => {
  const [one, other] = [kit.controlPlane.issueToken({ scopes: ["mcp"] }), kit.controlPlane.issueToken()];
  kit.controlPlane.signIn(one, jwt);
  for (const { projectUuid } of [one, other]) kit.controlPlane.trust(projectUuid);
  await until(async () => (await metadata(other.projectUuid)).status === 200);
  expect((await post(`/api/${one.projectUuid}/mcp`, jwt)).status).toBe(200);
  expect((await post(`/api/${other.projectUuid}/mcp`, jwt)).status).toBe(401);
});

test("the metadata page refuses another method with the allowed ones", async () => {
  const { projectUuid } = kit.controlPlane.issueToken({ scopes: ["mcp"] });
  kit.controlPlane.trust(projectUuid);
  await until(async () => (await metadata(projectUuid)).status === 200);
  const reply = await post(`/.well-known/oauth-protected-resource/api/${projectUuid}/mcp`);
  expect([reply.status, reply.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});

test("other paths under /.well-known do not exist", async () => {
  for (const path of [
    "/.well-known/oauth-protected-resource",
    `/.well-known/oauth-protected-resource/api/${randomUUID()}/mcp`,
  ]) {
    for (const method of ["GET", "POST", "DELETE", "OPTIONS"]) {
      const reply = await fetch(`${kit.origin}${path}`, { method });
      expect([method, reply.status, await reply.json()]).toEqual([
        method,
        404,
        { ok: false, error: "There is nothing at this path." },
      ]);
    }
  }
});
