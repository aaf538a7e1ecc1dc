import { afterAll, beforeAll, expect, test } from "vitest";
import { type RouterKit, startRouter } from "./router-kit.ts";

const site = "https://chat.example.com";
let kit: RouterKit;
beforeAll(async () => {
  kit = await startRouter({ env: { ALLOWED_ORIGINS: site } });
});
afterAll(async () => await kit.close());

const ask = async (path: string, init: RequestInit) => {
  const reply = await fetch(kit.origin + path, init);
  const { headers, status } = reply;
  return { status, headers, origin: headers.get("access-control-allow-origin"), text: await reply.text() };
};

const preflight = async (path: string, origin: string) =>
  await ask(path, {
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type,mcp-protocol-version",
    },
  });

test.each(["mcp", "some-slug", "chat/completions", "v1/chat/completions", "v1/embeddings", "v1/models"])(
  "a preflight at %s is answered without a token, for an allowed origin only",
  async (tail) => {
    const { projectUuid } = kit.controlPlane.issueToken();
    const allowed = await preflight(`/api/${projectUuid}/${tail}`, site);
    expect([allowed.status, allowed.text, allowed.origin]).toEqual([204, "", site]);
    expect(allowed.headers.get("access-control-allow-headers")).toContain("mcp-protocol-version");
    expect(allowed.headers.get("access-control-allow-methods")).toMatch(tail === "v1/models" ? /GET/ : /POST/);
    const foreign = await preflight(`/api/${projectUuid}/${tail}`, "https://evil.example");
    expect([foreign.status, foreign.origin]).toEqual([401, null]);
  },
);

test("replies and refusals can be read by the page of an allowed origin, and by no other", async () => {
  const { token, projectUuid } = kit.controlPlane.issueToken({ scopes: ["mcp", "chat"] });
  for (const path of [`/api/${projectUuid}/mcp`, `/api/${projectUuid}/some-slug`]) {
    const call = async (origin: string, authorization = `Bearer ${token}`) =>
      await ask(path, { method: "POST", body: "{}", headers: { origin, authorization } });
    const answered = await call(site);
    expect([answered.status, answered.origin, answered.headers.get("vary")]).toEqual([200, site, "Origin"]);
    expect(answered.headers.get("access-control-expose-headers")).toContain("X-Request-Id");
    expect(await call(site, "Bearer svc_live_unknown")).toMatchObject({ status: 401, origin: site });
    expect((await call("https://evil.example")).origin).toBeNull();
  }
  expect(await ask(`/api/${projectUuid}/a/b/c`, { method: "POST", headers: { origin: site } })).toMatchObject({
    origin: site,
  });
});

test("an OPTIONS request other than a preflight needs a token, and the control plane answers no preflight", async () => {
  const { projectUuid } = kit.controlPlane.issueToken();
  expect(await ask(`/api/${projectUuid}/mcp`, { method: "OPTIONS", headers: { origin: site } })).toMatchObject({
    status: 401,
  });
  expect(await preflight("/control/mcp", site)).toMatchObject({ status: 401, origin: null });
});
