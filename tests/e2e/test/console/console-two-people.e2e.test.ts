import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ConsoleDesk, openDesk } from "../../src/console/console-desk.ts";
import { findChromium, noChromium } from "../../src/console/find-chromium.ts";
import { pageTools } from "../../src/console/page-tools.ts";
import { quietWithin, Traffic } from "../../src/console/traffic.ts";

const chromiumPath = findChromium();
/** Data that is older than five seconds is read again when the page comes to the front. */
const readAgainMs = 15_000;

/** Two administrators at the same things: one at the console, one elsewhere. */
describe.skipIf(chromiumPath === undefined)(chromiumPath === undefined ? noChromium : "two people at work", () => {
  let desk: ConsoleDesk;
  const page = () => desk.visitor.page;
  const { button, field, dialog, open } = pageTools(page);
  const number = (name: string) => page().getByRole("textbox", { name });
  const saved = async (message: string) => await page().getByText(message).first().waitFor();
  const comeToTheFront = async () => await page().evaluate("void dispatchEvent(new Event('visibilitychange'))");

  beforeAll(async () => {
    desk = await openDesk(chromiumPath ?? "");
  });
  afterAll(async () => await desk?.stop());

  test("a project's settings: each one's change stays, and the other's shows when the page is back in front", async () => {
    const { control, shop } = desk;
    await open(`/projects/${shop}/settings`);
    await field("Name").fill("Shop of one");
    await control.call("svc_update_project", { project: shop, rate_limit_per_hour: 777 });
    await expect
      .poll(
        async () => {
          await comeToTheFront();
          return await number("Rate limit per hour").inputValue();
        },
        { timeout: readAgainMs },
      )
      .toBe("777");
    expect(await field("Name").inputValue()).toBe("Shop of one");
    await control.call("svc_update_project", { project: shop, rate_limit_per_hour: 888 });
    await button("Save").click();
    await saved("The project is saved.");
    const project = await control.call("svc_get_project", { project: shop });
    expect(project).toMatchObject({ name: "Shop of one", rate_limit_per_hour: 888 });
  });

  test("a value that both change is named before one takes the other's place", async () => {
    const { control, shop } = desk;
    await open(`/projects/${shop}/settings`);
    await number("Rate limit per minute").fill("50");
    await control.call("svc_update_project", { project: shop, rate_limit_per_minute: 60 });
    const notice = page().getByText("Changed by somebody else meanwhile: Rate limit per minute.");
    await expect
      .poll(
        async () => {
          await comeToTheFront();
          return await notice.count();
        },
        { timeout: readAgainMs },
      )
      .toBe(1);
    await button("Save").click();
    await saved("The project is saved.");
    await notice.waitFor({ state: "detached" });
    expect(await control.call("svc_get_project", { project: shop })).toMatchObject({ rate_limit_per_minute: 50 });
  });

  test("a saved value gives way to what was there before, set by somebody else, and can be set again", async () => {
    const { control, shop } = desk;
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
      await expect
        .poll(
          async () => {
            await comeToTheFront();
            return await number("Rate limit per hour").inputValue();
          },
          { timeout: readAgainMs },
        )
        .toBe("1 000");
    }
  });

  test("an endpoint's form sends what was changed in it, and no more", async () => {
    const { control, shop } = desk;
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

  test("a guardrail policy, which is sent whole, has both changes", async () => {
    const { control, shop } = desk;
    await open(`/projects/${shop}/guardrails`);
    await page().getByRole("textbox", { name: "Max content length" }).fill("5000");
    const other = { pii: { mode: "block" }, findings: "excerpts", on_unavailable: "open" };
    await control.call("svc_set_guardrails", { project: shop, ...other });
    await button("Save policy").click();
    await saved("The policy is in force.");
    const policy = await control.call("svc_get_guardrails", { project: shop });
    expect(policy).toMatchObject({ max_content_length: 5_000, pii: { mode: "block" }, on_unavailable: "open" });
  });

  test("a guardrail policy is saved without what was emptied, and its form is empty once it is removed", async () => {
    const { control, shop } = desk;
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
