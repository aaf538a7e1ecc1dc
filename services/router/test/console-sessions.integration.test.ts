import { mintAdminKey, mintSessionId } from "@gatehouse/principal";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type RouterKit, startRouter } from "./router-kit.ts";

let kit: RouterKit;

beforeAll(async () => {
  kit = await startRouter({ env: { TRUSTED_PROXIES: "127.0.0.0/8" } });
});

afterAll(async () => {
  await kit.close();
});

type Headers = Readonly<Record<string, string>>;

async function send(path: string, init: { method?: string; headers?: Headers; body?: string } = {}) {
  const reply = await fetch(`${kit.origin}${path}`, init);
  const text = await reply.text();
  return {
    status: reply.status,
    headers: reply.headers,
    body: text === "" ? {} : (JSON.parse(text) as Record<string, unknown>),
  };
}

const signIn = async (key: string, headers: Headers = {}) =>
  await send("/control/session", { method: "POST", body: JSON.stringify({ key }), headers });

const idIn = (reply: { headers: globalThis.Headers }) =>
  /^gatehouse_session=([^;]*)/.exec(reply.headers.get("set-cookie") ?? "")?.[1] ?? "";

async function browser(key = kit.controlPlane.issueAdminKey()) {
  const reply = await signIn(key, { origin: kit.origin });
  expect(reply.status).toBe(200);
  const cookie = `gatehouse_session=${idIn(reply)}`;
  const page = { cookie, origin: kit.origin, "x-gatehouse-csrf": String(reply.body["csrf_token"]) };
  return { reply, cookie, page };
}

const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
const call = async (headers: Headers) => await send("/control/mcp", { method: "POST", body: ping, headers });

test("a right key opens a session, whose cookie no script can read and no other site can send", async () => {
  const { reply, cookie } = await browser();
  expect(reply.body).toEqual({
    session_id: expect.any(Number),
    admin_key_id: expect.any(Number),
    name: "admin",
    role: "owner",
    projects: null,
    csrf_token: expect.stringMatching(/^[\w-]{43}$/),
    expires_at: expect.stringMatching(/^\d{4}-/),
  });
  expect(reply.headers.get("set-cookie")).toMatch(
    /^gatehouse_session=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/control$/,
  );
  expect(reply.headers.get("cache-control")).toBe("no-store");
  const shown = await send("/control/session", { headers: { cookie } });
  expect([shown.status, shown.body]).toEqual([200, reply.body]);
});

test.each([
  ["a trusted proxy reports it", { "x-forwarded-proto": "https" }],
  ["the page's origin shows it", { origin: "https://gateway.example", host: "gateway.example" }],
])("under TLS the cookie is Secure: %s", async (_name, headers) => {
  const secure = await startRouter({
    env: { TRUSTED_PROXIES: "127.0.0.0/8", ALLOWED_ORIGINS: "https://gateway.example" },
  });
  const body = JSON.stringify({ key: secure.controlPlane.issueAdminKey() });
  const reply = await fetch(`${secure.origin}/control/session`, { method: "POST", body, headers });
  expect([reply.status, reply.headers.get("set-cookie")]).toEqual([200, expect.stringMatching(/; Secure$/)]);
  await secure.close();
});

test("a session's cookie replaces a key, only from the console's page", async () => {
  const { cookie, page } = await browser();
  expect((await call(page)).status).toBe(200);
  const { origin: _origin, ...withoutOrigin } = page;
  const { "x-gatehouse-csrf": _token, ...withoutToken } = page;
  const others = await browser();
  for (const headers of [
    { cookie },
    withoutOrigin,
    withoutToken,
    { ...page, "x-gatehouse-csrf": others.page["x-gatehouse-csrf"] },
    { ...page, origin: "https://evil.example" },
    { ...page, origin: "null" },
  ]) {
    expect((await call(headers)).status).toBe(403);
  }
});

test("the service behind learns who is signed in", async () => {
  const { page } = await browser();
  const { body } = await call(page);
  expect(body["principal"]).toMatchObject({ kind: "admin", name: "admin", role: "owner", projects: null });
});

test("signing out ends the session: a stolen cookie and token no longer work", async () => {
  const { cookie, page } = await browser();
  expect((await call(page)).status).toBe(200);
  const out = await send("/control/session", { method: "DELETE", headers: page });
  expect([out.status, out.headers.get("set-cookie")]).toEqual([204, expect.stringContaining("Max-Age=0")]);
  expect((await call(page)).status).toBe(401);
  expect((await send("/control/session", { headers: { cookie } })).status).toBe(401);
  expect((await send("/control/session", { method: "DELETE", headers: page })).status).toBe(401);
});

test("another site cannot sign anybody in or out, or read a session", async () => {
  const { cookie } = await browser();
  const origin = "https://evil.example";
  const key = kit.controlPlane.issueAdminKey();
  const refused = [
    await signIn(key, { origin }),
    await signIn(key, { origin: "null", "content-type": "text/plain" }),
    await send("/control/session", { method: "DELETE", headers: { cookie, origin } }),
    await send("/control/session", { headers: { cookie, origin } }),
  ];
  for (const reply of refused) {
    expect(reply.status).toBe(403);
    expect(reply.headers.get("set-cookie")).toBeNull();
    expect(reply.headers.get("access-control-allow-origin")).toBeNull();
  }
  expect((await send("/control/session", { headers: { cookie } })).status).toBe(200);
});

test("signing out needs the page's own origin and its token, as every change by cookie does", async () => {
  const { cookie, page } = await browser();
  const others = await browser();
  const { origin, "x-gatehouse-csrf": token } = page;
  for (const headers of [
    { cookie },
    { cookie, origin },
    { cookie, "x-gatehouse-csrf": token },
    { ...page, "x-gatehouse-csrf": others.page["x-gatehouse-csrf"] },
  ]) {
    expect((await send("/control/session", { method: "DELETE", headers })).status).toBe(403);
  }
  expect((await send("/control/session", { headers: { cookie } })).status).toBe(200);
  expect((await send("/control/session", { method: "DELETE", headers: page })).status).toBe(204);
});

test("a session id set by an attacker never becomes a session", async () => {
  const planted = mintSessionId().reveal();
  const key = kit.controlPlane.issueAdminKey();
  const reply = await signIn(key, { origin: kit.origin, cookie: `gatehouse_session=${planted}` });
  expect(idIn(reply)).not.toBe(planted);
  expect((await send("/control/session", { headers: { cookie: `gatehouse_session=${planted}` } })).status).toBe(401);
});

test("a revoked key ends its sessions at once", async () => {
  const key = kit.controlPlane.issueAdminKey();
  const { page } = await browser(key);
  expect((await call(page)).status).toBe(200);
  kit.controlPlane.revokeAdminKey(key);
  await vi.waitFor(async () => expect((await call(page)).status).toBe(401), { timeout: 250, interval: 10 });
  expect((await signIn(key)).status).toBe(401);
});

test("a session that another router ends is refused here at once", async () => {
  const { page } = await browser();
  const { principal } = (await call(page)).body as { principal: { session: { id: number } } };
  kit.controlPlane.endSession(principal.session.id);
  await vi.waitFor(async () => expect((await call(page)).status).toBe(401), { timeout: 250, interval: 10 });
});

test.each([
  ["nothing", "", 400],
  ["no JSON", "key=svc_admin_x", 400],
  ["no object", '"svc_admin_x"', 400],
  ["another member", '{"Key":"svc_admin_x"}', 400],
  ["no text", '{"key":7}', 400],
  ["an empty text", '{"key":""}', 400],
  ["a very long text", `{"key":"svc_admin_${"x".repeat(2_000)}"}`, 400],
  ["a very large body", `{"key":"svc_admin_${"x".repeat(5_000)}"}`, 413],
  ["an access token", '{"key":"svc_live_x"}', 401],
  ["an unknown key", JSON.stringify({ key: mintAdminKey().reveal() }), 401],
])("%s opens no session", async (_name, body, status) => {
  const reply = await send("/control/session", { method: "POST", body });
  expect([reply.status, reply.body["ok"], reply.headers.get("set-cookie")]).toEqual([status, false, null]);
});

test("other methods are answered with the allowed ones", async () => {
  const reply = await send("/control/session", { method: "PUT", body: '{"key":"svc_admin_x"}' });
  expect(reply.status).toBe(401);
  const { page } = await browser();
  const key = kit.controlPlane.issueAdminKey();
  const put = await send("/control/session", { method: "PUT", body: JSON.stringify({ key }), headers: page });
  expect([put.status, put.headers.get("allow")]).toEqual([405, "POST, GET, HEAD, DELETE"]);
});

test("wrong keys delay their address, and no other", async () => {
  const from = (address: string) => ({ "x-forwarded-for": address });
  const attempts = [];
  for (let index = 0; index < 12; index += 1) {
    attempts.push((await signIn(mintAdminKey().reveal(), from("198.51.100.7"))).status);
  }
  expect(attempts).toEqual([...Array.from({ length: 11 }, () => 401), 429]);
  const key = kit.controlPlane.issueAdminKey();
  const held = await signIn(key, from("198.51.100.7"));
  expect([held.status, Number(held.headers.get("retry-after"))]).toEqual([429, expect.any(Number)]);
  expect((await signIn(key, from("198.51.100.8"))).status).toBe(200);
});
