import { beforeAll, describe, expect, test } from "vitest";
import type { ConsoleFixture } from "../../src/console/console-fixture.ts";
import { pageTools } from "../../src/console/page-tools.ts";

/** The browser's Back, also over several pages at once, with open panels. */
export function describeBack(opened: () => ConsoleFixture): void {
  describe("Back", () => {
    let fixture: ConsoleFixture;
    const page = () => fixture.visitor.page;
    const { button, dialog, open } = pageTools(page);

    beforeAll(() => {
      fixture = opened();
    });

    test("closes the search that was opened over another page", async () => {
      await open("/projects");
      await page().getByRole("link", { name: "Audit" }).click();
      await page().getByRole("heading", { name: "Audit", level: 1 }).waitFor();
      await page().keyboard.press("Control+k");
      await dialog().getByRole("textbox", { name: "Search for" }).fill("half typed");
      await page().goBack();
      await page().getByRole("heading", { name: "Projects", level: 1 }).waitFor();
      await dialog().waitFor({ state: "detached" });
      await page().keyboard.press("Control+k");
      expect(await dialog().getByRole("textbox", { name: "Search for" }).inputValue()).toBe("");
      await page().keyboard.press("Escape");
      await dialog().waitFor({ state: "detached" });
    });

    test("restores the scroll position of a page, and a selection on a page does not scroll it", async () => {
      await open("/?hours=24");
      await page().getByRole("table", { name: "Requests by project" }).waitFor();
      await page().getByRole("figure").last().scrollIntoViewIfNeeded();
      const place = async () => await page().evaluate<number>("scrollY");
      const left = await place();
      expect(left).toBeGreaterThan(0);
      await page().getByLabel("Group by").selectOption("model");
      await page().getByRole("table", { name: "Requests by model" }).waitFor();
      expect(await place()).toBe(left);
      const model = page().getByRole("table", { name: "Requests by model" }).getByRole("link").first();
      // Otherwise what is still being read moves the page.
      await fixture.visitor.settle();
      await model.scrollIntoViewIfNeeded();
      const chosen = await place();
      await model.click();
      await page().getByRole("heading", { name: "Requests", level: 1 }).waitFor();
      expect(await place()).toBe(0);
      await page().goBack();
      await page().getByRole("table", { name: "Requests by model" }).waitFor();
      await expect.poll(place).toBe(chosen);
    });

    test("does not carry a form over to another project's page", async () => {
      await open(`/projects/${fixture.shop}/tokens`);
      await button("Create token").waitFor();
      await button("Web shop").click();
      await page().getByRole("menuitem", { name: "Chat for the office" }).click();
      await page().getByRole("heading", { name: "Chat for the office", level: 1 }).waitFor();
      await page().getByRole("link", { name: "Tokens", exact: true }).click();
      await button("Create token").click();
      await dialog().locator("form").waitFor();
      await page().evaluate("history.go(-2)");
      await page().waitForURL(`**/projects/${fixture.shop}/tokens`);
      await page().getByRole("heading", { name: "Web shop", level: 1 }).waitFor();
      await dialog().waitFor({ state: "detached" });
    });
  });
}
