import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startChild } from "../../src/child.ts";
import { type ConsoleFixture, openConsoleFixture } from "../../src/console/console-fixture.ts";
import { findChromium, noChromium } from "../../src/console/find-chromium.ts";
import { pageTools } from "../../src/console/page-tools.ts";
import { describeNames } from "./names-suite.ts";
import { describeSecrets } from "./secrets-suite.ts";
import { describeTyping } from "./typing-suite.ts";

const chromiumPath = findChromium();

/** Choices and words around saving something. */
describe.skipIf(chromiumPath === undefined)(chromiumPath === undefined ? noChromium : "what is saved", () => {
  let fixture: ConsoleFixture;
  const page = () => fixture.visitor.page;
  const { button, field, dialog, open } = pageTools(page);

  beforeAll(async () => {
    fixture = await openConsoleFixture(chromiumPath ?? "");
  });
  afterAll(async () => await fixture?.stop());
  afterEach(() => {
    expect(fixture.visitor.takeComplaints()).toEqual([]);
  });

  test("an address that calls cannot reach is saved with the gateway's warning", async () => {
    await open(`/projects/${fixture.api}/endpoints`);
    await button("Create endpoint").click();
    await field("Slug").fill("metadata");
    await dialog().getByRole("textbox", { name: "Upstream URL" }).fill("http://169.254.169.254/latest");
    await dialog().getByRole("button", { name: "Create endpoint" }).click();
    await page().getByText("Saved, with a warning").waitFor();
    await page().getByText("Upstream URL blocked by SSRF guard.").waitFor();
  });

  test.for([
    ["a new webhook", "shop", "webhooks", "Create webhook", "URL"],
    ["a new upstream", "tools", "upstreams", "Add upstream", "URL"],
    ["a new OAuth connection", "api", "connections", "Add connection", "Token URL"],
  ] as const)("a blocked address of %s is refused at its field, with the reason", async (row, { expect }) => {
    const [, project, tab, label, url] = row;
    await open(`/projects/${fixture[project]}/${tab}`);
    await button(label).click();
    const at = dialog().getByRole("textbox", { name: url, exact: true });
    await at.waitFor();
    for (const name of ["Name", "Prefix", "Client ID", "Client secret"]) {
      if ((await field(name).count()) > 0) await field(name).fill("blocked");
    }
    if (tab === "webhooks") await button("All events").click();
    await at.fill("http://10.0.0.1/x");
    await dialog().getByRole("button", { name: label }).click();
    await dialog()
      .getByText(/^Upstream URL blocked by SSRF guard\. .*EGRESS_ALLOW/)
      .waitFor();
    expect(await at.getAttribute("aria-invalid")).toBe("true");
    expect(await dialog().getByRole("alert").count()).toBe(0);
    await dialog().getByRole("button", { name: "Cancel" }).click();
    await button("Discard").click();
  });

  test("a blocked address of an existing webhook is refused at its field", async () => {
    const given = {
      project: fixture.shop,
      name: "to edit",
      url: "https://hooks.example.com/",
      events: ["token.created"],
    };
    const { id } = await fixture.control.call<{ id: number }>("svc_create_webhook", given);
    await open(`/projects/${fixture.shop}/webhooks/${id}`);
    await button("Edit").click();
    await field("URL").fill("http://169.254.169.254/latest");
    await dialog().getByRole("button", { name: "Save" }).click();
    await dialog().getByText("Upstream URL blocked by SSRF guard. The address is never allowed").waitFor();
    expect(await field("URL").getAttribute("aria-invalid")).toBe("true");
    await dialog().getByRole("button", { name: "Cancel" }).click();
    await button("Discard").click();
  });

  test("a project's editor is not offered what a webhook for the whole gateway refuses", async () => {
    const { control, shop } = fixture;
    const given = {
      project: shop,
      name: "of the gateway",
      url: "https://hooks.example.com/",
      events: ["provider.created"],
    };
    const { id } = await control.call<{ id: number }>("svc_create_webhook", given);
    const ed = { name: "editor of one", role: "editor", projects: [shop] };
    const { key } = await control.call<{ key: string }>("svc_create_admin_key", ed);
    const visitor = await fixture.visitor.openStranger();
    await visitor.page.goto("/console");
    await visitor.signIn(key);
    await visitor.page.goto(`/console/projects/${shop}/webhooks`);
    const row = visitor.page.getByRole("row", { name: /^of the gateway/ });
    await row.waitFor();
    expect(await row.getByRole("button").count()).toBe(0);
    await visitor.page.goto(`/console/projects/${shop}/webhooks/${id}`);
    await visitor.page.getByText("need a role for the whole gateway").waitFor();
    const offered = visitor.page.getByRole("button", { name: /^(?:Send test|Edit|Rotate secret|Delete)$/ });
    expect(await offered.count()).toBe(0);
    expect(await visitor.page.getByRole("switch").count()).toBe(0);
    expect(visitor.takeComplaints()).toEqual([]);
    await visitor.leave();
  });

  test("a reference to a missing key is saved with a warning; its provider is suggested by name", async () => {
    await open("/providers");
    await button("Add credential").click();
    await dialog().getByRole("combobox", { name: "Provider" }).fill("spa");
    await page().getByRole("option", { name: "spare" }).click();
    await field("Name").fill("second");
    await dialog()
      .getByLabel(/^API key/)
      .fill("env:GATEHOUSE_SECRET_NOWHERE");
    await dialog().getByRole("button", { name: "Add credential" }).click();
    await page().getByText("Saved, with a warning").waitFor();
    await page()
      .getByRole("row", { name: /^second spare/ })
      .waitFor();
  });

  test("an emptied required value is reported, and not shown as saved", async () => {
    await open(`/projects/${fixture.shop}/settings`);
    const name = await field("Name").inputValue();
    await field("Name").fill("");
    await button("Save").click();
    await page().getByText("This cannot be empty.").waitFor();
    expect(await page().getByText("The project is saved.").count()).toBe(0);
    await field("Name").fill(name);
  });

  test("a saved token survives one that is typed and deleted again, and is removed by its checkbox", async () => {
    const { control, tools } = fixture;
    const list = async () =>
      await control.call<{ upstreams: readonly { readonly id: number; readonly has_bearer_token: boolean }[] }>(
        "svc_list_upstreams",
        { project: tools },
      );
    const [upstream] = (await list()).upstreams;
    const hasToken = async () => (await list()).upstreams.find(({ id }) => id === upstream?.id)?.has_bearer_token;
    await control.call("svc_update_upstream", { upstream_id: upstream?.id, bearer_token: "kept-token" });
    const save = async () => {
      await dialog().getByRole("button", { name: "Save" }).click();
      await dialog().waitFor({ state: "detached" });
    };
    await open(`/projects/${tools}/upstreams`);
    await button("Edit").first().click();
    await dialog().getByLabel("Bearer token", { exact: true }).fill("half");
    await dialog().getByLabel("Bearer token", { exact: true }).fill("");
    await save();
    expect(await hasToken()).toBe(true);
    await button("Edit").first().click();
    await dialog().getByRole("checkbox", { name: "Remove the saved bearer token" }).check();
    await save();
    expect(await hasToken()).toBe(false);
  });

  test("an administrator's projects are chosen by name", async () => {
    await open("/system");
    await button("Create admin key").click();
    await field("Name").fill("shop keeper");
    await dialog().getByRole("combobox", { name: "Projects" }).fill("Web");
    await page().getByRole("option", { name: "Web shop" }).click();
    // The list of choices stays open over the form until the field is left.
    await page().keyboard.press("Tab");
    await dialog().getByRole("button", { name: "Create admin key" }).click();
    await page().getByText("Admin key shop keeper").waitFor();
    const { admin_keys: keys } = await fixture.control.call<{
      admin_keys: readonly { readonly name: string; readonly projects: readonly string[] | null }[];
    }>("svc_list_admin_keys");
    expect(keys.find(({ name }) => name === "shop keeper")?.projects).toEqual([fixture.shop]);
  });

  test("a new token that can call has code for the Anthropic SDK, and another one the reason why not", async () => {
    const { api, wrapper, product } = fixture;
    const create = async (project: string, scope: string) => {
      await open(`/projects/${project}/tokens`);
      await button("Create token").click();
      await field("Name").fill("sdk");
      const chosen = dialog().getByRole("checkbox", { name: scope });
      if ((await chosen.count()) > 0) await chosen.check();
      await dialog().getByRole("button", { name: "Create token" }).click();
      await page().getByLabel("Token sdk", { exact: true }).waitFor();
    };
    await create(api, "proxy");
    await page().getByRole("tab", { name: "Anthropic SDK, Node" }).click();
    const panel = page().getByRole("tabpanel", { name: "Anthropic SDK, Node" });
    const lines = await panel.getByRole("region", { name: "Anthropic SDK, Node" }).textContent();
    expect(lines).toContain(`baseURL: "${product.url}/api/${api}/forecast", authToken: "svc_live_`);
    await panel.getByText("For an endpoint whose upstream URL is https://api.anthropic.com").waitFor();
    await button("I have copied it").click();
    await create(wrapper, "chat");
    await page().getByRole("tab", { name: "Anthropic SDK" }).click();
    await page().getByText("This project speaks OpenAI's dialect, which the Anthropic SDK does not.").waitFor();
    await button("I have copied it").click();
  });

  test("a new project lists its first steps, and ticks off completed ones", async () => {
    await open("/projects");
    await button("Create project").click();
    await field("Name").fill("For newcomers");
    await dialog().getByRole("button", { name: "Create project" }).click();
    const steps = page().getByRole("region", { name: "First steps" });
    await steps.getByRole("listitem").filter({ hasText: "A provider, with its key" }).getByText("Done").waitFor();
    expect(await steps.getByText("Done").count()).toBe(1);
    expect(await page().locator("main").getByRole("heading", { level: 2 }).first().textContent()).toBe("First steps");
    await steps.getByRole("link", { name: "An endpoint" }).click();
    await page().getByRole("heading", { name: "No endpoints yet" }).waitFor();
    await open(`/projects/${fixture.shop}`);
    await page().getByRole("heading", { name: "Current usage" }).waitFor();
    await page().waitForLoadState("networkidle");
    expect(await steps.count()).toBe(0);
  });

  test("an empty list shows the command that fills it, and the command works", async () => {
    const { control, product } = fixture;
    const made = async (name: string, type: string) =>
      (await control.call<{ uuid: string }>("svc_create_project", { name, project_type: type })).uuid;
    const [chat, api, tools] = [
      await made("Empty", "ai_gateway"),
      await made("Empty API", "api_gateway"),
      await made("Empty tools", "mcp_gateway"),
    ];
    const lines = [
      [`${chat}/endpoints`, `endpoint create ${chat} <slug> --target <target>`],
      [`${chat}/playground`, `endpoint create ${chat} <slug> --target <target>`],
      [`${chat}/tokens`, `token create ${chat} <name> --scope <scope>`],
      [`${chat}/issuers`, `issuer create ${chat} <issuer> <audience> --scope <scope>`],
      [`${chat}/webhooks`, `webhook create ${chat} <name> <url> --event <event>`],
      [`${chat}/guardrails`, `guardrails test ${chat} <text>`],
      [`${api}/endpoints`, `endpoint create ${api} <slug> --upstream-url <upstream-url> --method <method>`],
      [`${api}/connections`, `oauth-connection create ${api} <name>`],
      [`${tools}/upstreams`, `upstream add ${tools} <prefix> <url>`],
    ] as const;
    for (const [path, line] of lines) {
      await open(`/projects/${path}`);
      const command = page().getByRole("region", { name: "The same on the command line" });
      expect(await command.textContent()).toMatch(new RegExp(`^npx gatehouse ${line}`));
    }
    await open(`/projects/${chat}/sessions`);
    const call = page().getByRole("region", { name: "A first call with curl" });
    expect(await call.textContent()).toContain(`/api/${chat}/`);
    await open(`/projects/${chat}/tokens`);
    const shown = await page().getByRole("region", { name: "The same on the command line" }).textContent();
    const words = (shown ?? "").replace("<name>", "pasted").replace("<scope>", "chat").split(" ");
    const env = { GATEHOUSE_URL: product.url, GATEHOUSE_ADMIN_KEY: product.adminKey };
    const child = startChild("packages/cli/dist/main.js", env, { args: words.slice(2) });
    await new Promise((resolve) => child.process.once("close", resolve));
    expect(child.process.exitCode, child.output()).toBe(0);
    await page().reload();
    await page().getByRole("cell", { name: "pasted", exact: true }).waitFor();
  });

  test("an event of a change shows the present values of the named fields, and no secret", async () => {
    const { control, tokenId } = fixture;
    await control.call("svc_update_token", { token_id: tokenId, rate_limit_per_minute: 45, endpoints: ["help"] });
    await control.call("svc_update_credential", { credential_id: 1, api_key: "sk-another-not-real-key-77" });
    await open("/audit?event=token.updated");
    const opener = page().getByRole("table", { name: "Events" }).getByRole("button").first();
    await opener.click();
    const changed = dialog().getByRole("region", { name: "Changed" });
    await changed.getByText("Rate limit per minute").waitFor();
    await changed.getByText("45", { exact: true }).waitFor();
    await changed.getByText('"help"').waitFor();
    await open("/audit?event=credential.updated");
    await opener.click();
    await changed.getByText("not shown").waitFor();
    expect(await dialog().textContent()).not.toContain("not-real-key");
  });

  describeTyping(() => fixture);

  describeNames(() => fixture);
  describeSecrets(() => fixture);
});
