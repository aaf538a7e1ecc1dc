import { lapse } from "@gatehouse/async/testing";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import type { ConsoleFixture } from "../../src/console/console-fixture.ts";
import { pageTools } from "../../src/console/page-tools.ts";

/** A control in a row of a table, which opens a dialog. */
interface Opener {
  readonly name: string;
  readonly row: string;
  readonly role: "button" | "switch";
  readonly address: () => string;
}

/** Keyboard-only actions, after each of which the focus must be where the next key is expected. */
export function describeFocusKept(opened: () => ConsoleFixture): void {
  describe("the focus", () => {
    let fixture: ConsoleFixture;
    const page = () => fixture.visitor.page;
    const { button, field, dialog, open } = pageTools(page);

    beforeAll(() => {
      fixture = opened();
    });

    async function press(name: string | RegExp): Promise<void> {
      await button(name).first().focus();
      await page().keyboard.press("Enter");
    }

    async function expectFocus(name: string): Promise<void> {
      await expect.poll(async () => await focused(page()), { timeout: 5_000 }).toBe(name);
    }

    test("returns to a button after its call", async () => {
      await open("/system");
      await press("Export configuration");
      await button("Save as file").waitFor();
      await expectFocus("Export configuration");
      await open("/audit");
      await press("Verify the log");
      await page().getByText("unchanged").waitFor();
      await expectFocus("Verify the log");
      await open(`/projects/${fixture.shop}/webhooks/${fixture.webhookId}`);
      await press("Send test");
      await page().getByText("202", { exact: true }).first().waitFor();
      await expectFocus("Send test");
    });

    test("returns to a switch, and to a button in a drawer that stays open", async () => {
      await open(`/projects/${fixture.shop}/endpoints`);
      const summaries = page().getByRole("switch", { name: "summaries" });
      await summaries.focus();
      await page().keyboard.press("Space");
      await expect.poll(async () => await summaries.isChecked()).toBe(false);
      await expectFocus(await nameOf(page(), "summaries"));
      await page().keyboard.press("Space");
      await expect.poll(async () => await summaries.isChecked()).toBe(true);
      await press("Try it");
      await dialog().getByLabel("Token of this project").fill(fixture.token);
      await dialog()
        .getByRole("textbox", { name: "Body" })
        .fill('{"message": "Hello", "variables": {"product": "shoes"}}');
      await press("Send");
      await dialog().getByRole("region", { name: "Reply" }).waitFor();
      await expectFocus("Send");
      await page().keyboard.press("Escape");
      await expectFocus("Try it");
    });

    test.each<Opener>([
      { name: "Rotate", row: "Shop front", role: "button", address: () => `/projects/${fixture.shop}/tokens` },
      { name: "Test", row: "main", role: "button", address: () => "/providers" },
      { name: "mock is enabled", row: "mock", role: "switch", address: () => "/providers" },
      { name: "History", row: "help", role: "button", address: () => `/projects/${fixture.shop}/endpoints` },
    ])("returns to $name in its row at once, each time its dialog closes", async ({ name, role, ...place }) => {
      await open(place.address());
      const row = page().getByRole("row", { name: new RegExp(String.raw`^${place.row}\b`) });
      const opener = row.getByRole(role, { name, exact: true });
      for (const _time of ["first", "second"]) {
        await opener.focus();
        await page().keyboard.press(role === "switch" ? "Space" : "Enter");
        await dialog().waitFor();
        await page().locator('[role="dialog"]:focus-within').waitFor();
        await page().evaluate(noteFocus);
        await page().keyboard.press("Escape");
        await dialog().waitFor({ state: "detached" });
        await opener.and(page().locator(":focus")).waitFor();
        // The dialog restores the focus at once, not the focus keeper after a while.
        expect(await page().evaluate("globalThis.wasLost")).toBe(false);
      }
    });

    test("moves beside a button that can be pressed once, and to the row of a removed button", async () => {
      await fixture.control.call("svc_create_token", { project: fixture.shop, name: "short-lived", scopes: ["chat"] });
      await open(`/projects/${fixture.shop}/guardrails`);
      await field("Text").fill("Nothing to find here.");
      await press("Check the text");
      await press("Report as wrong");
      await button("Reported").waitFor();
      await expect.poll(async () => await focused(page())).not.toBe("");
      await open(`/projects/${fixture.shop}/tokens`);
      const row = page().getByRole("row", { name: /^short-lived/ });
      await row.getByRole("button", { name: "Revoke" }).focus();
      await page().keyboard.press("Enter");
      await dialog().getByRole("button", { name: "Revoke" }).focus();
      await page().keyboard.press("Enter");
      await row.getByText("Inactive").waitFor();
      await expect.poll(async () => (await focused(page())).startsWith("short-lived")).toBe(true);
    });

    test("is lost by a click outside every control, and not restored", async () => {
      await open("/audit");
      await button("Verify the log").click();
      await page().getByText("unchanged").waitFor();
      await expectFocus("Verify the log");
      const headerOnly = { x: 640, y: 24 };
      await page().mouse.click(headerOnly.x, headerOnly.y);
      await expectFocus("");
      await button("Verify the log").click();
      await page().mouse.click(headerOnly.x, headerOnly.y);
      await page().getByText("unchanged").waitFor();
      await button("Verify the log").click({ trial: true });
      await lapse(300, "longer than the keeper waits");
      await expectFocus("");
    });
  });
}

/** Detects an animation frame without a focused element. */
const noteFocus = `globalThis.wasLost = false;
(function look() {
  if (document.activeElement === document.body) globalThis.wasLost = true;
  requestAnimationFrame(look);
})()`;

/** Text of the focused element; empty: none. */
async function focused(page: Page): Promise<string> {
  return await page.evaluate<string>(
    `document.activeElement === document.body ? "" : document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent`,
  );
}

/** The accessible name of a switch that starts with a word. */
async function nameOf(page: Page, word: string): Promise<string> {
  return (await page.getByRole("switch", { name: word }).getAttribute("aria-label")) ?? "";
}
