import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ConsoleFixture, openConsoleFixture } from "../../src/console/console-fixture.ts";
import { findChromium, noChromium } from "../../src/console/find-chromium.ts";
import { pageTools } from "../../src/console/page-tools.ts";
import { quietWithin, Traffic } from "../../src/console/traffic.ts";

const chromiumPath = findChromium();
/** Data older than five seconds is refreshed when the page becomes visible. */
const readAgainMs = 15_000;

type Row = Readonly<Record<string, unknown>>;

/** A form of a row, with a value that both administrators change. */
interface Edit {
  readonly name: string;
  readonly page: (fixture: ConsoleFixture) => string;
  readonly row: RegExp;
  readonly field: string;
  readonly mine: string;
  readonly list: string;
  readonly of: (fixture: ConsoleFixture) => Row;
  readonly isIt: (row: Row) => boolean;
  readonly operation: string;
  readonly args: (row: Row) => Row;
  readonly other: Row;
  readonly prepare?: (fixture: ConsoleFixture) => Promise<unknown>;
}

const issuer = { issuer: "https://idp.example.com", audience: "shop", scopes: ["chat"] };

/** Every form that edits a row. */
const edits: readonly Edit[] = [
  {
    name: "endpoint",
    page: ({ shop }) => `/projects/${shop}/endpoints`,
    row: /^help/,
    field: "Description",
    mine: "Mine",
    list: "svc_list_endpoints",
    of: ({ shop }) => ({ project: shop }),
    isIt: ({ slug }) => slug === "help",
    operation: "svc_update_endpoint",
    args: ({ uuid }) => ({ endpoint: uuid }),
    other: { description: "Theirs" },
  },
  {
    name: "token",
    page: ({ shop }) => `/projects/${shop}/tokens`,
    row: /^(?:Nightly reports|Theirs)/,
    field: "Name",
    mine: "Mine",
    list: "svc_list_tokens",
    of: ({ shop }) => ({ project: shop }),
    isIt: ({ name }) => name !== "Shop front",
    operation: "svc_update_token",
    args: ({ id }) => ({ token_id: id }),
    other: { name: "Theirs" },
  },
  {
    name: "webhook",
    page: ({ shop }) => `/projects/${shop}/webhooks`,
    row: /^Orders/,
    field: "Name",
    mine: "Mine",
    list: "svc_list_webhooks",
    of: ({ shop }) => ({ project: shop }),
    isIt: () => true,
    operation: "svc_update_webhook",
    args: ({ id }) => ({ webhook_id: id }),
    other: { name: "Theirs" },
  },
  {
    name: "issuer",
    page: ({ shop }) => `/projects/${shop}/issuers`,
    row: /^https:..idp/,
    field: "Audience",
    mine: "mine",
    list: "svc_list_issuers",
    of: ({ shop }) => ({ project: shop }),
    isIt: () => true,
    operation: "svc_update_issuer",
    args: ({ id }) => ({ issuer_id: id }),
    other: { audience: "theirs" },
    prepare: async ({ control, shop }) => await control.call("svc_create_issuer", { project: shop, ...issuer }),
  },
  {
    name: "upstream",
    page: ({ tools }) => `/projects/${tools}/upstreams`,
    row: /^up/,
    field: "Prefix",
    mine: "mine",
    list: "svc_list_upstreams",
    of: ({ tools }) => ({ project: tools }),
    isIt: () => true,
    operation: "svc_update_upstream",
    args: ({ id }) => ({ upstream_id: id }),
    other: { prefix: "theirs" },
  },
  {
    name: "OAuth connection",
    page: ({ api }) => `/projects/${api}/connections`,
    row: /^Weather/,
    field: "Name",
    mine: "Mine",
    list: "svc_list_oauth_connections",
    of: ({ api }) => ({ project: api }),
    isIt: () => true,
    operation: "svc_update_oauth_connection",
    args: ({ id }) => ({ connection_id: id }),
    other: { name: "Theirs" },
  },
  {
    name: "provider",
    page: () => "/providers",
    row: /^spare openai/,
    field: "Base URL",
    mine: "http://127.0.0.1:9/mine",
    list: "svc_list_providers",
    of: () => ({}),
    isIt: ({ name }) => name === "spare",
    operation: "svc_update_provider",
    args: () => ({ provider: "spare" }),
    other: { base_url: "http://127.0.0.1:9/theirs" },
  },
  {
    name: "credential",
    page: () => "/providers",
    row: /^main spare/,
    field: "Name",
    mine: "mine",
    list: "svc_list_credentials",
    of: () => ({}),
    isIt: ({ provider }) => provider === "spare",
    operation: "svc_update_credential",
    args: ({ id }) => ({ credential_id: id }),
    other: { name: "theirs" },
  },
];

/** Two administrators who edit the same items: one at the console, one elsewhere. */
describe.skipIf(chromiumPath === undefined)(chromiumPath === undefined ? noChromium : "two people at work", () => {
  let fixture: ConsoleFixture;
  const page = () => fixture.visitor.page;
  const { button, field, dialog, open } = pageTools(page);
  const number = (name: string) => page().getByRole("textbox", { name });
  const saved = async (message: string) => await page().getByText(message).first().waitFor();
  const comeToTheFront = async () => await page().evaluate("void dispatchEvent(new Event('visibilitychange'))");
  /** Polls what the page shows after it has become visible. */
  const inFront = <Shown>(read: () => Promise<Shown>) =>
    expect.poll(
      async () => {
        await comeToTheFront();
        return await read();
      },
      { timeout: readAgainMs },
    );

  beforeAll(async () => {
    fixture = await openConsoleFixture(chromiumPath ?? "");
  });
  afterAll(async () => await fixture?.stop());

  test("changes of two people to a project's settings are both kept, and the page shows the other's when it is focused again", async () => {
    const { control, shop } = fixture;
    await open(`/projects/${shop}/settings`);
    await field("Name").fill("Shop of one");
    await control.call("svc_update_project", { project: shop, rate_limit_per_hour: 777 });
    await inFront(async () => await number("Rate limit per hour").inputValue()).toBe("777");
    expect(await field("Name").inputValue()).toBe("Shop of one");
    await control.call("svc_update_project", { project: shop, rate_limit_per_hour: 888 });
    await button("Save").click();
    await saved("The project is saved.");
    const project = await control.call("svc_get_project", { project: shop });
    expect(project).toMatchObject({ name: "Shop of one", rate_limit_per_hour: 888 });
  });

  test("a value that both people change is reported before one overwrites the other", async () => {
    const { control, shop } = fixture;
    await open(`/projects/${shop}/settings`);
    await number("Rate limit per minute").fill("50");
    await control.call("svc_update_project", { project: shop, rate_limit_per_minute: 60 });
    const notice = page().getByText("Changed by another administrator in the meantime: Rate limit per minute.");
    await inFront(async () => await notice.count()).toBe(1);
    await button("Save").click();
    await saved("The project is saved.");
    await notice.waitFor({ state: "detached" });
    expect(await control.call("svc_get_project", { project: shop })).toMatchObject({ rate_limit_per_minute: 50 });
  });

  test("a value changed by another person is not overwritten unseen: it is reported, and saved on the second save", async () => {
    const { control, shop } = fixture;
    await open(`/projects/${shop}/settings`);
    await number("Rate limit per minute").fill("55");
    await control.call("svc_update_project", { project: shop, rate_limit_per_minute: 65 });
    await button("Save").click();
    const notice = page().getByText(
      "Not saved yet. Changed by another administrator in the meantime: Rate limit per minute.",
    );
    await notice.waitFor();
    expect(await control.call("svc_get_project", { project: shop })).toMatchObject({ rate_limit_per_minute: 65 });
    await button("Save").click();
    await saved("The project is saved.");
    await notice.waitFor({ state: "detached" });
    expect(await control.call("svc_get_project", { project: shop })).toMatchObject({ rate_limit_per_minute: 55 });
    // The person's further change soon afterwards does not conflict with the first.
    await number("Rate limit per minute").fill("56");
    await button("Save").click();
    await expect
      .poll(async () => await control.call("svc_get_project", { project: shop }))
      .toMatchObject({ rate_limit_per_minute: 56 });
  });

  test.each(edits)("$name: a value that both people change is reported, and saved on the second save", async (edit) => {
    const { control } = fixture;
    const { list, args, field: label, other, mine } = edit;
    await edit.prepare?.(fixture);
    const read = async () => {
      const rows = Object.values(await control.call<Record<string, unknown>>(list, edit.of(fixture))).find(
        Array.isArray,
      );
      const row = (rows as readonly Row[]).find((each) => edit.isIt(each));
      if (row === undefined) throw new Error(`${list} has no such row.`);
      return row;
    };
    await open(edit.page(fixture));
    await page().getByRole("row", { name: edit.row }).getByRole("button", { name: "Edit" }).click();
    await dialog().getByLabel(label, { exact: true }).fill(mine);
    await control.call(edit.operation, { ...args(await read()), ...other });
    await dialog().getByRole("button", { name: "Save" }).click();
    await dialog().getByText(`Not saved yet. Changed by another administrator in the meantime: ${label}.`).waitFor();
    expect(await read()).toMatchObject(other);
    await dialog().getByRole("button", { name: "Save" }).click();
    await dialog().waitFor({ state: "detached" });
    expect(await read()).toMatchObject({ [Object.keys(other)[0] ?? ""]: mine });
  });

  test("a saved value is replaced by another person's change back to the earlier one, and can be saved again", async () => {
    const { control, shop } = fixture;
    await control.call("svc_update_project", { project: shop, rate_limit_per_hour: 1_000 });
    await open(`/projects/${shop}/settings`);
    const traffic = new Traffic(page());
    const limit = async () =>
      (await control.call<Record<string, unknown>>("svc_get_project", { project: shop })).rate_limit_per_hour;
    for (const _round of ["first", "again"]) {
      await number("Rate limit per hour").fill("500");
      await button("Save").click();
      await expect.poll(limit).toBe(500);
      await expect.poll(() => traffic.isQuiet, quietWithin).toBe(true);
      await control.call("svc_update_project", { project: shop, rate_limit_per_hour: 1_000 });
      await inFront(async () => await number("Rate limit per hour").inputValue()).toBe("1000");
    }
  });

  test("a value that another person sets to one's own earlier value is reported as a conflict", async () => {
    const { control, shop } = fixture;
    const limit = number("Rate limit per minute");
    const minute = async () => (await control.call<Row>("svc_get_project", { project: shop })).rate_limit_per_minute;
    await open(`/projects/${shop}/settings`);
    await limit.fill("50");
    await button("Save").click();
    await expect.poll(minute).toBe(50);
    await control.call("svc_update_project", { project: shop, rate_limit_per_minute: 65 });
    await inFront(async () => await limit.inputValue()).toBe("65");
    await limit.fill("70");
    await control.call("svc_update_project", { project: shop, rate_limit_per_minute: 50 });
    await button("Save").click();
    await page()
      .getByText("Not saved yet. Changed by another administrator in the meantime: Rate limit per minute.")
      .waitFor();
    expect(await minute()).toBe(50);
  });

  test("a held Enter key does not confirm the notice of a conflict", async () => {
    const { control, shop } = fixture;
    const traffic = new Traffic(page());
    await open(`/projects/${shop}/settings`);
    await number("Rate limit per minute").fill("75");
    await control.call("svc_update_project", { project: shop, rate_limit_per_minute: 85 });
    await number("Rate limit per minute").press("Enter");
    const notice = page().getByText(
      "Not saved yet. Changed by another administrator in the meantime: Rate limit per minute.",
    );
    await expect
      .poll(async () => {
        await page().keyboard.press("Enter");
        return await notice.count();
      })
      .toBe(1);
    await page().keyboard.press("Enter");
    await expect.poll(() => traffic.isQuiet, quietWithin).toBe(true);
    expect(await control.call("svc_get_project", { project: shop })).toMatchObject({ rate_limit_per_minute: 85 });
    // Typing the other's value resolves the conflict: nothing is left to save.
    await number("Rate limit per minute").fill("85");
    await page().getByText("Changed by another administrator in the meantime").waitFor({ state: "detached" });
  });

  test("a change is not sent when the present value cannot be read", async () => {
    const { control, shop } = fixture;
    const sent: string[] = [];
    await open(`/projects/${shop}/settings`);
    await number("Rate limit per minute").fill("95");
    await page().route("**/control/mcp", async (route) => {
      const { params } = route.request().postDataJSON() as { readonly params: { readonly name?: string } };
      sent.push(params.name ?? "");
      await (params.name === "svc_get_project" ? route.abort() : route.continue());
    });
    await control.call("svc_update_project", { project: shop, rate_limit_per_minute: 96 });
    await button("Save").click();
    const form = page()
      .locator("form")
      .filter({ has: button("Save") });
    await form.getByText("The gateway is not responding.").waitFor();
    expect(sent).not.toContain("svc_update_project");
    await page().unrouteAll({ behavior: "wait" });
    expect(await control.call("svc_get_project", { project: shop })).toMatchObject({ rate_limit_per_minute: 96 });
  });

  test("a webhook's form stays when another person deletes the webhook, and says why its change is not saved", async () => {
    const { control, shop } = fixture;
    const made = { name: "Short-lived", url: "https://example.com/hook", events: ["token.created"] };
    const { id } = await control.call<{ id: number }>("svc_create_webhook", { project: shop, ...made });
    await open(`/projects/${shop}/webhooks/${id}`);
    await button("Edit").click();
    await dialog().getByLabel("Name", { exact: true }).fill("Too late");
    await control.call("svc_delete_webhook", { webhook_id: id });
    await inFront(async () => await page().getByText("Webhook not found").count()).toBe(1);
    expect(await dialog().getByLabel("Name", { exact: true }).inputValue()).toBe("Too late");
    await dialog().getByRole("button", { name: "Save" }).click();
    await dialog()
      .getByRole("alert")
      .getByText(new RegExp(`Webhook not found: ${id}\\b`, "u"))
      .waitFor();
    expect(await dialog().getByLabel("Name", { exact: true }).inputValue()).toBe("Too late");
    const { webhooks } = await control.call<{ webhooks: readonly { name: string }[] }>("svc_list_webhooks", {
      project: shop,
    });
    expect(webhooks.map(({ name }) => name)).not.toContain("Too late");
  });

  test("an endpoint's form sends only its changes", async () => {
    const { control, shop } = fixture;
    await open(`/projects/${shop}/endpoints`);
    await page()
      .getByRole("row", { name: /^summaries/ })
      .getByRole("button", { name: "Edit" })
      .click();
    await field("Description").fill("Short ones");
    const { endpoints } = await control.call<{ endpoints: readonly { uuid: string; slug: string }[] }>(
      "svc_list_endpoints",
      { project: shop },
    );
    const endpoint = endpoints.find(({ slug }) => slug === "summaries")?.uuid;
    await control.call("svc_update_endpoint", { endpoint, monthly_budget_usd: 7, system_prompt: "Be short." });
    await dialog().getByRole("button", { name: "Save" }).click();
    await saved("The endpoint is saved.");
    const after = await control.call("svc_get_endpoint", { endpoint });
    expect(after).toMatchObject({ description: "Short ones", monthly_budget_usd: 7, system_prompt: "Be short." });
  });

  test("a guardrail policy, which is sent as a whole, keeps both people's changes", async () => {
    const { control, shop } = fixture;
    await open(`/projects/${shop}/guardrails`);
    await page().getByRole("textbox", { name: "Max content length" }).fill("5000");
    const other = { pii: { mode: "block" }, findings: "excerpts", on_unavailable: "open" };
    await control.call("svc_set_guardrails", { project: shop, ...other });
    await button("Save policy").click();
    await saved("The policy is saved and applies now.");
    const policy = await control.call("svc_get_guardrails", { project: shop });
    expect(policy).toMatchObject({ max_content_length: 5_000, pii: { mode: "block" }, on_unavailable: "open" });
  });

  test("a setting of a policy that both people change is reported, and saved on the second save", async () => {
    const { control, shop } = fixture;
    const length = async () => (await control.call<Row>("svc_get_guardrails", { project: shop })).max_content_length;
    await open(`/projects/${shop}/guardrails`);
    await page().getByRole("textbox", { name: "Max content length" }).fill("5100");
    await control.call("svc_set_guardrails", { project: shop, pii: { mode: "block" }, max_content_length: 5_200 });
    await button("Save policy").click();
    await page()
      .getByText("Not saved yet. Changed by another administrator in the meantime: Max content length.")
      .waitFor();
    expect(await length()).toBe(5_200);
    await button("Save policy").click();
    await expect.poll(length).toBe(5_100);
  });

  test("a guardrail policy is saved without an emptied setting, and its form is empty after its removal", async () => {
    const { control, shop } = fixture;
    const traffic = new Traffic(page());
    const length = page().getByRole("textbox", { name: "Max content length" });
    const lengthNow = async () =>
      (await control.call<Record<string, unknown>>("svc_get_guardrails", { project: shop })).max_content_length ?? null;
    await open(`/projects/${shop}/guardrails`);
    await length.fill("");
    await button("Save policy").click();
    await expect.poll(lengthNow).toBe(null);
    await length.fill("6000");
    await button("Save policy").click();
    await expect.poll(lengthNow).toBe(6_000);
    await expect.poll(() => traffic.isQuiet, quietWithin).toBe(true);
    await button("Remove policy").click();
    await dialog().getByRole("button", { name: "Remove policy" }).click();
    await expect.poll(lengthNow).toBe(null);
    await expect.poll(async () => await length.inputValue()).toBe("");
  });
});
