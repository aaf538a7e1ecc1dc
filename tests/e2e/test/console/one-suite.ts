import { beforeAll, describe, expect, test } from "vitest";
import type { ConsoleFixture } from "../../src/console/console-fixture.ts";
import { pageTools } from "../../src/console/page-tools.ts";

const phone = { width: 360, height: 740 } as const;
/** Height of three lines of a card. */
const cellHeightMax = 70;

/** Pages of one endpoint, one token and one delivery. */
export function describeOne(opened: () => ConsoleFixture): void {
  describe("the page of one object", () => {
    let fixture: ConsoleFixture;
    const page = () => fixture.visitor.page;
    const { button, dialog, field, open } = pageTools(page);

    beforeAll(() => {
      fixture = opened();
    });

    test("an endpoint's page shows its address, state and settings, and its name links there", async () => {
      const { shop, endpointId } = fixture;
      await open(`/projects/${shop}/endpoints`);
      await page().getByRole("link", { name: "help", exact: true }).click();
      await page().waitForURL(`**/projects/${shop}/endpoints/${endpointId}`);
      await page().getByText(`${fixture.product.url}/api/${shop}/help`).waitFor();
      const targets = page().getByRole("table", { name: "Targets" });
      await targets.getByRole("row", { name: /^1 mock\/mock-large Healthy 1 \$3\.00 in, \$15\.00 out$/ }).waitFor();
      await targets.getByRole("row", { name: /^2 spare\/small No recent calls / }).waitFor();
      // On the first day of a month there is no pace yet.
      await page()
        .getByText(/ of \$5\.00(?:, at this pace |$)/)
        .waitFor();
      await page().getByText("Variables: product").waitFor();
      await page()
        .getByText(/^\d+ tokens$/)
        .waitFor();
      await page().getByText("PII: mask (of its project)").waitFor();
      await page().getByRole("link", { name: "View requests" }).click();
      await page().waitForURL(`**/requests?*endpoint=${endpointId}*`);
      await page().getByRole("table", { name: "Requests" }).getByRole("button").first().click();
      await dialog().getByRole("link", { name: "help", exact: true }).click();
      await page().waitForURL(`**/endpoints/${endpointId}`);
      await page().keyboard.press("Control+k");
      await dialog().getByRole("textbox").fill("summaries");
      await dialog().getByText("summaries").click();
      await page().getByRole("heading", { name: "summaries" }).waitFor();
    });

    test("each part and object of a project is in the window's title", async () => {
      const { shop, endpointId, tokenId, webhookId } = fixture;
      await fixture.control.call("svc_update_webhook", { webhook_id: webhookId, name: "Orders" });
      const titles = {
        "": "Web shop · Console",
        "/tokens": "Tokens · Web shop · Console",
        [`/endpoints/${endpointId}`]: "help · Endpoints · Web shop · Console",
        [`/tokens/${tokenId}`]: "Shop front · Tokens · Web shop · Console",
        [`/webhooks/${webhookId}`]: "Orders · Webhooks · Web shop · Console",
        "/webhooks": "Webhooks · Web shop · Console",
      };
      await open(`/projects/${shop}`);
      for (const [path, title] of Object.entries(titles)) {
        await fixture.visitor.go(`/projects/${shop}${path}`);
        await expect.poll(async () => await page().title()).toBe(title);
      }
      await fixture.visitor.go(`/projects/${shop}/nowhere`);
      await expect.poll(async () => await page().title()).toBe("Page not found · Console");
    });

    test("a new administrator is a viewer unless more is chosen", async () => {
      await open("/system");
      await button("Create admin key").click();
      await dialog().locator("form").waitFor();
      expect(await dialog().getByLabel("Role").inputValue()).toBe("viewer");
      await button("Cancel").click();
    });

    test("an endpoint is changed, its schema tried, and it is deleted on its page", async () => {
      const { control, shop } = fixture;
      const input_schema = { type: "object", properties: { message: { maxLength: 3 } } };
      const given = { project: shop, slug: "brief", targets: [{ provider: "mock", model: "m" }], input_schema };
      const { uuid } = await control.call<{ uuid: string }>("svc_create_endpoint", given);
      await open(`/projects/${shop}/endpoints/${uuid}`);
      await button("Try a sample").click();
      await field("Sample for input schema").fill('{"message":"too long"}');
      await button("Check the sample").click();
      await page().getByText("The sample is not valid").waitFor();
      await button("Edit").click();
      await field("Description").fill("Answers in a word.");
      await dialog().getByRole("button", { name: "Save" }).click();
      await page().getByRole("main").getByText("Answers in a word.").waitFor();
      await page().getByRole("switch", { name: "brief is active" }).click();
      await page().getByText("brief is inactive").waitFor();
      await button("Delete").click();
      await field("Type brief to confirm").fill("brief");
      await dialog().getByRole("button", { name: "Delete" }).click();
      await page().getByRole("heading", { name: "No such endpoint" }).waitFor();
      await page().getByRole("main").getByRole("link", { name: "Endpoints" }).last().click();
      await page().getByRole("table", { name: "Endpoints" }).waitFor();
    });

    test("controls that open sections do not move after they are first drawn", async () => {
      const { control, shop } = fixture;
      const given = { slug: "unfolded", targets: [{ provider: "mock", model: "m" }], input_schema: { type: "object" } };
      const { uuid } = await control.call<{ uuid: string }>("svc_create_endpoint", { project: shop, ...given });
      await open(`/projects/${shop}/endpoints/${uuid}`);
      await button("Try a sample").waitFor();
      await fixture.visitor.settle();
      expect(await page().evaluate(placesOf("Try a sample", "Check the sample"))).toHaveLength(1);
      await button("Edit").click();
      await button("Prices and retries of target 1").waitFor();
      await fixture.visitor.settle();
      expect(await page().evaluate(placesOf("Prices and retries of target 1", "Try a sample"))).toHaveLength(1);
      await button("Cancel").click();
      await dialog().waitFor({ state: "detached" });
    });

    test("an API Gateway's endpoint shows its upstream, methods and key name", async () => {
      const given = {
        project: fixture.api,
        slug: "keyed",
        upstream_url: "http://127.0.0.1:9/",
        allowed_methods: ["POST"],
      };
      const auth = { type: "header", name: "X-Api-Key", value: "not-to-be-shown" };
      const { uuid } = await fixture.control.call<{ uuid: string }>("svc_create_endpoint", { ...given, auth });
      await open(`/projects/${fixture.api}/endpoints/${uuid}`);
      const facts = page().getByRole("main");
      for (const text of ["http://127.0.0.1:9/", "POST", "X-Api-Key"])
        await facts.getByText(text, { exact: true }).waitFor();
      expect(await page().content()).not.toContain("not-to-be-shown");
    });

    test("a token is edited, rotated and revoked on its page, and its new plaintext shows once", async () => {
      const given = { project: fixture.shop, name: "turning", scopes: ["chat"] };
      const { id, token } = await fixture.control.call<{ id: number; token: string }>("svc_create_token", given);
      await open(`/projects/${fixture.shop}/tokens/${id}`);
      await button("Edit").click();
      await field("Rate limit per minute").fill("7");
      await dialog().getByRole("button", { name: "Save" }).click();
      await page().getByText("0 of 7 per minute").waitFor();
      await button("Rotate").click();
      await dialog().getByRole("button", { name: "Rotate" }).click();
      const shown = page().getByLabel("Token turning", { exact: true });
      await shown.waitFor();
      expect(await shown.textContent()).not.toBe(token);
      await button("I have copied it").click();
      await shown.waitFor({ state: "detached" });
      await button("Revoke").click();
      await dialog().getByRole("button", { name: "Revoke" }).click();
      await page().getByRole("main").getByText("Inactive").waitFor();
    });

    test("a selected delivery scrolls into view on a phone, and a card's texts are in lines", async () => {
      const nowhere = { project: fixture.shop, name: "Nowhere", url: "http://127.0.0.1:9/", events: ["token.created"] };
      const { id } = await fixture.control.call<{ id: number }>("svc_create_webhook", nowhere);
      await fixture.control.call("svc_test_webhook", { webhook_id: id });
      await using tab = await fixture.visitor.openTab();
      await tab.page.setViewportSize(phone);
      await tab.go(`/projects/${fixture.shop}/webhooks`);
      const failed = tab.page.getByRole("row", { name: /Nowhere .*the last failed/ }).locator("td");
      await failed.filter({ hasText: "the last failed" }).waitFor();
      const heights = await failed.evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect().height));
      expect(Math.max(...heights)).toBeLessThan(cellHeightMax);
      await tab.go(`/projects/${fixture.shop}/webhooks/${fixture.webhookId}`);
      await tab.page.getByRole("region", { name: "Delivery" }).waitFor();
      await tab.page.getByRole("button", { name: "Send test", exact: true }).click();
      await tab.page.waitForURL(/delivery=/);
      const delivery = tab.page.getByRole("region", { name: "Delivery" });
      await expect.poll(async () => (await delivery.boundingBox())?.y).toBeLessThan(phone.height / 2);
    });
  });
}

/**
 * Presses a button, and returns the positions at which the last button of another name was rendered afterwards; scrolls it into
 * view first, as for a keyboard user.
 */
const placesOf = (opener: string, moved: string) => `new Promise((resolve) => {
  const named = (name) => [...document.querySelectorAll("button")].findLast((each) => (each.ariaLabel ?? each.textContent) === name);
  const places = new Set();
  let pictures = 0;
  const look = () => {
    const button = named(${JSON.stringify(moved)});
    if (pictures === 0) button?.scrollIntoView({ block: "nearest" });
    if (button !== undefined) places.add(Math.round(button.getBoundingClientRect().y));
    pictures += button === undefined ? 0 : 1;
    if (pictures < 30) requestAnimationFrame(look);
    else resolve([...places]);
  };
  named(${JSON.stringify(opener)}).click();
  requestAnimationFrame(look);
})`;
