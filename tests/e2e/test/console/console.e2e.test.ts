import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { ConsoleVisitor } from "../../src/console/console-visitor.ts";
import { findChromium, noChromium } from "../../src/console/find-chromium.ts";
import { pageTools } from "../../src/console/page-tools.ts";
import { ControlPlaneClient, uniqueName } from "../../src/control-plane-client.ts";
import { type Product, startStandalone } from "../../src/product.ts";

const chromiumPath = findChromium();
const screenshots = fileURLToPath(new URL("../../../../.results/console", import.meta.url));

describe.skipIf(chromiumPath === undefined)(chromiumPath === undefined ? noChromium : "the console", () => {
  let product: Product;
  let control: ControlPlaneClient;
  let receiver: Server;
  let visitor: ConsoleVisitor;
  let project: string;

  const { button, choose, field, open } = pageTools(() => visitor.page);
  const heading = (name: string) => visitor.page.getByRole("heading", { name, exact: true });

  beforeAll(async () => {
    await mkdir(screenshots, { recursive: true });
    receiver = createServer((_req, res) => {
      res.writeHead(202, { "content-type": "text/plain", "set-cookie": "session=hush" }).end("thanks");
    });
    receiver.listen(0, "127.0.0.1");
    await once(receiver, "listening");
    product = await startStandalone({ env: { EGRESS_ALLOW: "127.0.0.0/8" } });
    control = new ControlPlaneClient(product);
    await control.call("svc_create_provider", { name: "mock", kind: "mock" });
    visitor = await ConsoleVisitor.arrive(chromiumPath ?? "", product.url);
  });

  afterAll(async () => {
    await visitor?.leave();
    receiver?.close();
    await product?.stop();
  });

  afterEach(async ({ task }) => {
    if (task.result?.state === "fail") await visitor.page.screenshot({ path: `${screenshots}/failed-${task.id}.png` });
    expect(visitor.takeComplaints()).toEqual([]);
  });

  test("refuses a wrong key, accepts a right one by keyboard alone, and stores it nowhere", async () => {
    await visitor.page.goto("/console/projects");
    await button("Sign in").waitFor();
    // Without an earlier sign-in the gateway is not asked for a session, and the browser's console shows no refusal.
    expect(visitor.takeComplaints()).toEqual([]);
    await field("Admin key").fill(`svc_admin_${"0".repeat(48)}`);
    await visitor.page.keyboard.press("Enter");
    await visitor.page.getByRole("alert").getByText("unknown or revoked").waitFor();
    expect(visitor.takeComplaints()).toEqual([expect.stringContaining("401")]);
    await visitor.signIn(product.adminKey);
    await heading("Projects").and(visitor.page.locator(":focus")).waitFor();
    const kept = await visitor.page.evaluate<string>(
      "JSON.stringify([localStorage, sessionStorage, document.cookie, location.href])",
    );
    expect(kept).not.toContain("svc_admin_");
    expect(kept).not.toContain("gatehouse_session");
  });

  test("makes a project, an endpoint and a token whose call works", async () => {
    const name = uniqueName("Shop <b>");
    await open("/projects");
    await button("Create project").click();
    await field("Name").fill(name);
    await visitor.page.getByRole("dialog").getByRole("button", { name: "Create project" }).click();
    await heading(name).waitFor();
    project = /projects\/([0-9a-f-]{36})/.exec(visitor.page.url())?.[1] ?? "";

    await visitor.page.getByRole("link", { name: "Endpoints" }).click();
    await button("Create endpoint").click();
    await visitor.page.getByRole("dialog").getByRole("button", { name: "Create endpoint" }).click();
    await visitor.page.getByText("This is required.").first().waitFor();
    await field("Slug").fill("Not A Slug");
    await button("Add target").click();
    await visitor.page.getByRole("combobox", { name: "Provider 1" }).fill("mock");
    await field("Model 1").fill("mock-1");
    await visitor.page.getByRole("dialog").getByRole("button", { name: "Create endpoint" }).click();
    await visitor.page.getByText("slug must match").waitFor();
    await field("Slug").fill("help");
    await visitor.page.getByRole("dialog").getByRole("button", { name: "Create endpoint" }).click();
    await visitor.page.getByRole("cell", { name: "help", exact: true }).waitFor();

    await visitor.page.getByRole("link", { name: "Tokens", exact: true }).click();
    await button("Create token").click();
    await field("Name").fill("app");
    await visitor.page.getByRole("dialog").getByRole("button", { name: "Create token" }).click();
    const token = (await visitor.page.getByLabel("Token app", { exact: true }).textContent()) ?? "";
    expect(token).toMatch(/^svc_live_/);
    const reply = await fetch(`${product.url}/api/${project}/help`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ message: "Hello!" }),
    });
    expect({ status: reply.status, body: await reply.json() }).toMatchObject({ status: 200, body: { ok: true } });
    await button("I have copied it").click();
    expect(await visitor.page.content()).not.toContain(token);

    await visitor.page.getByRole("link", { name: "Endpoints" }).click();
    await button("Try it").click();
    await field("Token of this project").fill(token);
    await button("Send").click();
    await visitor.page.getByText("Echo: Hello!").waitFor();
  });

  test("creates a webhook, sends a test, and shows request and response side by side", async () => {
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    await open(`/projects/${project}/webhooks`);
    await button("Create webhook").click();
    await field("Name").fill("shop");
    await field("URL").fill(url);
    await button("All events").click();
    await visitor.page.locator(".mantine-MultiSelect-pill").getByText("webhook.test", { exact: true }).waitFor();
    await button("No events").click();
    await visitor.page.locator(".mantine-MultiSelect-pill").first().waitFor({ state: "detached" });
    await visitor.page.getByRole("combobox", { name: "Events" }).or(field("Events")).first().click();
    await visitor.page.getByRole("option", { name: "token.created" }).click();
    await visitor.page.keyboard.press("Escape");
    await visitor.page.getByRole("dialog").getByRole("button", { name: "Create webhook" }).click();
    const secret = await visitor.page.getByLabel("Signing secret of shop", { exact: true }).textContent();
    expect(secret).toMatch(/^whsec_/);
    await button("I have copied it").click();

    await button("Send test").click();
    const delivery = visitor.page.getByRole("region", { name: "Delivery" });
    await delivery.getByText("202", { exact: true }).waitFor();
    expect(await delivery.getByLabel("Request body", { exact: true }).textContent()).toContain("webhook.test");
    expect(await delivery.getByLabel("Response body", { exact: true }).textContent()).toContain("thanks");
    const headers = await delivery.getByLabel("Response headers", { exact: true }).textContent();
    expect(headers).toContain("content-type: text/plain");
    expect(headers).toContain("set-cookie: (not kept)");
    expect(visitor.page.url()).toMatch(/delivery=/);

    const first = visitor.page.url();
    await button("Resend").click();
    await visitor.page.waitForURL((url) => url.href !== first);
    await delivery.getByText("Resend of").waitFor();
    const firstUuid = new URL(first).searchParams.get("delivery");
    const requestHeaders = await delivery.getByLabel("Request headers", { exact: true }).textContent();
    expect(requestHeaders).toContain(`webhook-id: ${firstUuid}`);
    expect(requestHeaders).toContain("webhook-signature: v1,…");
    await delivery.getByText("Signatures are not stored.").waitFor();
    await delivery.getByRole("link", { name: firstUuid?.slice(0, 8) ?? "" }).click();
    await visitor.page.waitForURL(first);
    await delivery.getByText("Resend of").waitFor({ state: "detached" });
    await visitor.page.getByText("Failed", { exact: true }).click();
    await heading("No deliveries").waitFor();
    expect(visitor.page.url()).toContain("success=false");
  });

  test("sets a guardrail, and marks what it finds in a text", async () => {
    await open(`/projects/${project}/guardrails`);
    await visitor.page.getByRole("group", { name: "PII" }).getByLabel("Mode").first().selectOption("block");
    await button("Save policy").click();
    await visitor.page.getByText("The policy is saved and applies now.").waitFor();
    await field("Text").fill("Write to jane@example.com today.");
    await button("Check the text").click();
    await visitor.page.getByText("Blocked", { exact: true }).waitFor();
    expect(await visitor.page.locator("mark").textContent()).toBe("jane@example.com");
    await control.call("svc_set_guardrails", { project, clear: true });
  });

  test("opens one call of the log by its URL, which keeps filters too", async () => {
    await open("/requests");
    await visitor.page.getByLabel("Status").selectOption("2xx");
    await choose("Project", project);
    await visitor.page.getByRole("cell", { name: "chat_direct" }).first().waitFor();
    expect(visitor.page.url()).toContain("status=2xx");
    await visitor.page.getByRole("table", { name: "Requests" }).getByRole("button").first().click();
    await visitor.page.getByRole("dialog", { name: "Request" }).getByText("Request id").waitFor();
    await visitor.page.reload();
    await visitor.page.getByRole("dialog", { name: "Request" }).getByText("mock/mock-1").waitFor();
  });

  test("sums requests up by time and group, and leads to the log behind a number", async () => {
    await open("/");
    await visitor.page.getByRole("figure").filter({ hasText: "Latency" }).waitFor();
    await visitor.page.getByLabel("Group by").selectOption("provider");
    const groups = visitor.page.getByRole("table", { name: "Requests by provider" });
    await groups.getByRole("link", { name: "mock" }).waitFor();
    await visitor.page.getByLabel("Time", { exact: true }).selectOption("1");
    await visitor.page.waitForURL(/hours=1/);
    expect(visitor.page.url()).toMatch(/by=provider/);
    const overview = visitor.page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Overview" });
    expect(await overview.getAttribute("aria-current")).toBe("page");
    await groups.getByRole("link", { name: "mock" }).click();
    await visitor.page.getByRole("cell", { name: "mock/mock-1" }).first().waitFor();
    await visitor.page.getByRole("button", { name: "Remove the filter Provider mock" }).click();
    await visitor.page.waitForURL((url) => !url.search.includes("provider"));
    await visitor.page.goBack();
    const chart = visitor.page.getByRole("slider", { name: /^Requests by time/ });
    await chart.focus();
    await visitor.page.keyboard.press("ArrowLeft");
    expect(await chart.getAttribute("aria-valuetext")).toMatch(/ · succeeded \d+ · errors \d+$/);
    await visitor.page.getByRole("figure").first().getByRole("link", { includeHidden: true }).last().click();
    await visitor.page.getByRole("button", { name: /^Remove the filter .* UTC$/ }).waitFor();
    expect(visitor.page.url()).toMatch(/since=.*until=/);
  });

  test("trusts an issuer, and revokes a subject before its first call", async () => {
    await open(`/projects/${project}/issuers`);
    await button("Add issuer").click();
    const dialog = visitor.page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "Issuer" }).fill("https://127.0.0.1:1");
    await dialog.getByRole("textbox", { name: "Audience" }).fill("gatehouse");
    await dialog.getByLabel("chat").check();
    await dialog.getByRole("button", { name: "Add issuer" }).click();
    await visitor.page.getByText("The issuer is saved.").waitFor();
    await visitor.page.getByText("Saved, with a warning").waitFor();
    await button("Subjects").click();
    await heading("No subjects yet").waitFor();
    await button("Revoke by name").click();
    await field("Subject").fill("ann@example.com");
    await visitor.page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await visitor.page.getByRole("row", { name: /ann@example\.com Revoked/ }).waitFor();
    expect(visitor.page.url()).toMatch(/issuer=\d/);
  });

  test("ends another session of the console", async () => {
    const other = await fetch(`${product.url}/control/session`, {
      method: "POST",
      headers: { "content-type": "application/json", "user-agent": "another browser" },
      body: JSON.stringify({ key: product.adminKey }),
    });
    const cookie = (other.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
    await open("/system");
    await visitor.page
      .getByRole("row", { name: /another browser/ })
      .getByRole("button", { name: "End" })
      .click();
    await visitor.page.getByRole("dialog").getByRole("button", { name: "End" }).click();
    await visitor.page.getByRole("row", { name: /another browser/ }).waitFor({ state: "detached" });
    const refused = await fetch(`${product.url}/control/session`, { headers: { cookie } });
    expect(refused.status).toBe(401);
  });

  test("a person's own sessions are in the personal menu: one is ended, then all others", async () => {
    const signIn = async (agent: string, key = product.adminKey) =>
      await fetch(`${product.url}/control/session`, {
        method: "POST",
        headers: { "content-type": "application/json", "user-agent": agent },
        body: JSON.stringify({ key }),
      });
    const robot = await control.call<{ key: string }>("svc_create_admin_key", { name: "robot", role: "viewer" });
    for (const agent of ["one", "two", "three"]) await signIn(agent);
    await signIn("another person", robot.key);
    await open("/projects");
    await button(/^Signed in as/).click();
    await visitor.page.getByRole("menuitem", { name: "Your sessions" }).click();
    const rows = visitor.page.getByRole("table", { name: "Your sessions" }).locator("tbody").getByRole("row");
    await rows.filter({ hasText: "This one" }).waitFor();
    expect(await rows.filter({ hasText: "another person" }).count()).toBe(0);
    expect(await rows.filter({ hasText: "This one" }).count()).toBe(1);
    const before = await rows.count();
    await rows.filter({ hasText: "two" }).getByRole("button", { name: "End" }).click();
    await visitor.page.getByRole("dialog", { name: "End?" }).getByRole("button", { name: "End" }).click();
    await expect.poll(async () => await rows.count()).toBe(before - 1);
    await button("End all others").click();
    await visitor.page
      .getByRole("dialog", { name: "End all others?" })
      .getByRole("button", { name: "End all others" })
      .click();
    await expect.poll(async () => await rows.count()).toBe(1);
    await rows.filter({ hasText: "This one" }).waitFor();
    const left = await control.call<{ console_sessions: readonly { name: string; user_agent: string }[] }>(
      "svc_list_console_sessions",
    );
    expect(left.console_sessions.filter(({ name }) => name === "robot")).toHaveLength(1);
    expect(left.console_sessions).toHaveLength(2);
    await visitor.page.keyboard.press("Escape");
    await open("/projects");
  });

  test("verifies the audit log, and exports and plans the configuration", async () => {
    await open("/audit?event=token.created");
    await visitor.page.getByRole("cell", { name: "token.created" }).first().waitFor();
    await visitor.page.getByRole("table", { name: "Events" }).getByRole("button").first().click();
    await visitor.page.getByRole("dialog", { name: "token.created" }).getByText('"token_id"').waitFor();
    expect(visitor.page.url()).toMatch(/entry=\d/);
    await visitor.page.goBack();
    await visitor.page.getByRole("dialog").waitFor({ state: "detached" });
    await button("Verify the log").click();
    await visitor.page.getByText(/entries in .* unchanged/).waitFor();
    await open("/system");
    await button("Export configuration").click();
    expect(await visitor.page.getByLabel("Configuration", { exact: true }).textContent()).toContain("projects");
    const document = { version: "1", providers: [{ name: "planned", kind: "mock" }] };
    await field("Document").fill(JSON.stringify(document));
    await button("Show the plan").click();
    await visitor.page.getByText("1 change would be made.").waitFor();
    await visitor.page
      .getByRole("region", { name: "Change of provider planned" })
      .getByText('+ kind: "mock"')
      .waitFor();
    await button("Apply these changes").click();
    await visitor.page.getByText("1 change was made.").waitFor();
  });

  test("an unknown URL shows an error, and a missing project shows the request id", async () => {
    await visitor.page.goto("/console/nowhere");
    await heading("Page not found").waitFor();
    await visitor.page.goto("/console/projects/00000000-0000-4000-8000-000000000000");
    await visitor.page.getByRole("alert").getByText(/^req-/).waitFor();
  });

  test("an ended session asks for a sign-in on top of the page, and keeps its input", async () => {
    await open(`/projects/${project}/settings`);
    await field("Name").fill("A name half typed");
    await visitor.page.context().clearCookies();
    await button("Save").click();
    await visitor.page.getByRole("dialog", { name: "Your session has ended" }).waitFor();
    await visitor.page.getByRole("dialog").getByRole("textbox", { name: "Admin key" }).fill(product.adminKey);
    await visitor.page.keyboard.press("Enter");
    await button("Save").click();
    await visitor.page.getByText("The project is saved.").waitFor();
    await heading("A name half typed").waitFor();
    // Chromium reports each refusal.
    expect(visitor.takeComplaints().filter((text) => !/\b401\b/.test(text))).toEqual([]);
  });

  test("a project is deleted only after its name is typed", async () => {
    await open(`/projects/${project}/settings`);
    await button("Delete project").click();
    const dialog = visitor.page.getByRole("dialog");
    expect(await dialog.getByRole("button", { name: "Delete project" }).isDisabled()).toBe(true);
    await dialog.getByRole("textbox").fill("A name half typed");
    await dialog.getByRole("button", { name: "Delete project" }).click();
    await visitor.page.getByText("A name half typed is deleted.").waitFor();
  });

  test('"All events" selects only events that the role for named projects may choose', async () => {
    const reached = { name: uniqueName("Reached"), project_type: "ai_gateway" };
    const { uuid } = await control.call<{ uuid: string }>("svc_create_project", reached);
    const given = { name: "confined", role: "editor", projects: [uuid] };
    const { key } = await control.call<{ key: string }>("svc_create_admin_key", given);
    await visitor.page.getByRole("button", { name: /^Signed in as/ }).click();
    await visitor.page.getByRole("menuitem", { name: "Sign out" }).click();
    await visitor.signIn(key);
    await open(`/projects/${uuid}/webhooks`);
    await button("Create webhook").click();
    await field("Name").fill("all of the project");
    await field("URL").fill("http://127.0.0.1:9/");
    await button("All events").click();
    await visitor.page.getByRole("dialog").getByRole("button", { name: "Create webhook" }).click();
    await visitor.page.getByLabel("Signing secret of all of the project", { exact: true }).waitFor();
    await button("I have copied it").click();
  });

  test("changes that a viewer may not make are not offered", async () => {
    const { key } = await control.call<{ key: string }>("svc_create_admin_key", { name: "reader", role: "viewer" });
    const { uuid } = await control.call<{ uuid: string }>("svc_create_project", {
      name: uniqueName("Read"),
      project_type: "ai_gateway",
    });
    const offers: readonly (readonly [string, readonly string[]])[] = [
      ["/projects", ["Create project"]],
      [`/projects/${uuid}/endpoints`, ["Create endpoint"]],
      [`/projects/${uuid}/tokens`, ["Create token"]],
      [`/projects/${uuid}/issuers`, ["Add issuer"]],
      [`/projects/${uuid}/webhooks`, ["Create webhook"]],
      ["/providers", ["Add provider", "Add credential"]],
      ["/system", ["Create admin key"]],
    ];
    const signInAgain = async (as: string) => {
      await visitor.page.getByRole("button", { name: /^Signed in as/ }).click();
      await visitor.page.getByRole("menuitem", { name: "Sign out" }).click();
      await visitor.signIn(as);
    };
    await signInAgain(product.adminKey);
    for (const [path, names] of offers) {
      await open(path);
      for (const name of names) await button(name).first().waitFor();
    }
    await signInAgain(key);
    for (const [path, names] of offers) {
      await open(path);
      await visitor.settle();
      for (const name of names) expect(await button(name).count(), `${path}: ${name}`).toBe(0);
    }
  });

  test("sends no requests to other hosts than the gateway", () => {
    expect(visitor.hostsAsked()).toEqual([new URL(product.url).host]);
  });
});
