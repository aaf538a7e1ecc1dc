import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type ConsoleFixture, openConsoleFixture } from "../../src/console/console-fixture.ts";
import { findChromium, noChromium } from "../../src/console/find-chromium.ts";
import { pageTools } from "../../src/console/page-tools.ts";
import { describeOne } from "./one-suite.ts";
import { describeSums } from "./sums-suite.ts";

const chromiumPath = findChromium();

/** Receivers, providers, credentials and checks with their states; and forms left by mistake. */
describe.skipIf(chromiumPath === undefined)(chromiumPath === undefined ? noChromium : "health at the console", () => {
  let fixture: ConsoleFixture;
  let failing: Server;
  const page = () => fixture.visitor.page;
  const { button, choose, dialog, field, open } = pageTools(page);
  const tab = (name: string) =>
    page().getByRole("navigation", { name: "Parts of the project" }).getByRole("link", { name, exact: true });

  beforeAll(async () => {
    failing = createServer((req, res) => {
      req.resume();
      res.writeHead(500).end();
    }).listen(0, "127.0.0.1");
    await once(failing, "listening");
    fixture = await openConsoleFixture(chromiumPath ?? "");
  });
  afterAll(async () => {
    failing?.close();
    await fixture?.stop();
  });
  afterEach(() => {
    expect(fixture.visitor.takeComplaints()).toEqual([]);
  });

  test("a receiver that fails is in the list of webhooks and on the overview, with the way there", async () => {
    const url = `http://127.0.0.1:${(failing.address() as AddressInfo).port}/hook`;
    const given = { project: fixture.shop, name: "Broken", url, events: ["token.created"] };
    const { id } = await fixture.control.call<{ id: number }>("svc_create_webhook", given);
    await fixture.control.call("svc_test_webhook", { webhook_id: id });
    await open(`/projects/${fixture.shop}/webhooks`);
    await page()
      .getByRole("row", { name: /^Orders .*100.% of 1/ })
      .waitFor();
    await page()
      .getByRole("row", { name: /^Broken .*0.% of 1, the last failed The receiver answered 500/ })
      .waitFor();
    await open("/");
    const problems = page().getByRole("region", { name: "Needs attention" });
    await problems.getByText("The receiver answered 500.").waitFor();
    await problems.getByRole("link", { name: "Broken" }).click();
    await page().getByRole("region", { name: "Delivery" }).waitFor();
  });

  test("a failing receiver of any of a person's projects is on the overview", async () => {
    const projects = [fixture.wrapper, fixture.shop];
    const { key } = await fixture.control.call<{ key: string }>("svc_create_admin_key", {
      name: "of two projects",
      role: "viewer",
      projects,
    });
    const confined = await fixture.visitor.openStranger();
    await confined.page.goto("/console");
    await confined.signIn(key);
    await confined.page
      .getByRole("region", { name: "Needs attention" })
      .getByRole("link", { name: "Broken" })
      .waitFor();
    expect(confined.takeComplaints()).toEqual([]);
    await confined.leave();
  });

  test("a provider without calls is not shown as healthy, and a credential shows its last success", async () => {
    await fixture.control.call("svc_create_credential", { provider: "mock", name: "of mock", api_key: "k".repeat(20) });
    await fetch(`${fixture.product.url}/api/${fixture.shop}/summaries`, {
      method: "POST",
      headers: { authorization: `Bearer ${fixture.token}`, "content-type": "application/json" },
      body: JSON.stringify({ message: "Hello" }),
    });
    await open("/providers");
    await page()
      .getByRole("row", { name: /^mock mock built in Healthy/ })
      .waitFor();
    await page()
      .getByRole("row", { name: /^spare .*No calls yet/ })
      .waitFor();
    const lastSuccess = (row: RegExp) => page().getByRole("row", { name: row }).getByRole("cell").nth(3);
    await lastSuccess(/^of mock mock /)
      .getByText(/just now|second/)
      .waitFor();
    await lastSuccess(/^main spare /)
      .getByText("none recently")
      .waitFor();
  });

  test("findings are charted by check and day, and each day links to its requests", async () => {
    await open(`/projects/${fixture.shop}/guardrails`);
    const chart = page()
      .getByRole("figure")
      .filter({ hasText: /^Pii: \d/i });
    await chart.getByText("masked").waitFor();
    await chart.getByRole("link", { includeHidden: true }).last().click();
    await page().waitForURL(/\/requests\?.*since=.*until=/);
  });

  test("a request, a sum and a search lead in one click to the token, the requests and the webhook's form", async () => {
    const { shop, tokenId } = fixture;
    await open(`/requests?project=${shop}`);
    await page().getByRole("table", { name: "Requests" }).getByRole("button").first().click();
    await page().getByRole("dialog", { name: "Request" }).getByRole("link", { name: "Shop front" }).click();
    await page().waitForURL(`**/projects/${shop}/tokens/${tokenId}`);
    await open("/");
    await page()
      .getByRole("table", { name: "Usage by endpoint" })
      .getByRole("link", { name: "Web shop / help", exact: true })
      .click();
    await page().waitForURL(/\/requests\?.*endpoint=/);
    await page().getByRole("cell", { name: "chat_direct" }).first().waitFor();
    // Administrators of named projects read the log of one at a time.
    await open(`/projects/${shop}`);
    await page()
      .getByRole("table", { name: "Usage by endpoint" })
      .getByRole("link", { name: "help", exact: true })
      .click();
    await page().waitForURL(`**/requests?*project=${shop}*`);
    await page().getByRole("cell", { name: "chat_direct" }).first().waitFor();
    await page().keyboard.press("Control+k");
    await dialog().getByRole("textbox").fill("Nightly");
    await dialog().getByText("Nightly reports").click();
    await page().waitForURL(/\/tokens\/\d+$/);
    await open(`/projects/${shop}/webhooks/${fixture.webhookId}`);
    await button("Edit").click();
    await field("Name").fill("Orders, renamed");
    await dialog().getByRole("button", { name: "Save" }).click();
    await page().getByRole("heading", { name: "Orders, renamed" }).waitFor();
  });

  test("a form with input asks before it is left by Escape, a link or Back", async () => {
    await open(`/projects/${fixture.shop}/webhooks`);
    await page().getByRole("link", { name: "Tokens", exact: true }).click();
    await button("Create token").click();
    await field("Name").fill("half typed");
    await page().keyboard.press("Escape");
    await page().getByRole("dialog", { name: "Discard the form?" }).getByRole("button", { name: "Stay" }).click();
    expect(await field("Name").inputValue()).toBe("half typed");
    await page().goBack();
    await page().getByRole("dialog", { name: "Leave this page?" }).getByRole("button", { name: "Stay" }).click();
    expect(await field("Name").inputValue()).toBe("half typed");
    await page().keyboard.press("Escape");
    await button("Discard").click();
    await dialog().waitFor({ state: "detached" });
    await open(`/projects/${fixture.shop}/settings`);
    await field("Name").fill("Half typed");
    await page().getByRole("link", { name: "Tokens", exact: true }).click();
    await page().getByRole("button", { name: "Leave", exact: true }).click();
    await button("Create token").waitFor();
  });

  test("unsaved settings of a policy ask before another endpoint's policy is shown", async () => {
    await open(`/projects/${fixture.shop}/guardrails`);
    const mode = page().getByRole("group", { name: "PII" }).getByLabel("Mode").first();
    await mode.selectOption("block");
    await choose("Policy of", "Endpoint help");
    await page().getByRole("dialog", { name: "Leave this page?" }).getByRole("button", { name: "Stay" }).click();
    expect(await mode.inputValue()).toBe("block");
    await choose("Policy of", "Endpoint help");
    await page().getByRole("button", { name: "Leave", exact: true }).click();
    await page().waitForURL(/\?endpoint=/);
  });

  test("a tool's typed arguments are not lost by Escape", async () => {
    await open(`/projects/${fixture.tools}/upstreams`);
    await page().getByRole("link", { name: "up", exact: true }).click();
    await button("List tools again").click();
    await button("Call repeat").click();
    await field("Text").fill("half typed");
    await page().keyboard.press("Escape");
    await page().getByRole("dialog", { name: "Discard the form?" }).getByRole("button", { name: "Stay" }).click();
    expect(await field("Text").inputValue()).toBe("half typed");
    await page().keyboard.press("Escape");
    await button("Discard").click();
    await page().getByRole("dialog", { name: "up" }).waitFor({ state: "detached" });
  });

  test("a secret shown once asks before a link leaves it, and a form without changes closes at once", async () => {
    await open(`/projects/${fixture.shop}/tokens`);
    await button("Create token").click();
    await field("Name").waitFor();
    await page().keyboard.press("Escape");
    await dialog().waitFor({ state: "detached" });
    await button("Create token").click();
    await field("Name").fill("once");
    await dialog().getByRole("button", { name: "Create token" }).click();
    const token = page().getByLabel("Token once", { exact: true });
    await token.waitFor();
    await tab("Guardrails").click();
    await page().getByRole("dialog", { name: "Leave this page?" }).getByText("is shown only once").waitFor();
    await button("Stay").click();
    await token.waitFor();
    await button("I have copied it").click();
    await tab("Guardrails").click();
    await page().getByRole("heading", { name: "Policy" }).waitFor();
  });

  test("a form whose token is being created stays open, and shows its secret", async () => {
    const isCreation = (body: string | null) => body?.includes("svc_create_token") === true;
    const answer = Promise.withResolvers<void>();
    await open(`/projects/${fixture.shop}/tokens`);
    await page().route("**/control/mcp", async (route) => {
      if (isCreation(route.request().postData())) await answer.promise;
      await route.continue();
    });
    await button("Create token").click();
    await field("Name").fill("slow");
    const asked = page().waitForRequest((request) => isCreation(request.postData()));
    await dialog().getByRole("button", { name: "Create token" }).click();
    await asked;
    await page().keyboard.press("Escape");
    await expect.poll(async () => await button("Cancel").isDisabled()).toBe(true);
    answer.resolve();
    await page().getByLabel("Token slow", { exact: true }).waitFor();
    await button("I have copied it").click();
    await page().unrouteAll({ behavior: "wait" });
  });

  describeSums(() => fixture);
  describeOne(() => fixture);
});
