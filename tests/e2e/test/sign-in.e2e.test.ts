import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ControlPlaneClient } from "../src/control-plane-client.ts";
import { IdentityProvider } from "../src/identity-provider.ts";
import { type Product, startServices, startStandalone } from "../src/product.ts";
import { VisitingBrowser } from "../src/visiting-browser.ts";

const clientSecret = "the-secret-of-the-gateway";

/** A gateway whose administrators come from an identity provider. */
async function startWith(start: typeof startStandalone, idp: IdentityProvider, publicUrl: string): Promise<Product> {
  const rules = [
    { claim: "groups", has: "banned", role: "none" },
    { claim: "groups", has: "platform", role: "owner" },
    { claim: "groups", has: "readers", role: "viewer" },
    { claim: "email", has: "eve@example.com", role: "owner" },
  ];
  const providers = [
    {
      id: "corp",
      name: "Example Corp",
      issuer: idp.url,
      client_id: "gatehouse",
      client_secret: "env:GATEHOUSE_SECRET_OIDC",
      scopes: ["email", "groups"],
      rules,
    },
    { id: "gone", issuer: "http://127.0.0.1:9", client_id: "gatehouse", rules },
  ];
  return await start({
    env: {
      EGRESS_ALLOW: "127.0.0.0/8",
      PUBLIC_URL: publicUrl,
      SIGN_IN_PROVIDERS: JSON.stringify(providers),
      GATEHOUSE_SECRET_OIDC: clientSecret,
    },
  });
}

describe.each([
  // Without a broker, services' events stay in their outboxes.
  ["one process", startStandalone, true],
  ["services", startServices, false],
] as const)("people sign in at the console, as %s", (_name, start, hasLog) => {
  let product: Product;
  let control: ControlPlaneClient;
  let idp: IdentityProvider;

  beforeAll(async () => {
    const redirectUri = `${publicUrl}/control/sign-in/corp/callback`;
    idp = await IdentityProvider.start([{ id: "gatehouse", secret: clientSecret, redirectUri }]);
    product = await startWith(start, idp, publicUrl);
    control = new ControlPlaneClient(product);
  });

  afterAll(async () => {
    await product.stop();
    await idp.stop();
  });

  /** The test's browser simulates the proxy before the gateway. */
  const publicUrl = "http://gateway.test";
  const codes: string[] = [];
  const open = () => new VisitingBrowser({ [publicUrl]: product.url });
  const signIn = async (browser: VisitingBrowser, account: string, groups: readonly string[]) => {
    const email = { email: `${account}@example.com`, email_verified: account !== "eve" };
    idp.expect({ id: account, claims: { groups, ...email } });
    return await browser.visit(`${publicUrl}/control/sign-in/corp`, `${publicUrl}/console`);
  };
  const sessionOf = async (browser: VisitingBrowser) => await browser.json(`${publicUrl}/control/session`);

  test("the page gets the names of providers only", async () => {
    expect(await open().json(`${publicUrl}/control/sign-in`)).toMatchObject({
      status: 200,
      body: {
        providers: [
          { id: "corp", name: "Example Corp" },
          { id: "gone", name: "gone" },
        ],
      },
    });
  });

  test("a person returns with a session and the role of a group, and is named in the audit log", async () => {
    const browser = open();
    expect((await signIn(browser, "ann", ["platform"])).href).toBe(`${publicUrl}/console`);
    const { status, body } = await sessionOf(browser);
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ name: "person:ann@example.com", role: "owner", projects: null }),
    ]);
    const made = await browser.call(`${publicUrl}/control/mcp`, {
      name: "svc_create_project",
      args: { name: "of-ann", project_type: "ai_gateway" },
      csrf: String(body["csrf_token"]),
    });
    expect(made.status).toBe(200);
    const { admin_keys: keys } = await control.call<{ admin_keys: { name: string }[] }>("svc_list_admin_keys", {});
    expect(keys.map(({ name }) => name)).not.toContain("person:ann@example.com");
    if (!hasLog) return;
    await expect
      .poll(async () => {
        const { entries } = await control.call<{ entries: { event: string; actor: string }[] }>("svc_query_audit_log", {
          limit: 50,
        });
        return entries.filter(({ actor }) => actor === "person:ann@example.com").map(({ event }) => event);
      })
      .toEqual(expect.arrayContaining(["project.created", "auth.session_started"]));
  });

  test("cookies are not readable by scripts, and the sign-in's is deleted at its end", async () => {
    const browser = open();
    await signIn(browser, "ann", ["platform"]);
    const set = browser.setCookies.filter((line) => line.startsWith("gatehouse_"));
    expect(set[0]).toMatch(/^gatehouse_sign_in=[\w.-]+; HttpOnly; SameSite=Lax; Path=\/control\/sign-in; Max-Age=600$/);
    expect(set).toContainEqual("gatehouse_sign_in=; HttpOnly; SameSite=Lax; Path=/control/sign-in; Max-Age=0");
    expect(set.at(-1)).toMatch(/^gatehouse_session=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/control$/);
  });

  test("a later sign-in applies the present groups to older sessions too", async () => {
    const [first, second] = [open(), open()];
    await signIn(first, "ben", ["platform"]);
    expect((await sessionOf(first)).body["role"]).toBe("owner");
    expect((await signIn(second, "ben", ["readers"])).href).toBe(`${publicUrl}/console`);
    await expect.poll(async () => (await sessionOf(first)).body["role"]).toBe("viewer");
    expect((await signIn(second, "ben", [])).search).toBe("?sign_in=not_allowed");
    expect((await signIn(second, "ben", ["platform", "banned"])).search).toBe("?sign_in=not_allowed");
  });

  test("an unverified address is not accepted as a person's", async () => {
    const browser = open();
    expect((await signIn(browser, "eve", [])).search).toBe("?sign_in=not_allowed");
    expect((await sessionOf(browser)).status).toBe(401);
    if (!hasLog) return;
    await expect
      .poll(async () => {
        const { entries } = await control.call<{ entries: { target: string; metadata: object }[] }>(
          "svc_query_audit_log",
          { event: "auth.login_failed", limit: 50 },
        );
        return entries.filter(({ target }) => target === "sign_in:corp").map(({ metadata }) => metadata);
      })
      .toContainEqual(
        expect.objectContaining({ subject: "eve", reason: expect.stringContaining("Missing claims: email") }),
      );
  });

  test("a code and a state are valid once, and only for the browser that began", async () => {
    const [browser, thief] = [open(), open()];
    idp.expect({ id: "ann", claims: { groups: ["platform"] } });
    const callback = await browser.visit(
      `${publicUrl}/control/sign-in/corp`,
      `${publicUrl}/control/sign-in/corp/callback`,
    );
    codes.push(callback.searchParams.get("code") ?? "");
    const attempt = browser.cookie("gatehouse_sign_in");
    expect((await thief.step(callback)).search).toBe("?sign_in=expired");
    // Login CSRF: one person's code with another's attempt.
    await thief.visit(`${publicUrl}/control/sign-in/corp`, `${idp.url}/`);
    expect((await thief.step(callback)).search).toBe("?sign_in=expired");
    expect((await browser.step(callback)).href).toBe(`${publicUrl}/console`);
    expect((await browser.step(callback)).search).toBe("?sign_in=expired");
    thief.setCookie(publicUrl, "gatehouse_sign_in", attempt);
    expect((await thief.step(callback)).search).toBe("?sign_in=failed");
    expect((await sessionOf(thief)).status).toBe(401);
    const changed = new URL(callback);
    changed.searchParams.set("state", "another");
    expect((await thief.step(changed)).search).toBe("?sign_in=expired");
  });

  test("a session id planted before the sign-in is not used", async () => {
    const browser = open();
    const planted = "A".repeat(43);
    browser.setCookie(publicUrl, "gatehouse_session", planted);
    await signIn(browser, "ann", ["platform"]);
    expect(browser.cookie("gatehouse_session")).not.toBe(planted);
    const attacker = open();
    attacker.setCookie(publicUrl, "gatehouse_session", planted);
    expect((await sessionOf(attacker)).status).toBe(401);
  });

  test("a stolen cookie is useless after the sign-out, and a call needs the page's own token", async () => {
    const [browser, thief] = [open(), open()];
    await signIn(browser, "ann", ["platform"]);
    const { body } = await sessionOf(browser);
    const csrf = String(body["csrf_token"]);
    expect((await browser.call(`${publicUrl}/control/mcp`, { name: "svc_list_projects", csrf: "" })).status).toBe(403);
    const elsewhere = { name: "svc_list_projects", csrf, origin: "http://evil.test" };
    expect((await browser.call(`${publicUrl}/control/mcp`, elsewhere)).status).toBe(403);
    thief.setCookie(publicUrl, "gatehouse_session", browser.cookie("gatehouse_session"));
    expect((await sessionOf(thief)).status).toBe(200);
    expect(await browser.signOut(publicUrl, csrf)).toBe(204);
    expect((await sessionOf(thief)).status).toBe(401);
  });

  test("all sessions of a person can be ended together", async () => {
    const browsers = [open(), open()];
    for (const browser of browsers) await signIn(browser, "cleo", ["platform"]);
    const { console_sessions: sessions } = await control.call<{
      console_sessions: { name: string; admin_key_id: number }[];
    }>("svc_list_console_sessions", { limit: 200 });
    const hers = sessions.filter(({ name }) => name === "person:cleo@example.com");
    expect(hers).toHaveLength(2);
    await control.call("svc_end_console_session", { admin_key_id: hers[0]?.admin_key_id });
    for (const browser of browsers) {
      await expect.poll(async () => (await sessionOf(browser)).status).toBe(401);
    }
  });

  test("no request can choose where a sign-in leads", async () => {
    const browser = open();
    idp.expect({ id: "ann", claims: { groups: ["platform"] } });
    const start = `${publicUrl}/control/sign-in/corp?return_to=https://evil.test&redirect_uri=https://evil.test&next=//evil.test`;
    const asked = await browser.step(new URL(start), { "x-forwarded-host": "evil.test", host: "evil.test" });
    expect(asked.origin).toBe(idp.url);
    expect(asked.searchParams.get("redirect_uri")).toBe(`${publicUrl}/control/sign-in/corp/callback`);
    const callback = await browser.visit(asked.href, `${publicUrl}/control/sign-in/corp/callback`);
    codes.push(callback.searchParams.get("code") ?? "");
    callback.searchParams.set("return_to", "https://evil.test");
    expect((await browser.step(callback)).href).toBe(`${publicUrl}/console`);
    for (const provider of ["nobody", "..%2f..%2fconsole", "%0d%0aLocation:x"]) {
      const led = await browser.step(new URL(`${publicUrl}/control/sign-in/${provider}`));
      expect(led.href).toBe(`${publicUrl}/console?sign_in=unknown_provider`);
    }
  });

  test("an unavailable provider, and one that declines, are reported", async () => {
    const browser = open();
    expect((await browser.step(new URL(`${publicUrl}/control/sign-in/gone`))).search).toBe("?sign_in=unavailable");
    await browser.visit(`${publicUrl}/control/sign-in/corp`, `${idp.url}/`);
    const state = browser.lastQuery.get("state") ?? "";
    const declined = `${publicUrl}/control/sign-in/corp/callback?error=access_denied&state=${state}&iss=${idp.url}`;
    expect((await browser.step(new URL(declined))).search).toBe("?sign_in=declined");
  });

  test("after a rotation of the provider's keys sign-ins still work", async () => {
    await idp.rotateKeys();
    await expect
      .poll(async () => (await signIn(open(), "ann", ["platform"])).href, { timeout: 15_000, interval: 1_000 })
      .toBe(`${publicUrl}/console`);
  });

  test("an address with failed sign-ins is slowed down", async () => {
    const browser = open();
    const callback = new URL(`${publicUrl}/control/sign-in/corp/callback?code=x&state=y`);
    const answers: string[] = [];
    for (let count = 0; count < 14; count += 1) answers.push((await browser.step(callback)).search);
    expect(answers[0]).toBe("?sign_in=expired");
    expect(answers.at(-1)).toBe("?sign_in=too_many");
  });

  test("no secret, code or token is printed by a process", () => {
    const output = product.output();
    expect(output).not.toContain(clientSecret);
    expect(output).not.toMatch(/eyJ[\w-]{20,}\.eyJ/);
    expect(codes).toHaveLength(2);
    for (const code of codes) expect(output).not.toContain(code);
  });
});
