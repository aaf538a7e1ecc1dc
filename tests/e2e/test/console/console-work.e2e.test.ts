import { createHmac } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { findFreePort } from "@gatehouse/ports";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { ChangingUpstream } from "../../src/console/changing-upstream.ts";
import { ConsoleVisitor } from "../../src/console/console-visitor.ts";
import { findChromium, noChromium } from "../../src/console/find-chromium.ts";
import { pageTools } from "../../src/console/page-tools.ts";
import { ControlPlaneClient } from "../../src/control-plane-client.ts";
import { IdentityProvider } from "../../src/identity-provider.ts";
import { type Product, startStandalone } from "../../src/product.ts";

const chromiumPath = findChromium();
const clientSecret = "the-secret-of-the-gateway";
const hostile = "<script>alert(1)</script> \u202Eerutuf eht";
/** The bidirectional control is shown by its code point. */
const shownHostile = hostile.replace("\u202E", "[U+202E]");

interface Heard {
  readonly body: string;
  readonly signature: string;
}

/** Number of dialogs in the second picture after Escape. */
const dialogsAfterEscape = `new Promise((resolve) => {
  document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(document.querySelectorAll("[role=dialog]").length)));
})`;

/** One product for several kinds of work: its project has an endpoint with a prompt, sessions, a webhook, and an upstream. */
describe.skipIf(chromiumPath === undefined)(chromiumPath === undefined ? noChromium : "work at the console", () => {
  let product: Product;
  let control: ControlPlaneClient;
  let visitor: ConsoleVisitor;
  let idp: IdentityProvider;
  let upstream: ChangingUpstream;
  let receiver: Server;
  const heard: Heard[] = [];
  let project: string;
  let tools: string;

  const { button, field, open } = pageTools(() => visitor.page);
  const createProject = async (name: string, type: string) => {
    return (await control.call<{ uuid: string }>("svc_create_project", { name, project_type: type })).uuid;
  };

  beforeAll(async () => {
    const port = await findFreePort();
    const url = `http://127.0.0.1:${port}`;
    const redirectUri = `${url}/control/sign-in/corp/callback`;
    idp = await IdentityProvider.start([{ id: "gatehouse", secret: clientSecret, redirectUri }]);
    const rules = [
      { claim: "groups", has: "platform", role: "owner" },
      { claim: "groups", has: "readers", role: "viewer" },
    ];
    const corp = {
      id: "corp",
      name: "Example Corp",
      issuer: idp.url,
      client_id: "gatehouse",
      scopes: ["groups"],
      rules,
    };
    product = await startStandalone({
      env: {
        PORT: String(port),
        PUBLIC_URL: url,
        EGRESS_ALLOW: "127.0.0.0/8",
        TRACE_URL_TEMPLATE: "https://traces.example.com/{trace_id}",
        SIGN_IN_PROVIDERS: JSON.stringify([{ ...corp, client_secret: "env:GATEHOUSE_SECRET_OIDC" }]),
        GATEHOUSE_SECRET_OIDC: clientSecret,
      },
    });
    product = { ...product, url };
    control = new ControlPlaneClient(product);
    upstream = await ChangingUpstream.start();
    receiver = createServer((req, res) => {
      const chunks: Buffer[] = [];
      req.on("data", (chunk: Buffer) => chunks.push(chunk));
      req.on("end", () => {
        const signature = String(req.headers["x-service-signature"]);
        heard.push({ body: Buffer.concat(chunks).toString(), signature });
        res.writeHead(204).end();
      });
    }).listen(0, "127.0.0.1");
    await once(receiver, "listening");
    await control.call("svc_create_provider", { name: "mock", kind: "mock" });
    project = await createProject(hostile, "ai_gateway");
    tools = await createProject("Tools", "mcp_gateway");
    const targets = [{ provider: "mock", model: "m-1" }];
    const prompt = { system_prompt: "You are {{mood}}.", streaming_enabled: true, monthly_budget_usd: 5 };
    await control.call("svc_create_endpoint", { project, slug: "ask", targets, ...prompt });
    await control.call("svc_create_endpoint", { project, slug: "plain", targets });
    await control.call("svc_create_upstream", { project: tools, prefix: "up", url: upstream.url });
    visitor = await ConsoleVisitor.arrive(chromiumPath ?? "", product.url);
    await visitor.page.goto("/console");
    await visitor.signIn(product.adminKey);
  });

  afterAll(async () => {
    await visitor?.leave();
    upstream?.stop();
    receiver?.close();
    await product?.stop();
    await idp?.stop();
  });

  afterEach(() => {
    expect(visitor.takeComplaints()).toEqual([]);
  });

  test("tries an endpoint with a temporary token: variables, a stream, its trail, a stop", async () => {
    await open(`/projects/${project}/playground`);
    await button("Create one for an hour").click();
    await button("Create one for an hour").waitFor({ state: "detached" });
    await field("mood").fill("kind");
    await field("Message").fill("[[mock delay=40]] Hello");
    await visitor.page.keyboard.press("Control+Enter");
    const talk = visitor.page.getByRole("region", { name: "Conversation with ask" });
    await talk.getByText("Echo: Hello", { exact: true }).waitFor();
    await talk.getByText("Provider, until it answered").waitFor();
    await talk.getByText("1 attempt").waitFor();
    await field("Message").fill("[[mock pace=200 length=100]] slow");
    await button("Send").click();
    await talk
      .getByText(/^Echo: slow/)
      .first()
      .waitFor();
    await button("Stop").click();
    await talk.getByText("Stopped").waitFor();
  });

  test("the search field does not move with the number of results, and closes at once", async () => {
    await open("/");
    await visitor.page.keyboard.press("Control+k");
    const search = visitor.page.getByRole("textbox", { name: "Search for" });
    const top = async () => (await search.boundingBox())?.y;
    await visitor.page.getByRole("dialog").getByRole("button", { name: "Projects" }).first().waitFor();
    const opened = await top();
    await search.fill("no such thing");
    await visitor.page.getByText("No matches.").waitFor();
    expect(await top()).toBe(opened);
    expect(await visitor.page.evaluate<number>(dialogsAfterEscape)).toBe(0);
  });

  test("Ctrl-K opens the search, and keys walk through the requests", async () => {
    await open("/");
    await visitor.page.keyboard.press("Control+k");
    await visitor.page.getByRole("textbox", { name: "Search for" }).fill("request");
    await visitor.page.keyboard.press("Enter");
    await visitor.page.getByRole("table", { name: "Requests", exact: true }).waitFor();
    await visitor.page.getByRole("region", { name: "Requests, table" }).focus();
    await visitor.page.keyboard.press("j");
    await visitor.page.keyboard.press("j");
    await visitor.page.keyboard.press("k");
    await visitor.page.keyboard.press("Enter");
    const dialog = visitor.page.getByRole("dialog", { name: "Request" });
    await dialog.getByText("Source").waitFor();
    await dialog.getByText("Sending the reply").or(dialog.getByText("No step of this request")).waitFor();
    expect(await dialog.getByLabel("The call with curl", { exact: true }).textContent()).toContain("Bearer $TOKEN");
    await visitor.page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  });

  test("finds a request by its error, and exports the matching ones as CSV", async () => {
    const { token } = await control.call<{ token: string }>("svc_create_token", {
      project,
      name: "t",
      scopes: ["chat"],
    });
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    await fetch(`${product.url}/api/${project}/ask`, { method: "POST", headers, body: '{"message":"x"}' });
    await open("/requests");
    await field("Error").fill("MOOD");
    await visitor.page.keyboard.press("Enter");
    await visitor.page.getByRole("cell", { name: /mood/ }).waitFor();
    expect(visitor.page.url()).toContain("error=MOOD");
    const download = visitor.page.waitForEvent("download");
    await button("Export").click();
    await visitor.page.getByRole("menuitem", { name: "CSV" }).click();
    const saved = await readFile(await (await download).path(), "utf8");
    expect(saved).toMatch(/^id,at,request_id,/);
    expect(saved.trimEnd().split("\r\n")).toHaveLength(2);
  });

  test("calls a tool by its form, and approves a changed definition after its comparison", async () => {
    await open(`/projects/${tools}/upstreams`);
    await visitor.page.getByRole("link", { name: "up", exact: true }).click();
    await button("List tools again").click();
    await button("Call repeat").click();
    await button("Create one for an hour").click();
    await button("Create one for an hour").waitFor({ state: "detached" });
    await field("Text").fill("hello");
    await button("Call the tool").click();
    await visitor.page.getByLabel("Result", { exact: true }).getByText("Said: hello").waitFor();
    upstream.description = "Repeats a text, and tells others.";
    await button("List tools again").click();
    const change = visitor.page.getByRole("region", { name: "What has changed in repeat" });
    await change.getByText('+   "description": "Repeats a text, and tells others."').waitFor();
    await open("/");
    const problems = visitor.page.getByRole("region", { name: "Needs attention" });
    const toApprove = problems.getByText("Tools to approve");
    await toApprove.waitFor();
    await problems.getByRole("link", { name: /: up$/ }).click();
    await visitor.page.getByRole("link", { name: "up", exact: true }).click();
    await change.waitFor();
    upstream.description = "Repeats a text, and deletes others.";
    const { upstreams } = await control.call<{ upstreams: { id: number }[] }>("svc_list_upstreams", { project: tools });
    await control.call("svc_refresh_upstream", { upstream_id: upstreams[0]?.id });
    await button("Approve repeat").click();
    await visitor.page.getByRole("alert").getByText("nothing was approved").waitFor();
    await change.getByText('+   "description": "Repeats a text, and deletes others."').waitFor();
    await button("Approve repeat").click();
    await change.waitFor({ state: "detached" });
    await open("/");
    await problems.getByText("No known problems.").or(problems.getByRole("link").first()).waitFor();
    await toApprove.waitFor({ state: "detached" });
  });

  test("rotates a webhook's secret in stages, and verifies the signature of a delivery", async () => {
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    const made = { project, name: hostile, url, events: ["token.created"] };
    const { id, secret } = await control.call<{ id: number; secret: string }>("svc_create_webhook", made);
    await open(`/projects/${project}/webhooks/${id}`);
    await button("Send test").click();
    await visitor.page.getByRole("region", { name: "Delivery" }).getByText("204", { exact: true }).waitFor();
    const { body = "", signature = "" } = heard.at(-1) ?? {};
    expect(signature).toBe(`sha256=${createHmac("sha256", secret).update(body).digest("hex")}`);
    await button("Check a signature of this body").click();
    await field("Signing secret").fill(secret);
    await field("X-Service-Signature that the receiver got").fill(signature);
    await button("Check").click();
    await visitor.page.getByText("The signature is valid").waitFor();
    await button("Rotate secret").click();
    await visitor.page.getByRole("radio", { name: "Staged" }).check();
    await button("Make a new secret").click();
    await button("I have copied it").click();
    await visitor.page.getByText(/staged: the older secret signs first/).waitFor();
    await button("Promote the new secret").click();
    await visitor.page.getByText("Only the new secret signs from now on").waitFor();
    await visitor.page.getByLabel("Event", { exact: true }).selectOption("token.created");
    await visitor.page.getByRole("heading", { name: "No deliveries" }).waitFor();
  });

  test("names the endpoints that stop before a provider is disabled", async () => {
    await open("/providers");
    await visitor.page.getByText("mock is enabled").or(visitor.page.getByLabel("mock is enabled")).first().click();
    const dialog = visitor.page.getByRole("dialog");
    await dialog.getByText(/2 endpoints stop/).waitFor();
    await dialog.getByRole("button", { name: "Keep it" }).click();
  });

  test("hostile names are texts, and no page is wider than a phone", async () => {
    await visitor.page.setViewportSize({ width: 360, height: 740 });
    const paths = ["/", "/providers", "/requests", "/audit", "/system"];
    const parts = ["/endpoints", "/playground", "/sessions", "/guardrails", "/webhooks/1", ""];
    for (const path of [...paths, ...parts.map((part) => `/projects/${project}${part}`)]) {
      await open(path);
      await visitor.settle();
      const overflow = await visitor.page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
      expect({ path, overflow }).toEqual({ path, overflow: 0 });
    }
    expect(await visitor.page.getByRole("heading", { level: 1 }).textContent()).toBe(shownHostile);
    await visitor.page.setViewportSize({ width: 3_840, height: 2_160 });
    await open("/");
    await visitor.page.setViewportSize({ width: 1_360, height: 860 });
  });

  test("a name that cannot be seen is shown by the numbers of its characters, and can be opened and deleted", async () => {
    await createProject("\u200B", "ai_gateway");
    await open("/projects");
    await visitor.page.getByRole("link", { name: "[U+200B]" }).click();
    await visitor.page.getByRole("heading", { name: "[U+200B]", level: 1 }).waitFor();
    await visitor.page.getByRole("link", { name: "Settings" }).click();
    await button("Delete project").click();
    await field("Type [U+200B] to confirm").fill("[U+200B]");
    await visitor.page.getByRole("dialog").getByRole("button", { name: "Delete project" }).click();
    await visitor.page.waitForURL("**/console/projects");
  });

  test("a name of 10,000 characters is refused beside its field", async () => {
    await open("/projects");
    await button("Create project").click();
    await field("Name").fill("x".repeat(10_000));
    await visitor.page.getByRole("dialog").getByRole("button", { name: "Create project" }).click();
    await visitor.page.getByText(/^name must have at most/).waitFor();
  });

  test("an unreachable gateway is reported, and the page loads after another try", async () => {
    await open("/projects");
    await visitor.page.getByRole("link", { name: shownHostile }).waitFor();
    await visitor.page.route("**/control/**", async (route) => await route.abort());
    await visitor.page.getByRole("link", { name: "Providers" }).click();
    await visitor.page.getByText("The gateway is not responding.").first().waitFor({ timeout: 15_000 });
    await visitor.page.unroute("**/control/**");
    await button("Try again").first().click();
    await visitor.page.getByRole("table", { name: "Providers" }).waitFor();
    expect(visitor.takeComplaints().every((text) => text.includes("ERR_FAILED"))).toBe(true);
  });

  test("an open page loads its data from a gateway that was restarted", async () => {
    await open("/projects");
    await product.restart(0);
    await visitor.page.getByRole("link", { name: "Providers" }).click();
    await visitor.page.getByRole("table", { name: "Providers" }).waitFor();
    visitor.takeComplaints();
  }, 60_000);

  test("people sign in with their provider, return to their page, and lose rights with their role", async () => {
    await visitor.page.getByRole("button", { name: /^Signed in as/ }).click();
    await visitor.page.getByRole("menuitem", { name: "Sign out" }).click();
    await field("Admin key").waitFor();
    await visitor.page.goto(`/console/projects/${tools}/settings`);
    const atProvider = visitor.page.getByRole("link", { name: "Sign in with Example Corp" });
    // A refused sign-in keeps the page's address for the next one.
    idp.expect({ id: "ann", claims: { groups: [] } });
    await atProvider.click();
    await visitor.page.getByRole("alert").getByText("You have no role in this gateway.").waitFor();
    idp.expect({ id: "ann", claims: { groups: ["platform"] } });
    await atProvider.click();
    await field("Name").waitFor();
    expect(new URL(visitor.page.url()).pathname).toBe(`/console/projects/${tools}/settings`);
    await field("Name").fill("Mine");
    // Ann signs in elsewhere after a change of her group.
    const elsewhere = await visitor.openStranger();
    idp.expect({ id: "ann", claims: { groups: ["readers"] } });
    await elsewhere.page.goto("/console");
    await elsewhere.page.getByRole("link", { name: "Sign in with Example Corp" }).click();
    await elsewhere.page.getByRole("navigation", { name: "Main" }).waitFor();
    await elsewhere.leave();
    await button("Save").click();
    await visitor.page.getByRole("alert").waitFor();
    await visitor.page.getByRole("link", { name: "Settings", exact: true }).waitFor({ state: "detached" });
    expect(await field("Name").inputValue()).toBe("Mine");
    visitor.takeComplaints();
  });
});
